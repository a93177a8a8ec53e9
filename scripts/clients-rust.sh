#!/bin/sh
# Builds the bot on the official Rust SDK, for the client suite, outside the tree; with the versions
# that its Cargo.lock names. Leaves the suite to skip those steps when it cannot be built.
set -e
cd "$(dirname "$0")/../test/clients/drivers/rust"
cache=${GUARD_CLIENTS_CACHE:-$HOME/.cache/guard-clients}
command -v cargo >/dev/null || { echo "cargo is not installed" >&2; exit 1; }
mkdir -p "$cache"
CARGO_TARGET_DIR=$cache/rust cargo build --quiet --locked
cp "$cache/rust/debug/guard-client-rust" "$cache/rust-bot.new"
mv "$cache/rust-bot.new" "$cache/rust-bot"
