"""A data set on a loopback Hub is compared as a stream: real HTTP, in a process that is not offline."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

ROWS = (
    b'{"text": "The left-handed pupil wrote a long letter with a pen", "n": 1}\n{"text": "Other", "n": 2}\n'
)
COMMIT = "a" * 40
SCRIPT = """
import json, sys, pyarrow as pa
from dataclasses import asdict
from pathlib import Path
from nextset.errors import NextsetError
from nextset.release.overlap.contamination import find_contamination
items = pa.table({"id": ["a", "b"], "premise": ["a long letter", "a poem"], "hypothesis": ["with a pen"] * 2})
for name in sys.argv[1:]:
    try:
        rows = find_contamination("items", lambda: iter([items]), [name], Path, 0.8, "canary")
        print(json.dumps([asdict(row) for row in rows]))
    except NextsetError as e:
        print(json.dumps([type(e).__name__, str(e), e.remedy]))
"""


class Hub(BaseHTTPRequestHandler):
    """One data set, org/pens, with one JSONL file; every other path is missing."""

    content = ROWS

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"] or 0))
        entry = {"type": "file", "path": "data.jsonl", "size": len(self.content), "oid": "b" * 40}
        self._send(200, json.dumps([entry] if "paths-info" in self.path else []).encode())

    def _answer(self, *, body: bool) -> None:
        path = self.path.partition("?")[0].replace("%2F", "/")
        info = {
            "_id": "1",
            "id": "org/pens",
            "sha": COMMIT,
            "siblings": [{"rfilename": "data.jsonl"}],
            "tags": [],
        }
        if path in ("/api/datasets/org/pens", f"/api/datasets/org/pens/revision/{COMMIT}"):
            self._send(200, json.dumps(info).encode(), body=body)
        elif path == f"/api/datasets/org/pens/tree/{COMMIT}":
            entry = {"type": "file", "path": "data.jsonl", "size": len(self.content), "oid": "b" * 40}
            self._send(200, json.dumps([entry]).encode(), body=body)
        elif path == f"/datasets/org/pens/resolve/{COMMIT}/data.jsonl":
            self._send(200, self.content, body=body)
        else:
            code = "EntryNotFound" if "/resolve/" in path or "/tree/" in path else "RepoNotFound"
            self._send(404, b"{}", body=body, code=code)

    def _send(self, status: int, content: bytes, *, body: bool = True, code: str = "") -> None:
        start, end = 0, len(content)
        if status == 200 and (asked := self.headers.get("Range")):
            first, _, last = asked.removeprefix("bytes=").partition("-")
            start, end = int(first), min(end, int(last or end) + 1)
            status = 206
        self.send_response(status)
        self.send_header("Content-Length", str(end - start))
        self.send_header("Content-Type", "application/json")
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{"b" * 40}"')
        if status == 206:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(content)}")
        if code:
            self.send_header("X-Error-Code", code)
        self.end_headers()
        if body:
            self.wfile.write(content[start:end])

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def hub(content: bytes) -> Iterator[str]:
    served = type("Served", (Hub,), {"content": content})
    with ThreadingHTTPServer(("127.0.0.1", 0), served) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def found(address: str, home: Path, *names: str) -> list[list[object]]:
    environment = {
        "HF_ENDPOINT": address, "HF_HUB_DISABLE_XET": "1", "HF_HOME": str(home), "HF_HUB_OFFLINE": "0",
        "HF_HUB_DISABLE_TELEMETRY": "1", "PYTHONPATH": str(Path(__file__).parents[2]),
    }  # fmt: skip
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, *names], env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    answers = [json.loads(line) for line in run.stdout.splitlines()[-len(names) :]]
    assert all(isinstance(answer, list) for answer in answers)
    return answers


@pytest.mark.slow
def test_a_data_set_on_the_hub(tmp_path: Path) -> None:
    with hub(ROWS) as address:
        (row,), (name, message, remedy) = found(address, tmp_path, "org/pens", "org/absent")
        assert isinstance(row, dict)
        assert (row["source"], row["revision"], row["rows"]) == ("org/pens", COMMIT, 2)
        assert (row["exact"], row["examples"], row["overlap"]) == (1, ["a"], 2)
        assert (name, message) == ("InputError", "there is no dataset org/absent on the Hub")
        assert "release.overlap.against" in str(remedy)


@pytest.mark.slow
def test_a_damaged_data_set_and_a_hub_that_is_down(tmp_path: Path) -> None:
    with hub(ROWS[: len(ROWS) // 2]) as address:
        ((name, message, _),) = found(address, tmp_path, "org/pens")
        assert name == "InputError"
        assert "org/pens on the Hub cannot be read" in str(message)
    ((name, message, _),) = found(address, tmp_path, "org/pens")
    assert name == "ServerError"
    assert "the Hub did not answer" in str(message)
