"""Cards of items and of quads with every fact filled, for tests."""

from __future__ import annotations

import dataclasses
from typing import Any

import pyarrow as pa

from nextset.records.arrow_schema import table_of
from nextset.records.nli_items import Bindings, Fill, NliItem, Stance, Word
from nextset.records.question_quads import MaskedStatement, QuestionQuad, Span
from nextset.release.dataset_card.card_counts import statistics
from nextset.release.dataset_card.card_facts import (
    Card,
    CardAgreement,
    CardExposure,
    CardImage,
    CardModel,
    CardOverlap,
    CardPack,
)
from nextset.release.dataset_card.paper_tables import ModelShift, PartStages, StageCount
from nextset.release.dataset_card.released_columns import columns_of
from nextset.release.forms.quad_counts import quad_statistics
from nextset.release.version_folder.release_manifest import Waiver

__all__ = ["CANARY", "full_card", "item_rows", "quad_card", "quad_rows"]

CANARY = "6f3a1c9e-0b1d-5c52-9a3e-2f4f6f0f7a11"
UNDEFINED = CardAgreement(None, None, None, "there is only one judge", "")


def item_rows(n: int = 5, domain: str = "handedness") -> pa.Table:
    """Return items: every second one is a counterfactual, and the last of an odd number is a control."""

    def item(i: int) -> NliItem:
        control = n % 2 == 1 and i == n - 1
        stance: Stance = "test" if control else ("pro", "anti")[i % 2]
        return NliItem(
            id=f"{i:032x}",
            language="en",
            domain=domain,
            stereotype="left-handed people are creative",
            template_id=f"t{i // 2}",
            premise="A tenth of people are left-handed.",
            hypothesis=f"Person {i} is creative.",
            question="",
            label="entailment" if control else "neutral",
            stance_design=stance,
            bindings=None
            if control
            else Bindings("left-handed", "right-handed", (Word("JOB", "cook"),), (Fill("calm", 1, 0.5),)),
            premise_swapped=False,
            names_group=True,
            set_id=None,
            parent_id=f"{i - 1:032x}" if stance == "anti" else None,
            supersedes=None,
            premise_source=None,
        )

    table = table_of([item(i) for i in range(n)], NliItem)
    stances = table["stance_design"].to_pylist()
    made = [s == "anti" for s in stances]
    pairs = [None if s == "test" else f"{i ^ 1:032x}" for i, s in enumerate(stances)]
    added: dict[str, pa.Array] = {
        "missed_by": pa.array([None if m else ["a"] for m in made], pa.list_(pa.string())),
        "kept_because": pa.array([None if m else "own" for m in made], pa.string()),
        "verdict": pa.array([None if s == "test" else "valid" for s in stances], pa.string()),
        "stance_judged": pa.array([None if s == "test" else s for s in stances], pa.string()),
        "judge": pa.array(["people"] * n, pa.string()),
        "n_judgments": pa.array([3] * n, pa.int32()),
        "unit_id": pa.array([f"u{i // 2}" for i in range(n)], pa.string()),
        "counterpart_id": pa.array(pairs, pa.string()),
        "counterfactual_set": pa.array([f"c{i // 2}" for i in range(n)], pa.string()),
        "canary": pa.array([CANARY] * n, pa.string()),
    }
    for name, column in added.items():
        table = table.append_column(name, column)
    return table


def quad_rows(record: type = QuestionQuad, n: int = 3) -> pa.Table:
    """Return question quads or masked statements."""
    span = Span(4, 8)
    both: dict[str, Any] = {
        "language": "en",
        "subject_class": "handedness",
        "template_id": "0",
        "attribute": "creative",
        "attribute_kind": "person",
        "attribute_cluster": "",
        "subject2": "Right",
        "cluster1": "",
        "cluster2": "",
        "context_12": "The left one met the right one.",
        "context_21": "The right one met the left one.",
        **dict.fromkeys(("subject1_in_12", "subject2_in_12", "subject1_in_21", "subject2_in_21"), span),
    }
    own = (
        {"question": "Who is creative?", "question_negated": "Who is not creative?"}
        if record is QuestionQuad
        else {
            "statement": "{{MASK}} is creative.",
            "statement_negated": "{{MASK}} is not creative.",
            "candidate1": "Left",
            "candidate2": "Right",
        }
    )
    rows = [record(**both, **own, id=f"{i:032x}", subject1=f"Left{i}") for i in range(n)]
    table = table_of(rows, record)
    for name, value in {"kept_because": "own", "unit_id": "u", "canary": CANARY}.items():
        table = table.append_column(name, pa.array([value] * n, pa.string()))
    return table.append_column("found_by", pa.array([["a"]] * n, pa.list_(pa.string())))


def full_card(**other: Any) -> Card:
    """Return a card of items on which every fact is filled."""
    items = item_rows()
    card = Card(
        name="left-right",
        version="1.1.0",
        languages=("en",),
        license="cc-by-4.0",
        authors=("Ada Example", "The Example Project"),
        about="About hands.",
        fill_premise=False,
        models=(
            CardModel("fill/model", "0a", "fill"),
            CardModel("some/model@1", "ab", "filter"),
            CardModel("other/model@1", "cd", "held out"),
        ),
        rule="an item is kept when at least one of the models gets it wrong",
        scored="computed in float32",
        pairs="whole",
        balance="nothing is left out for balance",
        warnings=("pro: 50.0 % before, 70.0 % after",),
        judge="people",
        aggregate="majority",
        per_cent=CardAgreement(87.25, 80.0, 93.3, None, ""),
        alpha=CardAgreement(0.5, 0.25, 0.75, None, ""),
        exposure=(CardExposure(None, 3, 12, 4, 4.0, 4, 0),),
        statistics=statistics(items),
        columns=columns_of(items),
        canary=CANARY,
        verdicts="a unit counts if every judgment calls it valid",
        previous="1.0.0",
        withdrawn=2,
        waivers=(Waiver(what="incomplete", reason="one group has no opposite"),),
        pairs_checked=2,
        pairs_incomplete=1,
        pairs_not_minimal=0,
        pairs_flagged=3,
        exact_duplicates=0,
        near_duplicates=1,
        overlaps=(CardOverlap("corpus.txt", 1, 2),),
        demographics=("age", "handedness"),
        k=5,
        parts=(PartStages("handedness", "left-handed people are creative", 2, 60, 1200, 30, 4, 2, 2),),
        stages=(StageCount("kept by the filter", 1200),),
        shifts=(ModelShift("some/model@1", "filter", "accuracy", 0.75, 0.5, 1200, 30),),
        images=(CardImage("images/stages.png", "Rows by stage: 1,200 kept."),),
        formats=("csv",),
    )
    return dataclasses.replace(card, **other)


def quad_card(**other: Any) -> Card:
    """Return a card of questions and statements without a filter, which no one judged."""
    questions, statements = quad_rows(), quad_rows(MaskedStatement)
    facts: dict[str, Any] = {
        "kinds": ("questions", "statements"),
        "models": (),
        "rule": "",
        "judge": "nobody",
        "per_cent": UNDEFINED,
        "alpha": UNDEFINED,
        "exposure": (),
        "statistics": None,
        "counts": (
            ("questions", quad_statistics(questions)),
            ("statements", quad_statistics(statements)),
        ),
        "columns": columns_of(questions, "questions"),
        "columns_by_config": (("statements", columns_of(statements, "statements")),),
        "near_duplicates": None,
        "packs": (
            CardPack("en", ""),
            CardPack("de", "Bo Beispiel (2026-11-23, 94 % seen)", ("genders of actor: both are asked",)),
        ),
        "parts": (
            PartStages("en", "handedness", 1, 3, 3, None, None, 3, 0, "questions"),
            PartStages("en", "handedness", 1, 5, 5, None, None, 5, 0, "statements"),
        ),
        "stages": (StageCount("released", 3, "questions"), StageCount("released", 5, "statements")),
        "shifts": (),
    }
    return full_card(**{**facts, **other})
