"""A real Label Studio for tests, which can be killed and comes back with its work; and its annotators."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
from filelock import FileLock

from nextset.validation import label_studio
from nextset.validation.label_studio.accounts import make_account
from nextset.validation.label_studio.address_and_token import Connection
from nextset.validation.label_studio.annotation_download import Found
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.label_studio.gateway_record import GatewayRecord, note_gateway, remove_gateway
from nextset.validation.label_studio.http_retries import Patience
from nextset.validation.label_studio.installation import label_studio_python
from nextset.validation.label_studio.local_server import Serving, serving
from tests.validation.socket_forwarder import forwarding

__all__ = [
    "CONFIG", "QUICK", "Annotator", "Studio", "choice", "first_start", "latest", "running", "running_again",
    "tasks", "units",
]  # fmt: skip

QUICK = Patience(reads=20.0, settle=0.3, pause=0.05)
"""As patient as tests with faults in them."""

CONFIG = """<View><Text name="text" value="$text"/><Choices name="verdict" toName="text" required="true">
<Choice value="valid" hotkey="1"/><Choice value="invalid" hotkey="2"/></Choices></View>"""


def tasks(n: int, first: int = 0) -> list[dict[str, Any]]:
    """``n`` tasks for `CONFIG`."""
    return [{"data": {"unit_id": f"{i:032x}", "text": f"Sentence {i}."}} for i in range(first, first + n)]


def choice(value: str, name: str = "verdict", to: str = "text") -> dict[str, Any]:
    """One choice, as the page submits it."""
    return {"from_name": name, "to_name": to, "type": "choices", "value": {"choices": [value]}}


@dataclass(frozen=True)
class Annotator:
    """Somebody with an account, who works through the API."""

    email: str
    password: str
    number: int
    connection: Connection
    http: httpx2.Client = field(repr=False)

    def answer(self, task: int, *result: dict[str, Any], skip: bool = False) -> int:
        """Submit, or skip, a task; the annotation's number."""
        body = {"result": list(result), "was_cancelled": skip, "lead_time": 4.5}
        return int(self._sent("POST", f"/api/tasks/{task}/annotations/", body)["id"])

    def edit(self, annotation: int, *result: dict[str, Any]) -> None:
        """Answer otherwise."""
        self._sent("PATCH", f"/api/annotations/{annotation}/", {"result": list(result)})

    def delete(self, annotation: int) -> None:
        """Take an answer away."""
        self._sent("DELETE", f"/api/annotations/{annotation}/", None)

    def change(self, path: str, **fields: Any) -> None:
        """Change a task or a project, as anybody with an account can."""
        self._sent("PATCH", path, fields)

    def delete_task(self, task: int) -> None:
        """Delete a task with its answers."""
        self._sent("DELETE", f"/api/tasks/{task}/", None)

    def next(self, project: int) -> int | None:
        """The task that the server shows next."""
        said = self.http.get(f"/api/projects/{project}/next/")
        return int(said.raise_for_status().json()["id"]) if said.status_code != 404 else None

    def _sent(self, method: str, path: str, body: Any) -> Any:
        said = self.http.request(method, path, json=body).raise_for_status()
        return said.json() if said.content else None


class Studio:
    """A Label Studio, and what tests do with it."""

    def __init__(self, data: Path, stack: ExitStack) -> None:
        self.data = data
        self._clients = ExitStack()
        self._served = ExitStack()
        self.serving: Serving = self._served.enter_context(serving(data))
        stack.callback(self._served.close)
        self._forwarder = stack.enter_context(forwarding(self.serving.socket))
        stack.callback(self._clients.close)
        note_gateway(data, GatewayRecord(url=self.url, pid=os.getpid()))
        stack.callback(remove_gateway, data)

    @property
    def url(self) -> str:
        """Its address; the same after `restart`."""
        return self._forwarder.url

    @property
    def connection(self) -> Connection:
        """The owner's."""
        return Connection(self.url, self.serving.owner.token)

    def client(self, url: str = "", patience: Patience = QUICK) -> LabelStudio:
        """The owner's client; at ``url``, a proxy, when that is given."""
        connection = Connection(url or self.url, self.connection.token)
        return self._clients.enter_context(LabelStudio(connection, patience))

    def annotator(self, email: str) -> Annotator:
        """A new account, logged in."""
        made = make_account(self.client(), email)
        assert made is not None, "there is one already"
        http = self._clients.enter_context(httpx2.Client(base_url=self.url, timeout=60.0, trust_env=False))
        http.headers["Referer"] = f"{self.url}/"
        page = urlsplit(made.link)
        http.get(f"{page.path}?{page.query}").raise_for_status()
        form = {"email": made.email, "password": made.password, "persist_session": "on"}
        form["csrfmiddlewaretoken"] = http.cookies["csrftoken"]
        assert http.post(f"{page.path}?{page.query}", data=form).status_code == 302, "cannot log in"
        token = http.get("/api/current-user/token").raise_for_status().json()["token"]
        number = int(http.get("/api/current-user/whoami").raise_for_status().json()["id"])
        http.headers["Authorization"] = f"Token {token}"
        http.headers["X-CSRFToken"] = http.cookies["csrftoken"]
        return Annotator(made.email, made.password, number, Connection(self.url, token), http)

    def personal_token(self, annotator: Annotator) -> str:
        """A token of the newer kind."""
        return str(annotator.http.post("/api/token/").raise_for_status().json()["token"])

    def project(self, name: str, n_tasks: int = 0) -> int:
        """A project of ``n_tasks`` tasks for `CONFIG`."""
        client = self.client()
        number = client.make_project(f"nextset:{name}", f"Project {name}", CONFIG, "<p>Read.</p>").number
        if n_tasks:
            client.push(number, tasks(n_tasks))
        return number

    def task_numbers(self, project: int) -> dict[str, int]:
        """The task of each unit; fails where one is there twice."""
        params: dict[str, str | int] = {"project": project, "page_size": 10_000, "include": "id,data"}
        found = self.client().get("/api/tasks/", params)["tasks"]
        numbers = {task["data"]["unit_id"]: int(task["id"]) for task in found}
        assert len(numbers) == len(found), "a unit is there twice"
        return numbers

    def kill(self) -> None:
        """End it as a power cut would."""
        os.killpg(self.serving.process.pid, signal.SIGKILL)
        self.serving.process.wait(120)

    def restart(self) -> None:
        """Start it again on the same work, at the same address."""
        self._served.close()
        self.serving = self._served.enter_context(serving(self.data))
        self._forwarder.to = self.serving.socket


def units(found: list[Found]) -> list[int]:
    """Which of `tasks` these are of."""
    return [int(f.unit_id, 16) for f in found]


def latest(found: list[Found]) -> datetime:
    """The server's clock when the last of these was changed."""
    return max(datetime.fromisoformat(f.annotation["updated_at"]) for f in found)


@contextmanager
def running(data: Path) -> Iterator[Studio]:
    """A Label Studio with its work in ``data``, ended at the end."""
    with ExitStack() as stack:
        yield Studio(data, stack)


@contextmanager
def running_again(data: Path) -> Iterator[Studio]:
    """A Label Studio that started before, and had no work yet, with a copy of its folder in ``data``."""
    shutil.copytree(first_start("sqlite", _start), data, dirs_exist_ok=True)
    with running(data) as studio:
        yield studio


def first_start(name: str, start: Callable[[Path], None]) -> Path:
    """The folder that ``start`` fills once, beside the installation: the migrations take half a minute.

    It is filled anew when anything in our package that starts Label Studio has changed.
    """
    sources = sorted(Path(label_studio.__file__).parent.glob("*.*"))
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in sources)).hexdigest()[:16]
    kept = label_studio_python().parents[2] / f"started-{name}-{digest}"
    with FileLock(f"{kept}.lock"):
        if not kept.exists():
            with tempfile.TemporaryDirectory(dir=kept.parent) as scratch:
                start(Path(scratch) / name)
                (Path(scratch) / name).rename(kept)
    return kept


def _start(data: Path) -> None:
    with serving(data):
        pass
