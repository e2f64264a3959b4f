"""A Label Studio of one's own: whose it is, who may read of it, and what happens when it dies."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from nextset.errors import ServerError
from nextset.validation.label_studio.accounts import make_account
from nextset.validation.label_studio.address_and_token import find_connection
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.label_studio.gateway_record import read_gateway
from nextset.validation.label_studio.gunicorn_script import PROCESSES
from nextset.validation.label_studio.installation import (
    GUNICORN,
    HOME_VARIABLE,
    VERSION,
    label_studio_command,
    label_studio_python,
)
from nextset.validation.label_studio.local_environment import server_environment
from nextset.validation.label_studio.local_owner import Owner, data_home, make_owner, read_owner
from nextset.validation.label_studio.local_server import Serving, serving
from tests.validation.studio import QUICK, Studio, choice


def test_only_its_owner_reads_its_data(studio: Studio) -> None:
    assert stat.S_IMODE(studio.data.stat().st_mode) == 0o700
    for name in ("owner.json", "server.log"):
        assert stat.S_IMODE((studio.data / name).stat().st_mode) == 0o600
    owner = read_owner(studio.data)
    assert owner is not None
    assert owner.token not in repr(owner) + repr(studio.serving) + repr(studio.connection)
    assert owner.password not in repr(owner) + repr(studio.serving)
    assert owner.token not in studio.serving.log.read_text(encoding="utf-8")


def test_it_is_found_while_it_runs(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NEXTSET_LABEL_STUDIO_URL", "NEXTSET_LABEL_STUDIO_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NEXTSET_LABEL_STUDIO_DATA", str(studio.data))
    assert find_connection() == studio.connection


def test_one_server_a_data_folder_and_it_may_die(studio: Studio) -> None:
    with pytest.raises(ServerError, match="another Label Studio uses"), serving(studio.data):
        pass
    studio.serving.wait(0.01)
    studio.kill()
    with pytest.raises(ServerError, match="stopped unexpectedly"):
        studio.serving.wait(120)
    studio.restart()
    studio.serving.wait(0.01)
    assert studio.client().accounts()[0].email == "owner@localhost"


class RunsAgain(Exception):
    """Ends the watch over a server."""


def test_a_server_that_is_killed_is_started_again_with_all_acknowledged_answers(studio: Studio) -> None:
    number = studio.project("started again", 3)
    person = studio.annotator("started-again@example.org")
    first, *others = studio.task_numbers(number).values()
    acknowledged = [person.answer(first, choice("valid"))]
    lines: list[str] = []

    def look() -> None:
        if any("runs again" in line for line in lines):
            raise RunsAgain

    before = studio.serving.socket
    studio.kill()
    with pytest.raises(RunsAgain):
        studio.serving.keep_running(lines.append, look)
    assert lines[0].startswith(
        "Label Studio stopped unexpectedly (-9). It is started again (restart 1 of at most 5"
    )
    assert studio.serving.socket == before
    acknowledged += [person.answer(task, choice("valid")) for task in others]  # the same login, at once
    assert sorted(found.annotation["id"] for found in studio.client().answers(number)) == sorted(acknowledged)


def test_a_server_that_ends_again_and_again_is_not_started_for_ever(tmp_path: Path) -> None:
    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", ""], start_new_session=True)

    log = tmp_path / "server.log"
    log.write_text("no memory left\n", encoding="utf-8")
    owner = Owner(email="owner@localhost", password="p", token="t")
    running = Serving(tmp_path / "socket" / "label-studio", owner, tmp_path, log, start(), start)
    lines: list[str] = []
    with pytest.raises(ServerError, match=r"(?s)stopped unexpectedly.*no memory left"):
        running.keep_running(lines.append)
    assert [line.partition("(restart ")[2][:1] for line in lines] == ["1", "2", "3", "4", "5"]


def test_only_its_user_reaches_its_socket(studio: Studio) -> None:
    path = studio.serving.socket
    assert stat.S_ISSOCK(path.stat().st_mode)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    with LabelStudio(studio.serving.connection, QUICK) as client:
        assert client.accounts()[0].email == "owner@localhost"
        assert make_account(client, "socket@example.org")
    studio.restart()
    assert not path.parent.exists()
    studio.client().accounts()


def test_a_socket_whose_path_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = tmp_path / ("x" * 100)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    with pytest.raises(ServerError, match="longer than this system allows") as e, serving(tmp_path / "data"):
        pass
    assert "TMPDIR" in e.value.remedy
    assert not list(long.iterdir())


_SERVE = """
import sys
from pathlib import Path
from nextset.validation.label_studio.local_server import serving
with serving(Path(sys.argv[1])) as running:
    print(running.process.pid, running.socket, flush=True)
    running.wait()
"""


def test_it_does_not_outlive_the_process_that_started_it(studio: Studio, tmp_path: Path) -> None:
    shutil.copytree(studio.data, tmp_path / "data", ignore=shutil.ignore_patterns("label_studio.sqlite3-*"))
    command = [sys.executable, "-c", _SERVE, str(tmp_path / "data")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid, path = parent.stdout.readline().split()
        assert Path(path).exists()
        parent.kill()
    # Its data are free as soon as its last process has ended: before that nobody gets a server on them.
    with serving(tmp_path / "data") as running:
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)
        assert not Path(path).exists()
        running.wait(0.01)


def test_a_process_that_is_killed_comes_back(studio: Studio) -> None:
    group = studio.serving.process.pid
    workers = _children(group)
    assert len(workers) == PROCESSES
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
    studio.client().accounts()  # a read is tried again until somebody answers
    deadline = threading.Event()
    for _ in range(1200):
        if len(_children(group) - workers) == PROCESSES:
            break
        deadline.wait(0.1)
    assert len(_children(group) - workers) == PROCESSES
    studio.serving.wait(0.01)


def _children(pid: int) -> set[int]:
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return {int(line) for line in found.stdout.split()}


def test_many_write_at_once_and_it_is_killed(studio: Studio) -> None:
    number = studio.project("at once", 120)
    task = list(studio.task_numbers(number).values())
    people = [studio.annotator(f"at-once-{i}@example.org") for i in range(6)]

    def work(i: int) -> list[int]:
        return [people[i].answer(n, choice("valid")) for n in task[i::6]]

    with ThreadPoolExecutor(6) as pool:
        acknowledged = [n for numbers in pool.map(work, range(6)) for n in numbers]
    studio.kill()
    studio.restart()
    found = [found.annotation["id"] for found in studio.client().answers(number)]
    assert sorted(found) == sorted(acknowledged)
    assert "locked" not in (studio.data / "server.log.old").read_text(encoding="utf-8")


def test_the_log_has_no_invitation(studio: Studio) -> None:
    studio.annotator("logged@example.org")
    invited = studio.client().get("/api/invite")["invite_url"]
    assert len(invited.partition("token=")[2]) > 5
    assert invited.partition("token=")[2] not in studio.serving.log.read_text(encoding="utf-8")


def test_what_a_server_that_cannot_start_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_DB", "no such database")
    with pytest.raises(ServerError, match="stopped unexpectedly") as e, serving(tmp_path):
        pass
    assert "no such database" in e.value.message
    assert read_gateway(tmp_path) is None


def test_it_is_told_nothing_of_our_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXTSET_PSEUDONYM_KEY", "k" * 20)
    monkeypatch.setenv("POSTGRE_HOST", "db.example.org")
    told = server_environment(tmp_path, make_owner(tmp_path))
    assert "NEXTSET_PSEUDONYM_KEY" not in told
    assert told["POSTGRE_HOST"] == "db.example.org"
    assert told["https_proxy"] == told["HTTP_PROXY"] == "http://127.0.0.1:9"


def test_its_doors_are_closed(studio: Studio) -> None:
    with httpx2.Client(base_url=studio.url, trust_env=False, timeout=60.0) as http:
        answer = http.get("/user/login/", headers={"Origin": "https://elsewhere.example"})
        assert answer.status_code == 200
        assert "Access-Control-Allow-Origin" not in answer.headers
        assert answer.headers["X-Frame-Options"] == "DENY"
        policy = answer.headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in policy
        assert "http" not in policy, "no other site is named"
        assert http.get("/user/login/", headers={"Host": "elsewhere.example"}).status_code == 400
        # Nobody can connect it to another machine, or to files of this one: not even its owner.
        http.headers["Authorization"] = f"Token {studio.connection.token}"
        project = studio.project("doors")
        redis = {"project": project, "host": "127.0.0.1", "port": "22", "path": "x"}
        assert http.post("/api/storages/redis/validate", json=redis).status_code == 403
        assert http.get("/api/storages/types").status_code == 403


@pytest.mark.slow
def test_the_environment_is_made_again_when_it_was_half_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
    (tmp_path / VERSION).mkdir()
    (tmp_path / VERSION / "left over").touch()
    said: list[str] = []
    with pytest.raises(ServerError, match="could not be installed") as e:
        label_studio_command(said.append)
    assert "No matching distribution" in e.value.message
    assert "package index" in e.value.remedy
    assert not (tmp_path / VERSION / "left over").exists()
    assert len(said) == 1
    (tmp_path / VERSION / "installed").write_text(f"label-studio=={VERSION}\ngunicorn=={GUNICORN}\n")
    assert label_studio_command(said.append) == tmp_path / VERSION / "bin" / "label-studio"
    assert len(said) == 1


@pytest.mark.slow
def test_an_environment_from_before_gets_what_it_lacks_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_FIND_LINKS", str(_wheel(tmp_path, "gunicorn", GUNICORN)))
    folder = tmp_path / VERSION
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    (folder / "there").touch()
    (folder / "installed").write_text(f"{VERSION}\n", encoding="utf-8")
    python = label_studio_python()
    subprocess.run([python, "-c", "import gunicorn"], check=True)
    assert (folder / "there").exists()
    # The second time nothing is looked for.
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nothing"))
    assert label_studio_python() == python


def _wheel(folder: Path, name: str, version: str) -> Path:
    """A folder with a package that has nothing in it."""
    about = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as file:
        file.writestr(f"{name}/__init__.py", "")
        file.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel = "Wheel-Version: 1.0\nGenerator: made\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        file.writestr(f"{about}/WHEEL", wheel)
        file.writestr(f"{about}/RECORD", "")
    return folder


def test_a_damaged_note_of_the_owner(tmp_path: Path) -> None:
    make_owner(tmp_path)
    (tmp_path / "owner.json").write_text("{", encoding="utf-8")
    with pytest.raises(ServerError, match=r"owner\.json"):
        make_owner(tmp_path)


def test_where_work_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_home() == tmp_path / "nextset" / "label-studio"
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_home() == tmp_path / ".local" / "share" / "nextset" / "label-studio"
