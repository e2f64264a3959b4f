"""A Label Studio of one's own: whose it is, who may read of it, and what happens when it dies."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import httpx2
import pytest

from nextset.errors import ServerError
from nextset.validation.label_studio.address_and_token import find_connection
from nextset.validation.label_studio.installation import HOME_VARIABLE, VERSION, label_studio_command
from nextset.validation.label_studio.local_environment import server_environment
from nextset.validation.label_studio.local_owner import data_home, make_owner, read_owner
from nextset.validation.label_studio.local_server import serving
from tests.validation.studio import Studio


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
    assert find_connection(studio.data) == studio.connection


def test_one_server_a_data_folder_and_it_may_die(studio: Studio) -> None:
    with pytest.raises(ServerError, match="another Label Studio uses"), serving(studio.data, port=0):
        pass
    studio.serving.wait(0.01)
    studio.kill()
    with pytest.raises(ServerError, match="stopped unexpectedly"):
        studio.serving.wait(10)
    studio.restart()
    studio.serving.wait(0.01)
    assert studio.client().accounts()[0].email == "owner@localhost"


def test_a_port_that_is_taken(studio: Studio, tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ServerError, match=f"127.0.0.1:{port}") as e, serving(tmp_path, port=port):
            pass
    assert "--port" in e.value.remedy
    with pytest.raises(ServerError, match="cannot listen"), serving(tmp_path, host="192.0.2.1", port=0):
        pass


def test_what_a_server_that_cannot_start_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_DB", "no such database")
    with pytest.raises(ServerError, match="stopped unexpectedly") as e, serving(tmp_path, port=0):
        pass
    assert "no such database" in e.value.message
    owner = read_owner(tmp_path)
    assert owner is not None
    assert not owner.url


def test_it_is_told_nothing_of_our_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXTSET_PSEUDONYM_KEY", "k" * 20)
    monkeypatch.setenv("POSTGRE_HOST", "db.example.org")
    told = server_environment(tmp_path, make_owner(tmp_path))
    assert "NEXTSET_PSEUDONYM_KEY" not in told
    assert told["POSTGRE_HOST"] == "db.example.org"
    assert told["https_proxy"] == told["HTTP_PROXY"] == "http://127.0.0.1:9"


def test_only_the_names_that_it_listens_on_are_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ALLOWED_HOSTS", raising=False)
    owner, here = make_owner(tmp_path), "127.0.0.1,localhost,[::1]"
    assert server_environment(tmp_path, owner)["ALLOWED_HOSTS"] == here
    assert server_environment(tmp_path, owner, "192.0.2.7")["ALLOWED_HOSTS"] == f"{here},192.0.2.7"
    assert server_environment(tmp_path, owner, "2001:db8::7")["ALLOWED_HOSTS"] == f"{here},[2001:db8::7]"
    name = socket.gethostname().lower()
    assert name in server_environment(tmp_path, owner, "0.0.0.0")["ALLOWED_HOSTS"].split(",")
    monkeypatch.setenv("ALLOWED_HOSTS", "labels.example.org, localhost")
    assert server_environment(tmp_path, owner)["ALLOWED_HOSTS"] == f"{here},labels.example.org"


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
    assert "label-studio" in e.value.message
    assert "package index" in e.value.remedy
    assert not (tmp_path / VERSION / "left over").exists()
    assert len(said) == 1
    (tmp_path / VERSION / "installed").touch()
    assert label_studio_command(said.append).parent.parent == tmp_path / VERSION
    assert len(said) == 1


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
