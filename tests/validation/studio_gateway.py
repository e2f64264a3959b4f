"""The gateway before a real Label Studio: in this process, or in one of its own, which can be killed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx2

from nextset.validation.gateway.gateway_server import Listening, listening
from nextset.validation.label_studio.address_and_token import TOKEN_VARIABLE, URL_VARIABLE, Connection
from nextset.validation.label_studio.gateway_record import GatewayRecord, note_gateway, read_gateway
from nextset.validation.label_studio.local_owner import DATA_VARIABLE
from tests.validation.studio import Annotator, Studio

__all__ = ["GatewayProcess", "as_in_a_browser", "gateway", "gateway_process", "next_item", "wait"]

_START = 180.0
_ASK = 0.05


def wait(seconds: float = _ASK) -> None:
    """Wait a moment before something is asked again that nobody reports."""
    threading.Event().wait(seconds)


@contextmanager
def gateway(studio: Studio) -> Iterator[Listening]:
    """A gateway before ``studio``, as `nextset validate serve` runs it, ended at the end."""
    with listening(studio.serving.connection, port=0) as running:
        yield running
    note_gateway(studio.data, GatewayRecord(url=studio.url, pid=os.getpid()))


class GatewayProcess:
    """`nextset validate serve --studio` before the server at ``address``; it comes back on the same port."""

    def __init__(self, address: str, token: str, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._address, self._token, self._scratch, self._port = address, token, folder, 0
        self.process = self._started()

    @property
    def record(self) -> GatewayRecord:
        """What it notes about itself while it runs."""
        (file,) = self._scratch.glob("servers/*/gateway.json")
        record = read_gateway(file.parent)
        assert record is not None, "it does not run"
        return record

    @property
    def folder(self) -> Path:
        """Where it keeps what it knows of the server."""
        (folder,) = self._scratch.glob("servers/*")
        return folder

    @property
    def connection(self) -> Connection:
        """The owner's, through the gateway."""
        return Connection(f"http://127.0.0.1:{self._port}", self._token, folder=self.folder)

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait(120)

    def restart(self) -> None:
        """Start it again, at the same address."""
        self.kill()
        self.process = self._started()

    def _started(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "nextset", "validate", "serve", "--studio", self._address]
        environment = {
            **os.environ,
            DATA_VARIABLE: str(self._scratch / "label-studio"),
            TOKEN_VARIABLE: self._token,
        }
        environment.pop(URL_VARIABLE, None)
        log = self._scratch / "gateway.log"
        with log.open("ab") as out:
            process = subprocess.Popen(
                [*command, "--port", str(self._port)], env=environment, stdout=out, stderr=out
            )
        until = time.monotonic() + _START
        while True:
            noted = list(self._scratch.glob("servers/*/gateway.json"))
            record = read_gateway(noted[0].parent) if noted else None
            if record is not None and record.pid == process.pid:
                self._port = int(record.url.rpartition(":")[2])
                return process
            if process.poll() is not None or time.monotonic() > until:
                process.kill()
                said = log.read_text(encoding="utf-8")[-2000:]
                raise AssertionError(f"the gateway does not start:\n{said}")
            wait()


@contextmanager
def gateway_process(address: str, token: str, folder: Path) -> Iterator[GatewayProcess]:
    """A gateway in a process of its own, ended at the end; ``folder`` is for what it writes."""
    running = GatewayProcess(address, token, folder)
    try:
        yield running
    finally:
        running.process.terminate()  # with the pull that it runs
        running.process.wait(120)


@contextmanager
def as_in_a_browser(annotator: Annotator, url: str) -> Iterator[Annotator]:
    """The same person, logged in at the gateway at ``url`` as a browser is, without a token."""
    with httpx2.Client(base_url=url, timeout=60.0, trust_env=False) as http:
        http.get("/user/login/").raise_for_status()
        form = {"email": annotator.email, "password": annotator.password, "persist_session": "on"}
        form["csrfmiddlewaretoken"] = http.cookies["csrftoken"]
        assert http.post("/user/login/", data=form).status_code == 302, "cannot log in"
        http.headers["X-CSRFToken"] = http.cookies["csrftoken"]
        yield replace(annotator, http=http)


def next_item(annotator: Annotator, project: int) -> int | None:
    """The number of the item that the page shows next; None if there is none now."""
    said = annotator.http.post(f"/api/dm/actions?id=next_task&project={project}", json={})
    return int(said.raise_for_status().json()["id"]) if said.status_code != 404 else None
