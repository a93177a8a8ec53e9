#!/usr/bin/env python3
"""Follow a Guard from Python: every event, in order, without missing one.

One file, standard library only, Python 3.8 or newer. Copy it beside your bot.

    from guard_events import Guard

    guard = Guard()                              # http://127.0.0.1:8547
    print(guard.status()["risk"]["state"])
    for event in guard.follow(since=0):          # for ever; reconnects by itself
        print(event["seq"], event["kind"])

`follow` remembers where it was: keep the last `seq` you have dealt with, and pass it as `since`
after a restart of your own program. It raises `GapError` when events are missing (or Guard keeps
another journal than before), and `GuardError` when Guard refuses the request.

Run it to watch a Guard from a terminal:

    python3 guard_events.py [--url http://127.0.0.1:8547] [--since N] [--kind decision,kill]
"""

import argparse
import http.client
import json
import time
from urllib.parse import urlencode, urlsplit

__all__ = ["Guard", "GuardError", "GapError"]

# Guard says something every 15 seconds; a stream silent for three times that is dead.
SILENCE_SECONDS = 45
BACKOFF_SECONDS = (0.25, 0.5, 1, 2, 5, 10)


class GuardError(Exception):
    """Guard answered with an error: `status`, `code` and a text."""

    def __init__(self, status, code, text):
        super().__init__(f"Guard answered {status} {code}: {text}")
        self.status = status
        self.code = code


class GapError(Exception):
    """Events are missing, or this is another journal: `expected` and `received`."""

    def __init__(self, expected, received):
        super().__init__(f"expected event {expected}, and Guard is at {received}")
        self.expected = expected
        self.received = received


class Guard:
    """A Guard to read from. `token` is needed only where Guard listens beyond its machine."""

    def __init__(self, base_url="http://127.0.0.1:8547", token=None, timeout=10,
                 backoff=BACKOFF_SECONDS):
        self._url = urlsplit(base_url)
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._timeout = timeout
        self._backoff = backoff

    def status(self):
        """The state now, as a dict. Money is a decimal string: use `decimal.Decimal`."""
        return self._json("GET", "/guard/status")

    def decision(self, nonce, client=None):
        """The decision on a request and what was sent for it; None when there is none."""
        query = {"nonce": nonce} if client is None else {"nonce": nonce, "client": client}
        try:
            return self._json("GET", "/guard/decision?" + urlencode(query))
        except GuardError as error:
            if error.status == 404:
                return None
            raise

    def preview(self, action, client=None):
        """What Guard would decide about an unsigned action now; changes nothing."""
        body = {"action": action} if client is None else {"action": action, "client": client}
        return self._json("POST", "/guard/preview", json.dumps(body).encode())

    def follow(self, since=0, kinds=None):
        """Yields every event after `since`, then each new one as it comes, for ever.

        With `kinds` (a list such as ["decision", "kill"]) the numbering has holes by request, and
        gaps cannot be told.
        """
        last = since
        failures = 0
        while True:
            try:
                for event in self._stream(last, kinds):
                    failures = 0
                    if event["seq"] <= last:
                        continue
                    if kinds is None and event["seq"] != last + 1:
                        raise GapError(last + 1, event["seq"])
                    last = event["seq"]
                    yield event
            except GuardError as error:
                if 400 <= error.status < 500 and error.status != 429:
                    raise
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(self._backoff[min(failures, len(self._backoff) - 1)])
            failures += 1

    def _stream(self, since, kinds):
        query = {"since": since} if kinds is None else {"since": since, "kind": ",".join(kinds)}
        headers = {"Accept": "text/event-stream"}
        path = "/guard/events?" + urlencode(query)
        connection, response = self._ask("GET", path, None, headers, SILENCE_SECONDS)
        try:
            latest = response.headers.get("X-Guard-Last-Seq")
            if latest is not None and int(latest) < since:
                raise GapError(since + 1, int(latest))
            data = []
            while True:
                raw = response.readline()
                if not raw:
                    return
                line = raw.decode("utf-8").rstrip("\r\n")
                if line.startswith("data:"):
                    data.append(line[5:].lstrip(" "))
                elif line == "" and data:
                    yield json.loads("\n".join(data))
                    data = []
        finally:
            connection.close()

    def _json(self, method, path, body=None):
        connection, response = self._ask(method, path, body, {}, self._timeout)
        try:
            return json.loads(response.read())
        finally:
            connection.close()

    def _ask(self, method, path, body, headers, timeout):
        secure = self._url.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = kind(self._url.hostname, self._url.port, timeout=timeout)
        try:
            connection.request(method, self._url.path.rstrip("/") + path, body,
                               {**self._headers, **headers})
            response = connection.getresponse()
            if response.status == 200:
                return connection, response
            text = response.read().decode("utf-8", "replace")
        except BaseException:
            connection.close()
            raise
        connection.close()
        try:
            error = json.loads(text)["error"]
            raise GuardError(response.status, error["code"], error["text"])
        except (ValueError, KeyError, TypeError):
            raise GuardError(response.status, "unknown", text[:200]) from None


def _main():
    parser = argparse.ArgumentParser(description="Watch the events of a Guard.")
    parser.add_argument("--url", default="http://127.0.0.1:8547")
    parser.add_argument("--since", type=int, default=None, help="default: only what is new")
    parser.add_argument("--kind", default=None, help="for example decision,kill")
    parser.add_argument("--token", default=None)
    options = parser.parse_args()
    guard = Guard(options.url, options.token)
    since = guard.status()["last_seq"] if options.since is None else options.since
    kinds = None if options.kind is None else options.kind.split(",")
    for event in guard.follow(since, kinds):
        rest = {key: value for key, value in event.items() if key not in ("seq", "at_ms", "kind")}
        moment = time.strftime("%H:%M:%S", time.gmtime(event["at_ms"] / 1000))
        print(event["seq"], moment, event["kind"], json.dumps(rest), flush=True)


if __name__ == "__main__":
    try:
        _main()
    except KeyboardInterrupt:
        pass
