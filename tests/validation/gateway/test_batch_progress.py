"""How far a person is in a batch, as a real Label Studio counts it: each item once, skipped ones too."""

from __future__ import annotations

import asyncio
from pathlib import Path

from nextset.validation.gateway.batch_progress import BatchProgress
from nextset.validation.gateway.participations import Participation
from nextset.validation.plan.events import AssignedItem
from nextset.validation.plan.state import Batch, Participant, Session
from tests.validation.plan.sample_plans import gate_answer, opened
from tests.validation.studio import Studio, choice


def test_an_item_counts_once_however_often_it_is_answered(studio: Studio) -> None:
    ana, number = studio.annotator("ana@sittings.example"), studio.project("sittings", 3)
    items = tuple(AssignedItem(f"u{i}", "unit") for i in range(3))
    cancelled = Batch(2, (), pushed=False, cancelled=items)
    participant = Participant(
        person="a",
        account="b",
        gate=gate_answer("a"),
        projects={"work": str(number)},
        batches=(Batch(1, items, pushed=True), cancelled),
    )
    session = Session(opened(["u0", "u1", "u2"]), None, {"a": participant})
    part = Participation(Path("study"), "key", session, participant, frozenset({str(number)}), None)
    progress = BatchProgress(studio.client())

    def told() -> str:
        found = asyncio.run(progress.of(part))
        assert found is not None
        return found.as_text()

    one, two, three = studio.task_numbers(number).values()
    assert told() == "0/3"
    for tab in range(2):  # the same item is open in two tabs
        ana.answer(one, choice("valid"))
        progress.answered(number, one)
        assert told() == "1/3", tab
    progress.forget()
    assert told() == "1/3"
    again = ana.answer(one, choice("invalid"))  # in a tab that was open before the count was asked for
    progress.answered(number, one)
    ana.answer(two, skip=True)
    progress.answered(number, two)
    assert told() == "2/3", "the last item is asked of Label Studio, which knows that it is not answered"
    ana.delete(again)
    ana.answer(three, choice("valid"))
    progress.answered(number, three)
    assert told() == "3/3"
