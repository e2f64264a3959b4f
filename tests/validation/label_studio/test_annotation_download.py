"""Annotations of a real Label Studio: all of them, or those that changed, whatever order pages come in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from nextset.validation.label_studio.projects import Counts
from tests.validation.faulty_proxy import Asked, Fault, proxied
from tests.validation.studio import Annotator, Studio, choice, latest, units


@pytest.fixture(scope="module")
def annotator(studio: Studio) -> Annotator:
    return studio.annotator("answers@example.org")


def test_answers_all_and_since(studio: Studio, annotator: Annotator) -> None:
    number = studio.project("answers", 40)
    client, task = studio.client(), list(studio.task_numbers(number).values())
    assert list(client.answers(number)) == []
    made = [annotator.answer(t, choice("valid")) for t in task[:10]]
    skipped = annotator.answer(task[10], skip=True)
    found = list(client.answers(number))
    assert units(found) == list(range(11))
    assert [f.annotation["id"] for f in found] == [*made, skipped]
    first = found[0]
    assert (first.project, first.task) == (number, task[0])
    assert first.annotation["result"] == [choice("valid")]
    assert first.annotation["completed_by"] == annotator.number
    assert first.annotation["lead_time"] == 4.5
    assert [f.annotation["was_cancelled"] for f in found] == [False] * 10 + [True]
    assert client.counts([number]) == {number: Counts(40, 10, 1, 11)}

    mark = latest(found) + timedelta(microseconds=1)
    assert units(list(client.answers(number, since=latest(found)))) == [10]
    assert list(client.answers(number, since=mark + timedelta(seconds=1))) == []
    annotator.edit(made[3], choice("invalid"))
    annotator.answer(task[20], skip=True)
    annotator.answer(task[21], choice("valid"))
    annotator.answer(task[5], choice("invalid"))  # a second one
    assert client.counts([number]) == {number: Counts(40, 12, 2, 13)}
    changed = list(client.answers(number, since=mark))
    # The server notes the change of a task a moment after that of its annotation.
    assert [unit for unit in units(changed) if unit != 10] == [3, 5, 5, 20, 21]
    assert changed[0].annotation["result"] == [choice("invalid")]
    assert changed[0].annotation["id"] == made[3]

    annotator.delete(made[7])
    assert 7 not in units(list(client.answers(number)))


def test_what_is_skipped_does_not_come_back(studio: Studio, annotator: Annotator) -> None:
    number = studio.project("skipped", 3)
    task = list(studio.task_numbers(number).values())
    assert annotator.next(number) == task[0]
    annotator.answer(task[0], skip=True)
    assert annotator.next(number) == task[1]
    annotator.answer(task[1], choice("valid"))
    annotator.answer(task[2], choice("valid"))
    assert annotator.next(number) is None


def test_pages_that_come_twice_or_broken_lose_nothing(studio: Studio, annotator: Annotator) -> None:
    number = studio.project("pages", 1_300)
    task = list(studio.task_numbers(number).values())
    for i in (0, 499, 500, 999, 1_000, 1_299):
        annotator.answer(task[i], choice("valid"))
    with proxied(studio.url) as proxy:
        client = studio.client(proxy.address)
        faults: list[tuple[int, Fault]] = [(2, "last page"), (2, "half"), (3, "cut after"), (2, "504 after")]
        for every, fault in faults:
            proxy.fault = _every(every, fault)
            assert units(list(client.answers(number))) == [0, 499, 500, 999, 1_000, 1_299], fault


def test_answers_that_belong_to_another_question_are_not_taken(studio: Studio, annotator: Annotator) -> None:
    gate, work = studio.project("gate", 1), studio.project("work", 1)
    for number in (gate, work):
        (task,) = studio.task_numbers(number).values()
        annotator.answer(task, choice("valid"))
    with proxied(studio.url) as proxy:
        proxy.fault = _every(2, "last page")
        client = studio.client(proxy.address)
        for number in (gate, work, gate):
            assert [f.project for f in client.answers(number)] == [number]
            assert client.counts([number]) == {number: Counts(1, 1, 0, 1)}
            found = client.project("nextset:gate")
            assert found is not None
            assert found.number == gate
            assert annotator.number in {a.number for a in client.accounts()}
        assert client.counts([gate, work]) == {gate: Counts(1, 1, 0, 1), work: Counts(1, 1, 0, 1)}


def test_pages_that_come_later_than_others_lose_nothing(studio: Studio, annotator: Annotator) -> None:
    number = studio.project("later", 1_200)
    task = list(studio.task_numbers(number).values())
    client = studio.client()
    found = client.answers(number)
    annotator.answer(task[0], choice("valid"))
    annotator.answer(task[700], choice("valid"))
    assert next(found).task == task[0]
    client.push(number, [{"data": {"unit_id": f"{5_000:032x}", "text": "late"}}])
    annotator.answer(list(studio.task_numbers(number).values())[-1], choice("valid"))
    assert units(list(found)) == [700, 5_000], "what is added meanwhile shifts no page"


def test_a_server_killed_between_an_annotation_and_its_pull(studio: Studio, annotator: Annotator) -> None:
    number = studio.project("crash", 3)
    task = list(studio.task_numbers(number).values())
    before = datetime.now(UTC) - timedelta(seconds=2)
    annotator.answer(task[1], choice("valid"))
    studio.kill()
    studio.restart()
    client = studio.client()
    assert units(list(client.answers(number))) == [1]
    assert units(list(client.answers(number, since=before))) == [1]


def _every(n: int, fault: Fault) -> Callable[[Asked], Fault]:
    def chosen(asked: Asked) -> Fault:
        return fault if asked.number % n == n - 1 else ""

    return chosen
