"""The gateway measures how long an item took; an annotator's own claim changes nothing."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import httpx2
import pytest

from nextset.validation.annotator_pages.labelling_config import labelling_config
from nextset.validation.gateway.measured_times import ANSWERS, DRAFTS, AnswerTimes
from tests.validation.annotator_pages.briefings import choice, told
from tests.validation.gateway.project_gateway import PROJECT, TASK, at_own_project
from tests.validation.gateway.small_server import SmallServer

ANA = {"Cookie": "sessionid=ana.1"}
ANSWER = f"/api/tasks/{TASK}/annotations"
DRAFT = f"/api/tasks/{TASK}/drafts"
NEXT = f"/api/dm/actions?id=next_task&project={PROJECT}"
BODY = {"result": [choice("verdict", "invalid")]}


class Clock:
    """Seconds that a test sets."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


async def stored(client: httpx2.AsyncClient, path: str = ANSWER, **body: Any) -> float | None:
    """The time that goes on to Label Studio."""
    answer = await client.post(path, json={**BODY, **body}, headers=ANA)
    assert answer.status_code == 200, answer.text
    seconds: float | None = json.loads(answer.json()["body"]).get("lead_time")
    return seconds


@pytest.mark.parametrize("claim", [100_000, -50, 0, 2**31 - 1, 1e-9, 4.5])
def test_the_time_is_from_the_item_to_the_answer_whatever_the_browser_says(
    tmp_path: Path, claim: float, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()

    async def test(client: httpx2.AsyncClient, small: SmallServer) -> None:
        small.tasks[PROJECT] = [TASK, TASK + 1]
        await client.get(f"/api/tasks/{TASK}", headers=ANA)
        await client.get(f"/api/tasks?project={PROJECT}&page=1&page_size=30", headers=ANA)
        clock.now += 7.5
        await client.get(f"/api/tasks/{TASK}", headers=ANA)  # a reload does not begin anew
        clock.now += 2.5
        assert await stored(client, lead_time=claim) == 10.0
        clock.now += 4.0
        # the next item was there before, but the person was busy with the last one
        assert await stored(client, f"/api/tasks/{TASK + 1}/annotations", lead_time=claim) == 4.0
        assert await stored(client, f"/api/tasks/{TASK + 1}/annotations", lead_time=claim) == 0.0

    with caplog.at_level(logging.WARNING):
        at_own_project(tmp_path, test, answers=AnswerTimes(clock))
    said = [line for line in caplog.messages if "the browser says" in line]
    far = abs(claim - 10) > 60 or abs(claim - 4) > 60
    assert len(said) == far, "once for each person"


@pytest.mark.parametrize("claim", ['"5"', "NaN", "1e999", "true", "[5]"])
def test_a_time_that_is_no_number_is_refused(tmp_path: Path, claim: str) -> None:
    async def test(client: httpx2.AsyncClient, small: SmallServer) -> None:
        body = json.dumps(BODY)[:-1] + f', "lead_time": {claim}}}'
        assert (await client.post(ANSWER, content=body, headers=ANA)).status_code == 403

    at_own_project(tmp_path, test)


def test_an_item_that_was_open_when_the_gateway_started_begins_with_it(tmp_path: Path) -> None:
    clock = Clock()
    times = AnswerTimes(clock)
    clock.now += 12.0

    async def test(client: httpx2.AsyncClient, small: SmallServer) -> None:
        assert await stored(client, lead_time=3600) == 12.0

    at_own_project(tmp_path, test, answers=times)


def test_an_item_has_few_answers_and_drafts_of_one_person(tmp_path: Path) -> None:
    async def test(client: httpx2.AsyncClient, small: SmallServer) -> None:
        for path, most in ((ANSWER, ANSWERS), (DRAFT, DRAFTS)):
            codes = [(await client.post(path, json=BODY, headers=ANA)).status_code for _ in range(most + 5)]
            assert codes == [200] * most + [400] * 5
            last = await client.post(path, json=BODY, headers=ANA)
            assert f"an item can have at most {most}" in last.json()["detail"]

    at_own_project(tmp_path, test)


def test_answers_at_the_same_time_are_as_few(tmp_path: Path) -> None:
    async def test(client: httpx2.AsyncClient, small: SmallServer) -> None:
        for path, most in ((ANSWER, ANSWERS), (DRAFT, DRAFTS)):
            at_once = [client.post(path, json=BODY, headers=ANA) for _ in range(most + 9)]
            codes = [answer.status_code for answer in await asyncio.gather(*at_once)]
            assert (codes.count(200), codes.count(400)) == (most, 9)

    at_own_project(tmp_path, test)


def test_what_the_page_cannot_send_does_not_reach_label_studio(tmp_path: Path) -> None:
    async def test(client: httpx2.AsyncClient, small: SmallServer) -> None:
        body: dict[str, Any]
        for body in ({"result": []}, {"result": [choice("verdict", "sure")]}, {}, {"was_cancelled": False}):
            for method, path in (("POST", ANSWER), ("PATCH", "/api/annotations/5")):
                small.asked.clear()
                answer = await client.request(method, path, json=body, headers=ANA)
                assert answer.status_code in (400, 403)
                assert not [line for line in small.asked if line.startswith(("POST", "PATCH"))]
        assert (await client.post(ANSWER, json=BODY, headers=ANA)).status_code == 200
        assert (await client.post(ANSWER, json={"was_cancelled": True}, headers=ANA)).status_code == 200
        long = {
            "from_name": "comment",
            "to_name": "x",
            "type": "textarea",
            "value": {"text": ["x" * 900_000]},
        }
        answer = await client.post(ANSWER, json={"result": [*BODY["result"], long]}, headers=ANA)
        assert answer.json()["detail"] == "a comment can have at most 10,000 characters"

    at_own_project(tmp_path, test, page=labelling_config(told()))
