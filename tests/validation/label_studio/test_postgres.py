"""The same on PostgreSQL, where it is installed: what depends on the database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from nextset.errors import ServerError
from nextset.validation.label_studio.http_retries import Patience
from nextset.validation.label_studio.task_upload import Pushed
from tests.validation.faulty_proxy import Asked, Fault, proxied
from tests.validation.postgres import postgres
from tests.validation.session.faulty_sessions import PROXY_FAULTS, Tally, faulty_session
from tests.validation.studio import Studio, choice, latest, running, tasks, units


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with postgres() as told, pytest.MonkeyPatch.context() as patch:
        for name, value in told.items():
            patch.setenv(name, value)
        data = tmp_path_factory.mktemp("label-studio-postgres")
        with running(data) as studio:
            assert not list(Path(data).glob("*.sqlite3")), "it works with another database"
            yield studio


def test_pushes_and_faults(studio: Studio) -> None:
    number = studio.project("pushed")
    with proxied(studio.url) as proxy:
        proxy.only("POST", "/import", "504 after")
        assert studio.client(proxy.address).push(number, tasks(900)) == Pushed(900, 0, ())
        proxy.only("POST", "/import", "cut before")
        assert studio.client(proxy.address).push(number, tasks(950)) == Pushed(50, 900, ())
    assert list(studio.task_numbers(number)) == [t["data"]["unit_id"] for t in tasks(950)]


def test_answers_all_and_since(studio: Studio) -> None:
    annotator, client = studio.annotator("answers@example.org"), studio.client()
    number = studio.project("answers", 600)
    task = list(studio.task_numbers(number).values())
    made = [annotator.answer(task[i], choice("valid")) for i in (0, 499, 500)]
    annotator.answer(task[599], skip=True)
    with proxied(studio.url) as proxy:
        proxy.fault = lambda asked: "last page" if asked.number % 2 else ""
        found = list(studio.client(proxy.address).answers(number))
    assert units(found) == [0, 499, 500, 599]
    mark = latest(found) + timedelta(microseconds=1)
    annotator.edit(made[1], choice("invalid"))
    changed = [f for f in client.answers(number, since=mark) if f.unit_id != found[-1].unit_id]
    assert units(changed) == [499]
    assert changed[0].annotation["result"] == [choice("invalid")]
    counted = client.counts([number])[number]
    assert (counted.tasks, counted.answered, counted.skipped) == (600, 3, 1)


def test_a_server_that_is_killed_during_a_push(studio: Studio) -> None:
    number = studio.project("killed")
    with proxied(studio.url) as proxy:

        def kill(asked: Asked) -> Fault:
            if sum(a.method == "POST" for a in proxy.asked) == 2 and studio.serving.process.poll() is None:
                studio.kill()
            return ""

        proxy.fault = kill
        client = studio.client(proxy.address, Patience(reads=1.0, settle=0.1, pause=0.05))
        with pytest.raises(ServerError, match="does not answer"):
            client.push(number, tasks(1_500))
    studio.restart()
    assert studio.client().push(number, tasks(1_500)) == Pushed(1_000, 500, ())
    assert list(studio.task_numbers(number)) == [t["data"]["unit_id"] for t in tasks(1_500)]


def test_a_session_with_faults(studio: Studio, tmp_path: Path) -> None:
    people = [studio.annotator(f"session-{i}@example.org") for i in range(2)]
    tally = Tally()
    faulty_session(studio, people, tmp_path / "study", 5, [*PROXY_FAULTS, "two pulls at once"], tally)
    assert tally.good, tally
    assert tally.answers > 5
