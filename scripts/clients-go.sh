#!/bin/sh
# Builds the bot on a Go SDK, for the client suite, outside the tree; with the versions that its
# go.sum names. Leaves the suite to skip those steps when it cannot be built.
set -e
cd "$(dirname "$0")/../test/clients/drivers/go"
cache=${GUARD_CLIENTS_CACHE:-$HOME/.cache/guard-clients}
command -v go >/dev/null || { echo "go is not installed" >&2; exit 1; }
mkdir -p "$cache"
# Without C there is less to build.
CGO_ENABLED=0 go build -mod=readonly -buildvcs=false -o "$cache/go-bot.new" .
mv "$cache/go-bot.new" "$cache/go-bot"
