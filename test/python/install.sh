#!/bin/sh
# Puts the official SDK into test/python/.venv for python.test.ts.
set -e
cd "$(dirname "$0")"
python3 -m venv .venv
.venv/bin/pip install --quiet hyperliquid-python-sdk==0.24.0
