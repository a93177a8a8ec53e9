#!/bin/sh
# Puts the official Python SDK into .venv, for the client suite and the Python examples.
# Does nothing when it is there; leaves the suite to skip those steps when it cannot be installed.
set -e
cd "$(dirname "$0")/.."
sdk=hyperliquid-python-sdk==0.24.0
if [ -x .venv/bin/python ] && .venv/bin/python -c 'import hyperliquid, eth_account' 2>/dev/null; then exit 0; fi
python3 -m venv .venv
.venv/bin/pip install --quiet --disable-pip-version-check "$sdk"
