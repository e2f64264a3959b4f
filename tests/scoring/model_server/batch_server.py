"""A server on loopback with OpenAI's files and batches, which counts its runs and makes faults."""

from __future__ import annotations

import contextlib
import http.server
import json
import re
import socket
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["BatchServer", "batch_server", "dripping_server", "reply"]

Row = dict[str, Any]


def reply(text: str, ending: str = "stop") -> Row:
    """The body of a response with ``text``."""
    usage = {"prompt_tokens": 40, "completion_tokens": 2}
    message = {"role": "assistant", "content": text}
    return {
        "model": "m-1",
        "choices": [{"index": 0, "message": message, "finish_reason": ending}],
        "usage": usage,
    }


class BatchServer:
    """The state of the server.

    ``faults`` has, for each step (upload, create, list, look, download, cancel, chat), the faults of its next
    requests, the empty text for none:

    - ``503 words``: that status; ``html``: a page in place of the reply
    - ``lost``: the connection breaks after the request is done; ``cut``: before
    - ``hold``: no reply until the server ends, with the request done; ``hold first``: before it is done;
      ``reached`` is set in both cases
    - ``half``: half of a download and then nothing; ``half cut``: half of it and a broken connection

    ``endings`` has the faults of the next batches: expired, cancelled, failed TEXT, missing, duplicated,
    different, reversed, rows STATUS TEXT, rows TEXT (errors without a response), damaged, giant, unknown.
    """

    def __init__(self) -> None:
        self.address = ""
        self.faults: dict[str, deque[str]] = {}
        self.endings: deque[str] = deque()
        self.looks = 1
        """The number of looks at a batch after which it has ended."""
        self.late = 0
        """The number of further looks after which the files of results are named."""
        self.counts = True
        """False if the server counts no requests of its batches."""
        self.answer: Callable[[Row], str | Row] = lambda body: "yes"
        """The text, or the body of the response, to the body of a request."""
        self.runs: Counter[str] = Counter()
        """How often each request was run with a response, by its custom_id."""
        self.bodies: list[Row] = []
        """The bodies of the requests that were run."""
        self.headers: list[dict[str, str]] = []
        self.steps: list[str] = []
        """The steps of all requests, in order."""
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Row] = {}
        self.reached = threading.Event()
        self.let_go = threading.Event()
        self.lock = threading.RLock()

    def fail(self, step: str, *faults: str) -> None:
        """Make ``faults`` at the next requests of ``step``."""
        self.faults.setdefault(step, deque()).extend(faults)

    def run(self, batch: Row) -> None:
        """Run the requests of a batch, with the fault that ``endings`` names."""
        fault = self.endings.popleft() if self.endings else ""
        requests = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]
        half = (len(requests) + 1) // 2
        kind, _, words = fault.partition(" ")
        batch["request_counts"] = {"total": len(requests), "completed": 0, "failed": 0}
        if kind == "failed":
            batch |= {
                "end": "failed",
                "errors": {"object": "list", "data": [{"code": words, "message": "no"}]},
            }
            return
        output, errors = [], []
        for n, request in enumerate(requests):
            if kind in ("expired", "cancelled") and n >= half:
                error = {"code": f"batch_{kind}", "message": "This request was not run in time."}
                errors.append(_row(request, None, error))
            elif kind == "rows" and n < half:
                errors.append(_failed(request, words))
            else:
                self.runs[request["custom_id"]] += 1
                self.bodies.append(request["body"])
                said = self.answer(request["body"])
                body = said if isinstance(said, dict) else reply(said)
                output.append(_row(request, {"status_code": 200, "request_id": f"r{n}", "body": body}, None))
        batch["end"] = kind if kind in ("expired", "cancelled") else "completed"
        batch["request_counts"] |= {"completed": len(output), "failed": len(errors)}
        lines = [json.dumps(row).encode() for row in output]
        lines = _faulty(lines, output, kind)
        if lines:
            batch["output_file_id"] = self.stored(b"".join(line + b"\n" for line in lines))
        if errors:
            batch["error_file_id"] = self.stored(b"".join(json.dumps(row).encode() + b"\n" for row in errors))

    def shown(self, batch: Row) -> bytes:
        """The batch as its JSON."""
        left_out = {"end", "looks"} | (set() if self.counts else {"request_counts"})
        if batch["looks"] < self.looks + self.late:
            left_out |= {"output_file_id", "error_file_id"}
        return json.dumps({key: value for key, value in batch.items() if key not in left_out}).encode()

    def stored(self, content: bytes) -> str:
        """Store a file and return its id."""
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return name


def _row(request: Row, response: Row | None, error: Row | None) -> Row:
    return {"id": "x", "custom_id": request["custom_id"], "response": response, "error": error}


def _failed(request: Row, words: str) -> Row:
    status, _, text = words.partition(" ")
    if not status.isdigit():
        return _row(request, None, {"code": status, "message": text})
    body = {"error": {"message": text, "type": "some_error"}}
    return _row(request, {"status_code": int(status), "request_id": "", "body": body}, None)


def _faulty(lines: list[bytes], rows: list[Row], kind: str) -> list[bytes]:
    half = (len(lines) + 1) // 2
    if kind == "missing":
        return lines[half:]
    if kind == "duplicated":
        return [*lines, *lines]
    if kind == "different":
        others = [{**row, "response": {**row["response"], "body": reply("no")}} for row in rows]
        return [*lines, *(json.dumps(row).encode() for row in others)]
    if kind == "reversed":
        return lines[::-1]
    if kind == "damaged":
        return [line[: len(line) // 2] if n < half else line for n, line in enumerate(lines)]
    if kind == "giant":
        return [*lines[:1], b'{"custom_id": "' + b"x" * 3_000_000, *lines[1:]]
    if kind == "unknown":
        return [*lines, lines[0].replace(rows[0]["custom_id"].encode(), b"somebody else")]
    return lines


@contextmanager
def batch_server() -> Iterator[BatchServer]:
    """A server on loopback; it ends at the end."""
    state = BatchServer()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(state)) as server:
        state.address = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield state
        finally:
            state.let_go.set()
            server.shutdown()
            thread.join()


@contextmanager
def dripping_server() -> Iterator[str]:
    """The address of a server that sends the headers of each reply byte by byte, without an end."""
    end = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
            with contextlib.suppress(OSError):
                while not end.wait(0.05):
                    self.wfile.write(b"a")

        do_POST = do_GET

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            end.set()
            server.shutdown()
            thread.join()


def _handler(state: BatchServer) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # one packet for headers and content
        disable_nagle_algorithm = True

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            self._do(b"")

        def do_POST(self) -> None:
            self._do(self._body())

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding") != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body

        def _do(self, body: bytes) -> None:
            path, _, query = self.path.removeprefix("/v1/").partition("?")
            step = _step(self.command, path)
            with state.lock:
                state.steps.append(step)
                state.headers.append(dict(self.headers))
                waiting = state.faults.get(step)
                fault = waiting.popleft() if waiting else ""
            if fault == "hold first":
                self._hold()
            elif fault == "cut":
                self._break()
            elif fault == "html":
                self._say(200, b"<html>Welcome</html>", "text/html")
            elif fault[:1].isdigit():
                code, _, words = fault.partition(" ")
                self._say(int(code), words.encode())
            else:
                with state.lock:
                    status, content = self._done(step, path, query, body)
                if fault == "hold":
                    self._hold()
                elif fault == "lost":
                    self._break()
                elif fault.startswith("half"):
                    self._half(content, fault)
                else:
                    self._say(status, content)

        def _done(self, step: str, path: str, query: str, body: bytes) -> tuple[int, bytes]:
            if step == "models":
                return 200, b'{"data": [{"id": "m"}]}'
            if step == "chat":
                said = state.answer(json.loads(body))
                return 200, json.dumps(said if isinstance(said, dict) else reply(said)).encode()
            if step == "upload":
                name = state.stored(_uploaded(body))
                return 200, json.dumps({"id": name, "object": "file", "purpose": "batch"}).encode()
            if step == "create":
                order = json.loads(body)
                batch = {"id": f"batch_{len(state.batches)}", "object": "batch", "looks": 0, **order}
                batch |= {"status": "validating", "output_file_id": None, "error_file_id": None}
                state.batches[batch["id"]] = batch
                state.run(batch)
                return 200, state.shown(batch)
            if step == "list":
                after = re.search(r"after=(\w+)", query)
                newest = list(state.batches.values())[::-1]
                if after:
                    newest = newest[[b["id"] for b in newest].index(after[1]) + 1 :]
                page = {"object": "list", "data": newest[:2], "has_more": len(newest) > 2}
                return 200, json.dumps(page).encode()
            if step == "download":
                content = state.files.get(path.split("/")[1])
                return (404, b"no such file") if content is None else (200, content)
            known = state.batches.get(path.split("/")[1]) if step in ("look", "cancel") else None
            if known is None:
                return 404, b"not found"
            batch = known
            batch["looks"] += 1
            if batch["looks"] >= state.looks or step == "cancel":
                batch["status"] = batch["end"]
            else:
                batch["status"] = "in_progress"
            return 200, state.shown(batch)

        def _hold(self) -> None:
            state.reached.set()
            state.let_go.wait(240)
            self._break()

        def _break(self) -> None:
            self.close_connection = True
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)

        def _half(self, content: bytes, fault: str) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2])
            self.wfile.flush()
            if fault == "half":
                self._hold()
            else:
                self._break()

        def _say(self, status: int, content: bytes, content_type: str = "application/json") -> None:
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler


def _step(method: str, path: str) -> str:
    parts = path.split("/")
    if path == "files" and method == "POST":
        return "upload"
    if path == "chat/completions":
        return "chat"
    if path == "batches":
        return "create" if method == "POST" else "list"
    if parts[0] == "batches":
        return "cancel" if parts[-1] == "cancel" else "look"
    if parts[0] == "files" and parts[-1] == "content":
        return "download"
    return path


def _uploaded(body: bytes) -> bytes:
    """The file in a multipart form; its purpose must be batch."""
    mark = body.split(b"\r\n", 1)[0]
    parts = body.split(mark)
    assert any(b'name="purpose"' in part and part.strip().endswith(b"batch") for part in parts)
    (file,) = [part for part in parts if b"filename=" in part]
    return file.split(b"\r\n\r\n", 1)[1].removesuffix(b"\r\n")
