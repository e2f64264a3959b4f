"""Hypotheses are read strictly: each can be rendered again, with the groups in each other's place."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nextset.generation.templates.placeholders import check, names, render
from nextset.generation.templates.template import Premise, Statement, Template
from nextset.generation.writers.proposed_hypotheses import (
    ProposalStance,
    ProposedHypothesis,
    proposed_hypotheses,
    request_for_hypotheses,
)
from nextset.generation.writers.writer_prompts import WriterPrompt
from nextset.scoring.model_server.completion import Completion
from tests.generation.writers.test_proposed_words import HOSTILE

FILE = Path("cats.yaml")
CATS = Template(
    file=FILE,
    stereotype="cats are to lazy",
    domain="pets",
    language="en",
    source="Somebody\n2020",
    groups=("cats", "old dogs"),
    words={},
    premises=(Premise("They met.", "nobody", 1),),
    statements=(Statement("hypothesis", "{{GROUP1}} idle.", "Do {{GROUP1}} idle?", "neutral", FILE, 2),),
    capitalise=True,
    about="Says that cats\nidle.",
)
NO_PAIR = "proposals that are not a sentence and its question, dropped"
NO_GROUP = "hypotheses that name no group as the template does, dropped"
OTHER_WAY = "hypotheses that name a group in another way, dropped"
QUESTION = "hypotheses with different groups in their question, dropped"
REPEATED = "proposals that repeat another, dropped"
BEYOND = "proposals beyond the number requested, dropped"


def read(
    answer: str, stance: ProposalStance = "pro", template: Template = CATS
) -> tuple[list[ProposedHypothesis], dict[str, int]]:
    counts: Counter[str] = Counter()
    return proposed_hypotheses(template, stance, Completion(answer), 2, counts), dict(counts)


def test_groups_become_placeholders_wherever_they_stand() -> None:
    found, counts = read("1. Cats sleep more than old dogs. | Do cats sleep more than old dogs?")
    assert counts == {}
    (one,) = found
    assert one.hypothesis == "{{GROUP1}} sleep more than {{GROUP2}}."
    assert one.question == "Do {{GROUP1}} sleep more than {{GROUP2}}?"
    assert (one.language, one.stereotype, one.stance, one.rank) == ("en", "cats are to lazy", "pro", 1)
    as_json = (
        '[{"hypothesis": "Cats sleep.", "question": "Do cats sleep?"}, ["Old dogs run.", "Do old dogs run?"]]'
    )
    assert [p.hypothesis for p in read(as_json)[0]] == ["{{GROUP1}} sleep.", "{{GROUP2}} run."]


def test_a_proposal_for_the_other_stance_is_stored_with_its_groups_swapped() -> None:
    (one,), _ = read("Old dogs sleep more than cats. | Do old dogs sleep more than cats?", "anti")
    assert one.hypothesis == "{{GROUP1}} sleep more than {{GROUP2}}."
    assert one.stance == "anti"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("Cats sleep.", NO_PAIR),
        ("Cats sleep. Dogs bark. | Do cats sleep?", NO_PAIR),
        ("Cats sleep. | Cats sleep.", NO_PAIR),
        ("Cats sleep. | Do cats sleep? | Really?", NO_PAIR),
        ("<u>Cats sleep. | Do cats sleep?", NO_PAIR),  # markup: the whole answer cannot be read
        ("{{GROUP1}} sleep. | Do cats sleep?", NO_PAIR),
        ("Cats \x07sleep. | Do cats sleep?", NO_PAIR),
        ("Cats sl\u202eeep. | Do cats sleep?", NO_PAIR),
        (f"Cats {'sleep ' * 60}. | Do cats sleep?", NO_PAIR),
        ("Some pets sleep. | Do some pets sleep?", NO_GROUP),
        ("CATS sleep. | Do CATS sleep?", NO_GROUP),
        ("All Cats sleep. | Do all Cats sleep?", NO_GROUP),
        ("The cats' food is cold. | Is the cats' food cold?", NO_GROUP),
        ("Cats sleep like other dogs. | Do cats sleep like other dogs?", OTHER_WAY),
        ("Cats love her. | Do cats love her?", OTHER_WAY),
        ("Cats like Muslims. | Do cats like Muslims?", OTHER_WAY),
        ("Cats sleep. | Do old dogs sleep?", QUESTION),
        ("Cats idle. | Do cats idle?", REPEATED),
        ('["Cats sleep.", 5]', NO_PAIR),
    ],
)
def test_anything_else_is_dropped_with_a_reason(answer: str, reason: str) -> None:
    found, counts = read(answer)
    assert found == []
    assert set(counts) == {reason}


def test_more_than_the_number_requested_and_repetitions_are_dropped() -> None:
    lines = [f"Cats {verb}. | Do cats {verb}?" for verb in ("run", "RUN", "eat", "sit")]
    found, counts = read("\n".join(lines))
    assert [p.hypothesis for p in found] == ["{{GROUP1}} run.", "{{GROUP1}} eat."]
    assert counts == {REPEATED: 1, BEYOND: 1}


def test_a_template_without_capitals_gets_only_groups_as_they_are_written() -> None:
    plain = replace(CATS, capitalise=False, groups=("Cats", "dogs"))
    assert [p.hypothesis for p in read("Cats run. | Are Cats quick?", template=plain)[0]] == [
        "{{GROUP1}} run."
    ]
    assert read("Dogs run. | Do dogs run?", template=plain) == ([], {NO_GROUP: 1})


def test_the_request_holds_what_the_template_says() -> None:
    text = "{number} of {group1}/{group2}: {stereotype}, {about} ({source})"
    asked = request_for_hypotheses(CATS, WriterPrompt("", "pro", text, 0, 0.0), 3)
    assert asked == "3 of cats/old dogs: cats are to lazy, Says that cats idle. (Somebody 2020)"


GROUPED = st.lists(
    st.sampled_from(
        ["Cats", "cats", "Old dogs", "old dogs", "run", ".", "?", "|", " | ", "\n", " ", "'", "-", "{", "é"]
    )
).map(" ".join)


@settings(max_examples=50)
@given(answer=HOSTILE | GROUPED, stance=st.sampled_from(["pro", "anti"]))
@example("Cats run. | Do cats run?\n" * 500, "pro")
@example("cats " * 5_000, "pro")
def test_what_is_kept_renders_in_both_orders(answer: str, stance: ProposalStance) -> None:
    kept, _ = read(answer, stance)
    assert len(kept) <= 2
    for proposal in kept:
        for text in (proposal.hypothesis, proposal.question):
            check(text)
            assert names(text) <= {"GROUP1", "GROUP2"}
            assert names(text)
            shown = render(text, {"GROUP1": "cats", "GROUP2": "old dogs"}, capitalise=True)
            swapped = render(text, {"GROUP1": "old dogs", "GROUP2": "cats"}, capitalise=True)
            assert shown != swapped or text.count("GROUP1") == 0
            assert shown.isprintable()
