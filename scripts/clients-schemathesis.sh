#!/bin/sh
# Puts schemathesis into .venv-schemathesis: it asks the port everything its OpenAPI file allows.
# Does nothing when it is there; leaves the client suite to skip that step when it cannot be installed.
set -e
cd "$(dirname "$0")/.."
schemathesis=schemathesis==4.32.5
if [ -x .venv-schemathesis/bin/schemathesis ] && .venv-schemathesis/bin/schemathesis --version >/dev/null 2>&1; then exit 0; fi
python3 -m venv .venv-schemathesis
.venv-schemathesis/bin/pip install --quiet --disable-pip-version-check "$schemathesis"
