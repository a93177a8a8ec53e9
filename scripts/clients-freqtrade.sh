#!/bin/sh
# Puts Freqtrade into .venv-freqtrade, for the client suite. It is large (about 1 GB and two
# minutes), so nothing runs this by itself; without it the suite skips Freqtrade's own run.
set -e
cd "$(dirname "$0")/.."
freqtrade=freqtrade==2026.9
if [ -x .venv-freqtrade/bin/python ] && .venv-freqtrade/bin/python -c 'import freqtrade' 2>/dev/null; then exit 0; fi
python3 -m venv .venv-freqtrade
.venv-freqtrade/bin/pip install --quiet --disable-pip-version-check "$freqtrade"
