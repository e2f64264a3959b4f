"""A Hugging Face Hub on this machine: real HTTP, commits with parents, LFS, and faults on request."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import json
import os
import re
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qs, unquote

import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from tests.release.loopback_hub_store import HubStore

__all__ = ["DUMMY", "Fault", "FaultKind", "LoopbackHub", "serving"]

DUMMY = "hf_dummyTokenOfTheTests0123456789"
"""The token of the user ``maintainer``, who may write everywhere."""

FaultKind = Literal[
    "lost before", "lost after", "500 before", "500 after", "429", "cut", "slow", "twice", "moved", "garbage",
    "kill before", "kill after", "401", "403", "404", "409", "413", "altered",
]  # fmt: skip

_DATASET = r"/api/datasets/(?P<repo>[^/]+/[^/]+)"
_ROUTES: tuple[tuple[str, str, str], ...] = (
    ("validate", "POST", r"/api/validate-yaml"),
    ("create", "POST", r"/api/repos/create"),
    ("settings", "PUT", _DATASET + r"/settings"),
    ("refs", "GET", _DATASET + r"/refs"),
    ("info", "GET", _DATASET + r"(?:/revision/(?P<rev>[^/]+))?"),
    ("tree", "GET", _DATASET + r"/tree/(?P<rev>[^/]+)(?:/(?P<path>.*))?"),
    ("paths", "POST", _DATASET + r"/paths-info/(?P<rev>[^/]+)"),
    ("commits", "GET", _DATASET + r"/commits/(?P<rev>[^/]+)"),
    ("preupload", "POST", _DATASET + r"/preupload/(?P<rev>[^/]+)"),
    ("commit", "POST", _DATASET + r"/commit/(?P<rev>[^/]+)"),
    ("branch", "POST", _DATASET + r"/branch/(?P<rev>[^/]+)"),
    ("unbranch", "DELETE", _DATASET + r"/branch/(?P<rev>[^/]+)"),
    ("tag", "POST", _DATASET + r"/tag/(?P<rev>[^/]+)"),
    ("batch", "POST", r"/datasets/(?P<repo>[^/]+/[^/]+)\.git/info/lfs/objects/batch"),
    ("put", "PUT", r"/lfs/(?P<oid>[0-9a-f]{64})"),
    ("verified", "POST", r"/lfs-verify"),
    ("resolve", "GET", r"/datasets/(?P<repo>[^/]+/[^/]+)/resolve/(?P<rev>[^/]+)/(?P<path>.+)"),
    ("resolve", "HEAD", r"/datasets/(?P<repo>[^/]+/[^/]+)/resolve/(?P<rev>[^/]+)/(?P<path>.+)"),
)
_WRITES = {"create", "settings", "preupload", "commit", "branch", "unbranch", "tag", "batch"}


@dataclass
class Fault:
    """A fault of the ``nth`` request (from 1) to an endpoint; it happens once, or always."""

    endpoint: str
    kind: FaultKind
    nth: int = 1
    always: bool = False
    retry_after: str = "0"
    seen: int = 0


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(message)
        self.answer = JSONResponse(
            {"error": message}, status, {"X-Error-Code": code, "X-Error-Message": message} if code else {}
        )


@dataclass
class LoopbackHub:
    """The hub; an ASGI application."""

    store: HubStore
    url: str = ""
    faults: list[Fault] = field(default_factory=list)
    requests: list[tuple[str, str]] = field(default_factory=list)
    """The endpoint and the path of every request."""
    happened: list[Fault] = field(default_factory=list)
    """The faults that happened."""
    client: int = 0
    """The process that ``kill`` faults end."""

    def fault(self, endpoint: str, kind: FaultKind, nth: int = 1, **more: Any) -> Fault:
        """Plan a fault."""
        self.faults.append(Fault(endpoint, kind, nth, **more))
        return self.faults[-1]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        path, request = scope["raw_path"].decode().split("?")[0], Request(scope, receive)
        await request.body()
        name, parts = next(
            (
                (name, found.groupdict())
                for name, method, pattern in _ROUTES
                if method == scope["method"] and (found := re.fullmatch(pattern, path))
            ),
            ("nothing", {}),
        )
        self.requests.append((name, unquote(path)))
        parts = {key: unquote(value) for key, value in parts.items() if value is not None}
        answer = await self._with_faults(name, request, parts, send)
        if answer is not None:
            await answer(scope, receive, send)

    async def _with_faults(
        self, name: str, request: Request, parts: dict[str, str], send: Any
    ) -> Response | None:
        fault = self._next_fault(name)
        kind = fault.kind if fault else None

        async def drop() -> None:
            send.__self__.transport.abort()
            await asyncio.sleep(0.01)  # until the server has seen that the connection is gone

        if fault is not None and kind is not None:
            if kind == "kill before":
                os.kill(self.client, signal.SIGKILL)
            if kind in ("lost before", "kill before"):
                await drop()
                return None
            if kind == "429":
                return JSONResponse({"error": "slow down"}, 429, {"Retry-After": fault.retry_after})
            if kind == "500 before" or kind.isdigit():
                return Refused(int(kind[:3]), f"a fault; {request.headers.get('authorization')}").answer
            if kind == "moved":
                self.store.add_file(
                    parts["repo"], "main", "notes.txt", b"a note\n", "colleague", "Add a note"
                )
        if kind == "slow":
            await asyncio.sleep(0.5)
        answer = self._answer(name, request, parts)
        if kind == "twice":
            answer = self._answer(name, request, parts)
        if kind == "kill after":
            os.kill(self.client, signal.SIGKILL)
        if kind in ("lost after", "kill after"):
            await drop()
            return None
        if kind == "cut":  # half of what is announced
            body = bytes(answer.body)
            length = (b"content-length", str(len(body) + 1).encode())
            headers = [(k, v) for k, v in answer.raw_headers if k != b"content-length"]
            status = answer.status_code
            await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
            await send({"type": "http.response.body", "body": body[: len(body) // 2], "more_body": True})
            await drop()
            return None
        return _spoilt(answer, kind)

    def _next_fault(self, name: str) -> Fault | None:
        found = None
        for fault in self.faults:
            if fault.endpoint == name:
                fault.seen += 1
                if fault.seen == fault.nth or (fault.always and fault.seen > fault.nth):
                    found = fault
        if found is not None:
            self.happened.append(found)
        return found

    def _answer(self, name: str, request: Request, parts: dict[str, str]) -> Response:
        if name == "nothing":
            return Refused(404, "no such page").answer
        try:
            user = self._user(request)
            if name in _WRITES and user is None:
                raise Refused(401, "Invalid username or password.")
            if "repo" in parts:
                facts = self.store.repositories.get(parts["repo"])
                if facts is None or (facts["private"] and user is None):
                    raise Refused(404, "Repository not found", "RepoNotFound")
            handler: Callable[..., Response] = getattr(self, f"_{name}")
            return handler(request, user, **parts)
        except Refused as e:
            return e.answer

    def _user(self, request: Request) -> str | None:
        given = request.headers.get("authorization", "")
        if given and given != f"Bearer {DUMMY}":
            raise Refused(401, f"Invalid credentials: {given}")
        return "maintainer" if given else None

    def _commit_of(self, repo: str, rev: str) -> str:
        commit = self.store.resolve(repo, rev)
        if commit is None:
            raise Refused(404, f"Revision {rev} not found", "RevisionNotFound")
        return commit

    def _validate(self, request: Request, user: str | None) -> Response:
        return JSONResponse({"errors": [], "warnings": []})

    def _create(self, request: Request, user: str | None) -> Response:
        asked = json.loads(request._body)
        repo = f"{asked.get('organization') or user}/{asked['name']}"
        url = f"{self.url}/datasets/{repo}"
        if repo in self.store.repositories:
            return JSONResponse({"error": "exists", "url": url}, 409)
        private = asked.get("private") or asked.get("visibility") == "private"
        self.store.create(repo, private=bool(private))
        return JSONResponse({"url": url})

    def _settings(self, request: Request, user: str | None, repo: str) -> Response:
        asked = json.loads(request._body)
        facts = self.store.repositories[repo]
        if "gated" in asked:
            facts["gated"] = asked["gated"]
        if "visibility" in asked:
            facts["private"] = asked["visibility"] == "private"
        return JSONResponse({})

    def _refs(self, request: Request, user: str | None, repo: str) -> Response:
        def listed(kind: str) -> list[dict[str, str]]:
            refs = self.store.refs[repo, kind]
            return [
                {"name": n, "ref": f"refs/{kind}/{n}", "targetCommit": c} for n, c in sorted(refs.items())
            ]

        return JSONResponse({"branches": listed("heads"), "converts": [], "tags": listed("tags")})

    def _info(self, request: Request, user: str | None, repo: str, rev: str = "main") -> Response:
        commit = self._commit_of(repo, rev)
        siblings = [{"rfilename": path} for path in self.store.files(commit)]
        facts = self.store.repositories[repo]
        return JSONResponse(
            {
                "_id": "0" * 24,
                "id": repo,
                "sha": commit,
                "siblings": siblings,
                "tags": [],
                "downloads": 0,
                **facts,
            }
        )

    def _tree(self, request: Request, user: str | None, repo: str, rev: str, path: str = "") -> Response:
        commit = self._commit_of(repo, rev)
        recursive = request.query_params.get("recursive", "").lower() == "true"
        entries = self.store.entries(commit, path, recursive)
        if not entries and path:
            raise Refused(404, f"{path} not found", "EntryNotFound")
        return JSONResponse(entries)

    def _paths(self, request: Request, user: str | None, repo: str, rev: str) -> Response:
        commit = self._commit_of(repo, rev)
        asked = parse_qs(request._body.decode()).get("paths", [])
        everything = {e["path"]: e for e in self.store.entries(commit, "", True)}
        return JSONResponse([everything[path] for path in asked if path in everything])

    def _commits(self, request: Request, user: str | None, repo: str, rev: str) -> Response:
        return JSONResponse(self.store.history(self._commit_of(repo, rev)))

    def _preupload(self, request: Request, user: str | None, repo: str, rev: str) -> Response:
        present = self.store.files(self._commit_of(repo, rev))
        files = []
        for asked in json.loads(request._body)["files"]:
            lfs = asked["path"].endswith((".parquet", ".png")) or asked["size"] > 1_000_000
            there = present.get(asked["path"])
            oid = None if there is None else there["sha256"] if there["lfs"] else there["oid"]
            mode = "lfs" if lfs else "regular"
            files.append({"path": asked["path"], "uploadMode": mode, "shouldIgnore": False, "oid": oid})
        return JSONResponse({"files": files})

    def _batch(self, request: Request, user: str | None, repo: str) -> Response:
        objects = []
        for asked in json.loads(request._body)["objects"]:
            entry: dict[str, Any] = {"oid": asked["oid"], "size": asked["size"]}
            if not self.store.has(asked["oid"]):
                entry["actions"] = {
                    "upload": {"href": f"{self.url}/lfs/{asked['oid']}"},
                    "verify": {"href": f"{self.url}/lfs-verify"},
                }
            objects.append(entry)
        return JSONResponse({"transfer": "basic", "objects": objects})

    def _put(self, request: Request, user: str | None, oid: str) -> Response:
        if hashlib.sha256(request._body).hexdigest() != oid:
            raise Refused(400, "the content has another hash")
        self.store.keep(request._body)
        return PlainTextResponse("")

    def _verified(self, request: Request, user: str | None) -> Response:
        asked = json.loads(request._body)
        return JSONResponse({}) if self.store.has(asked["oid"]) else Refused(404, "not uploaded").answer

    def _commit(self, request: Request, user: str | None, repo: str, rev: str) -> Response:
        head = self.store.refs[repo, "heads"].get(rev)
        if head is None:
            raise Refused(404, f"Invalid rev id: {rev}", "RevisionNotFound")
        header: dict[str, str] = {}
        files = dict(self.store.files(head))
        for line in request._body.splitlines():
            item = json.loads(line)
            key, value = item["key"], item["value"]
            if key == "header":
                header = value
            elif key == "file":
                files[value["path"]] = self.store.keep(base64.b64decode(value["content"]))
            elif key == "lfsFile":
                if not self.store.has(value["oid"]):
                    raise Refused(400, f"{value['path']} was not uploaded")
                files[value["path"]] = self.store.pointer(value["oid"])
            elif key == "deletedFile" and files.pop(value["path"], None) is None:
                raise Refused(404, "A file with this name doesn't exist", "EntryNotFound")
        if header.get("parentCommit") not in (None, head):
            raise Refused(412, "A commit has happened since. Please refresh and try again.")
        commit = self.store.commit(repo, rev, files, header["summary"], header["description"], str(user))
        return JSONResponse({"commitUrl": f"{self.url}/datasets/{repo}/commit/{commit}", "commitOid": commit})

    def _branch(self, request: Request, user: str | None, repo: str, rev: str) -> Response:
        if rev in self.store.refs[repo, "heads"]:
            raise Refused(409, "Reference already exists")
        base = json.loads(request._body or b"{}").get("startingPoint", "main")
        self.store.refs[repo, "heads"][rev] = self._commit_of(repo, base)
        return JSONResponse({})

    def _unbranch(self, request: Request, user: str | None, repo: str, rev: str) -> Response:
        if self.store.refs[repo, "heads"].pop(rev, None) is None:
            raise Refused(404, "Reference not found", "RevisionNotFound")
        return JSONResponse({})

    def _tag(self, request: Request, user: str | None, repo: str, rev: str) -> Response:
        name = json.loads(request._body)["tag"]
        if name in self.store.refs[repo, "tags"]:
            raise Refused(409, f"Tag reference exists already: {name}")
        self.store.refs[repo, "tags"][name] = self._commit_of(repo, rev)
        return JSONResponse({})

    def _resolve(self, request: Request, user: str | None, repo: str, rev: str, path: str) -> Response:
        commit = self._commit_of(repo, rev)
        file = self.store.files(commit).get(path)
        if file is None:
            raise Refused(404, "Entry not found", "EntryNotFound")
        raw = self.store.content(file["sha256"])
        etag = file["sha256"] if file["lfs"] else file["oid"]
        headers = {"X-Repo-Commit": commit, "ETag": f'"{etag}"', "Accept-Ranges": "bytes"}
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers.get("range", ""))
        if asked:
            first, last = int(asked[1]), int(asked[2] or len(raw) - 1)
            headers["Content-Range"] = f"bytes {first}-{last}/{len(raw)}"
            return Response(raw[first : last + 1], 206, headers)
        return Response(raw, 200, headers)


def _spoilt(answer: Response, kind: FaultKind | None) -> Response | None:
    if kind == "500 after":
        return Refused(500, "a fault after the work").answer
    if kind == "garbage":
        return PlainTextResponse("<html>maintenance</html>", 200, {"Content-Type": "text/html"})
    body = bytes(answer.body)
    if kind == "altered" and body:
        return Response(bytes([body[0] ^ 1]) + body[1:], answer.status_code, _without_length(answer))
    return answer


def _without_length(answer: Response) -> dict[str, str]:
    return {k: v for k, v in answer.headers.items() if k != "content-length"}


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[LoopbackHub]:
    """Serve a hub that keeps its content in ``folder``, on a free port of this machine."""
    hub = LoopbackHub(HubStore(folder))
    # asyncio sends small answers at once only on sockets that are TCP by name
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    hub.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    config = uvicorn.Config(
        hub, http="h11", ws="none", lifespan="off", log_config=None, access_log=False, proxy_headers=False,
        timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        thread.join(0.01)
    try:
        yield hub
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()
