"""Projects and tasks on a real Label Studio: made once, whatever happens between it and us."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from nextset.errors import ServerError
from nextset.validation.annotator_pages.briefing import briefing
from nextset.validation.annotator_pages.labelling_config import labelling_config
from nextset.validation.forms.validated_form import VALIDATED_FORMS
from nextset.validation.label_studio.http_retries import Patience
from nextset.validation.label_studio.projects import Counts
from nextset.validation.label_studio.task_upload import Pushed
from tests.validation.faulty_proxy import Asked, Fault, proxied
from tests.validation.studio import CONFIG, Studio, tasks


def test_a_configuration_is_checked_before_anything_is_made(tmp_path: Path, studio: Studio) -> None:
    client = studio.client()
    for kind in ("nli", "question"):
        told = briefing(VALIDATED_FORMS[kind], "en", None, tmp_path.joinpath)
        client.check_config(labelling_config(told, premise=True, votes=True))
    client.check_config(CONFIG)
    for wrong in ("<View>", CONFIG.replace('toName="text"', 'toName="none"'), "", "<View/>\0"):
        with pytest.raises(ServerError, match="configuration"):
            client.check_config(wrong)


def test_a_project_is_made_once_and_as_it_should_be(studio: Studio) -> None:
    client = studio.client()
    assert client.project("nextset:once") is None
    once = client.make_project("nextset:once", "Annotation", CONFIG, "<p>Read this & that.</p>")
    assert client.make_project("nextset:once", "Annotation", CONFIG, "") == once
    assert client.project("nextset:once") == client.projects()[once.number] == once
    assert once.as_set
    assert client.project("nextset:onc") is None
    other = client.make_project("nextset:other", "Annotation", CONFIG, "")
    assert other.number != once.number, "titles may be the same"
    number = once.number
    made = client.get(f"/api/projects/{number}/")
    assert made["sampling"] == "Sequential sampling"
    assert made["skip_queue"] == "IGNORE_SKIPPED"
    assert not made["show_instruction"]
    assert made["maximum_annotations"] == 1
    assert not made["show_collab_predictions"]
    assert client.link(number).startswith(f"{studio.url}/user/login/?next=%2Fprojects%2F{number}%2F")


@pytest.mark.parametrize("fault", ["504 after", "cut after", "half"])
def test_a_project_made_without_an_answer_is_found(studio: Studio, fault: Fault) -> None:
    marker = f"nextset:{fault.replace(' ', '-')}"
    with proxied(studio.url) as proxy:
        client = studio.client(proxy.address)
        proxy.only("POST", "/api/projects/", fault)
        number = client.make_project(marker, "Annotation", CONFIG, "")
        assert client.make_project(marker, "Annotation", CONFIG, "") == number
        posted = [a for a in proxy.asked if a.method == "POST"]
    assert len(posted) == 1


def test_tasks_are_pushed_once_and_in_order(studio: Studio) -> None:
    client, number = studio.client(), studio.project("pushed")
    told: list[tuple[int, int]] = []
    assert client.push(number, tasks(620), lambda done, of: told.append((done, of))) == Pushed(620, 0, ())
    assert told[-1] == (620, 620)
    assert told == sorted(told)
    assert client.push(number, tasks(620)) == Pushed(0, 620, ())
    assert client.push(number, tasks(10, first=615)) == Pushed(5, 5, ())
    assert client.push(number, []) == Pushed(0, 0, ())
    numbers = studio.task_numbers(number)
    assert list(numbers) == [t["data"]["unit_id"] for t in tasks(625)]
    assert client.counts([number, 10**6]) == {number: Counts(625, 0, 0, 0)}
    with pytest.raises(ValueError, match="unit_id"):
        client.push(number, [*tasks(1), *tasks(1)])


@pytest.mark.parametrize("fault", ["504 after", "503 before", "cut before", "cut after", "half"])
def test_a_push_without_an_answer_doubles_nothing(studio: Studio, fault: Fault) -> None:
    number = studio.project(f"push-{fault.replace(' ', '-')}")
    with proxied(studio.url) as proxy:
        proxy.only("POST", "/import", fault, times=2)
        assert studio.client(proxy.address).push(number, tasks(1_200)) == Pushed(1_200, 0, ())
    assert len(studio.task_numbers(number)) == 1_200


def test_reads_that_fail_are_tried_again(studio: Studio) -> None:
    number = studio.project("reads", 30)
    faults: list[Fault] = ["503 before", "cut before", "504 after", "half", "cut after"]
    with proxied(studio.url) as proxy:
        left = iter(faults)
        proxy.fault = lambda asked: next(left, "")
        assert studio.client(proxy.address).push(number, tasks(40)) == Pushed(10, 30, ())
    assert len(studio.task_numbers(number)) == 40


def test_a_server_that_is_killed_during_a_push(studio: Studio) -> None:
    number = studio.project("killed")
    with proxied(studio.url) as proxy:
        killed = threading.Event()

        def kill(asked: Asked) -> Fault:
            imports = sum(a.method == "POST" and "/import" in a.path for a in proxy.asked)
            if imports == 2 and not killed.is_set():
                studio.kill()
                killed.set()
            return ""

        proxy.fault = kill
        client = studio.client(proxy.address, Patience(reads=1.0, settle=0.1, pause=0.05))
        with pytest.raises(ServerError, match="does not answer") as e:
            client.push(number, tasks(1_500))
        assert "nothing is duplicated" in e.value.remedy
    studio.restart()
    there = len(studio.task_numbers(number))
    assert there == 500
    assert studio.client().push(number, tasks(1_500)) == Pushed(1_000, 500, ())
    assert list(studio.task_numbers(number)) == [t["data"]["unit_id"] for t in tasks(1_500)]


def test_two_pushes_at_once_double_nothing(studio: Studio) -> None:
    number = studio.project("at-once")
    clients = [studio.client() for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda client: client.push(number, tasks(700)), clients))
    assert sorted(p.new for p in done) == [0, 700]
    assert len(studio.task_numbers(number)) == 700


def test_what_is_doubled_on_the_server_is_said_and_left(studio: Studio) -> None:
    client, number = studio.client(), studio.project("doubled", 5)
    client.post(f"/api/projects/{number}/import", tasks(1, first=3))
    assert client.push(number, tasks(5)) == Pushed(0, 5, (tasks(1, first=3)[0]["data"]["unit_id"],))
    assert client.counts([number])[number].tasks == 6


def test_a_project_that_takes_no_tasks(studio: Studio) -> None:
    client, number = studio.client(), studio.project("refuses")
    with pytest.raises(ServerError, match="refuses the request with 400"):
        client.push(number, [{"data": {"unit_id": "x"}}])
    with pytest.raises(ServerError, match="404"):
        client.push(10**6, tasks(1))
