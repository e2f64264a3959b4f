"""Answers before they are passed on: the time that an item took, as the gateway measures it, and limits."""

from __future__ import annotations

import json
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

from nextset.validation.gateway.allowed_requests import Matched
from nextset.validation.gateway.page_answers import NotTaken, check_answer, check_length
from nextset.validation.gateway.participations import Place
from nextset.validation.gateway.task_projects import TaskProjects

__all__ = ["ANSWERS", "DRAFTS", "AnswerTimes", "is_answer"]

_LOGGER = logging.getLogger(__name__)

ANSWERS = 3
"""The most answers of a person to one item; an answer can be changed without limit. The second and third are
for people who use two devices, or whose connection broke off."""
DRAFTS = 10
"""The most drafts of a person of one item; a draft can be saved again without limit."""
_FAR_OFF = 60.0
"""Seconds by which a browser's time differs from the measured one so much that the organiser is told."""
_MOST = 200_000
_ANSWER, _CHANGE = "/api/tasks/{task}/annotations", "/api/annotations/{annotation}"


class AnswerTimes:
    """Checks answers and drafts, and measures the time of an item; ``clock`` gives seconds.

    An item takes from when it was first sent to the person, or from the person's last answer if that was
    later, to the answer: so all items together never take longer than the person was there. What the browser
    says is only compared. The times are in memory: after a start of the gateway they begin with it.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start = clock()
        self._served: OrderedDict[int, float] = OrderedDict()
        self._answered: dict[int, float] = {}
        self._under_way: dict[int, float] = {}
        self._changed: OrderedDict[int, float] = OrderedDict()
        self._counts: Counter[tuple[str, int]] = Counter()
        self._told: set[str] = set()

    def served(self, matched: Matched, content: bytes) -> None:
        """Note which items Label Studio's answer ``content`` shows."""
        path = matched.rule.path
        if path not in ("/api/dm/actions", "/api/tasks", "/api/tasks/{task}"):
            return
        try:
            reply = json.loads(content)
        except ValueError:
            return
        rows = reply.get("tasks", [reply]) if isinstance(reply, dict) else []
        for row in rows if isinstance(rows, list) else []:
            if isinstance(row, dict) and isinstance(row.get("id"), int):
                _keep(self._served, row["id"], self._served.get(row["id"], self._clock()))

    async def prepared(
        self,
        matched: Matched,
        content: bytes | None,
        place: Place,
        project: int,
        person: int,
        of: TaskProjects,
    ) -> bytes | None:
        """Return the body of a request of account ``person``, with the measured time if it is an answer.

        Raises NotTaken if the page cannot have sent it, or if it is more than an item can have.
        """
        draft = "drafts" in matched.rule.path
        if content is None or not (matched.rule.body and (draft or is_answer(matched))):
            return content
        given: dict[str, Any] = json.loads(content)
        check_length(content, given)
        page = place.participation.pages.get(str(project), "")
        if page:
            check_answer(page, given, draft=draft, skippable=place.role == "work")
        task = matched.numbers.get("task")
        kind, most = ("drafts", DRAFTS) if draft else ("answers", ANSWERS)
        if task is not None and self._counts[kind, task] >= most:
            raise NotTaken(f"an item can have at most {most} {kind} of one person: change the last one")
        self._count(matched, 1)  # until `ended`: several at once must not all pass
        if draft:
            return content
        before, annotation = 0.0, matched.numbers.get("annotation")
        if annotation is not None:
            stored = await of.annotation(annotation)
            task, before = (stored.task, stored.seconds) if stored else (None, 0.0)
            before = self._changed.get(annotation, before)
        since, now = self._since(person, task), self._clock()
        self._under_way[person] = now  # several answers at once are not paid for the same time
        if since is None and "lead_time" not in given:
            return content
        measured = round(before + now - (self._start if since is None else since), 3)
        self._compare(given.get("lead_time"), measured, place)
        return json.dumps({**given, "lead_time": measured}).encode()

    def taken(self, matched: Matched, content: bytes | None, person: int) -> None:
        """Note that Label Studio stored an answer or a draft."""
        self._count(matched, 1)
        if is_answer(matched):
            self._answered[person] = self._clock()
            annotation, seconds = (
                matched.numbers.get("annotation"),
                json.loads(content or b"{}").get("lead_time"),
            )
            if annotation is not None and seconds is not None:
                _keep(self._changed, annotation, seconds)

    def ended(self, matched: Matched, person: int) -> None:
        """Note that a request of account ``person`` has its reply, or will have none."""
        self._under_way.pop(person, None)
        self._count(matched, -1)

    def _count(self, matched: Matched, more: int) -> None:
        if matched.rule.body and matched.rule.method == "POST" and (task := matched.numbers.get("task")):
            self._counts["drafts" if "drafts" in matched.rule.path else "answers", task] += more

    def _since(self, person: int, task: int | None) -> float | None:
        served = self._served.get(task) if task is not None else None
        times = (self._answered.get(person), self._under_way.get(person), served)
        return max((at for at in times if at is not None), default=None)

    def _compare(self, claimed: object, measured: float, place: Place) -> None:
        who = place.participation.participant.person
        if isinstance(claimed, int | float) and abs(claimed - measured) > _FAR_OFF and who not in self._told:
            self._told.add(who)
            _LOGGER.warning(
                "%s: the browser says that an item took %.0f seconds; the gateway measured %.0f, which count "
                "(said once for each person)", who, claimed, measured,
            )  # fmt: skip


def is_answer(matched: Matched) -> bool:
    """Return whether the request adds or changes an answer to an item."""
    return matched.rule.method in ("POST", "PATCH") and matched.rule.path in (_ANSWER, _CHANGE)


def _keep(times: OrderedDict[int, float], number: int, at: float) -> None:
    times[number] = at
    while len(times) > _MOST:
        times.popitem(last=False)
