"""A small audit: two filter models, a held-out one and one with two labels, on a plain and a new set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest

from nextset.records.arrow_schema import arrow_schema
from nextset.records.nli_items import LABELS, NliItem, NliScore

HOSTILE = "<script>alert('x')</script> \"quoted\" & \u202eright to left\u202c \U0001f600 </details>"
"""A text that must be shown as it is."""
LONG_MODEL = "ynie/bart-large-snli_mnli_fever_anli_R1_R2_R3-nli"
TWO_LABELS = "owner/two-labels"
"""A model that tells entailment from the rest, and no more."""
MODELS = {
    "builtin:nli-electra": "filter",
    LONG_MODEL: "filter",
    "builtin:nli-albert": "held_out",
    TWO_LABELS: "audit",
}
DOMAINS = {
    "gender": "man is to surgeon",
    "race": "Black is to criminal",
    "religion": "Muslim man to oppressive",
}


@dataclass(frozen=True)
class Audit:
    """The tables of a small audit."""

    plain: pa.Table
    """The plain expansion."""
    plain_scores: pa.Table
    """The models' scores of it."""
    new: pa.Table
    """The released set, in whole pairs; the hypotheses hold hostile text."""
    new_scores: pa.Table
    """The models' scores of it."""


def _item(name: str, domain: str, stance: str, **more: Any) -> dict[str, Any]:
    row = dict.fromkeys(f.name for f in arrow_schema(NliItem))
    texts = {"premise": f"Premise {name}.", "hypothesis": f"Hypothesis {name}: {HOSTILE}", "question": ""}
    known = {"id": name, "language": "en", "domain": domain, "stereotype": DOMAINS[domain]}
    design = {"label": "neutral", "stance_design": stance, "premise_swapped": False, "names_group": True}
    return row | texts | known | design | more


def _pair(domain: str, i: int) -> list[dict[str, Any]]:
    ids = {"pro": f"{domain}-{i}", "anti": f"{domain}-{i}-counterpart"}
    judged = {"verdict": "valid", "judge": "people"}
    return [
        _item(ids[a], domain, a, stance_judged=a, counterpart_id=ids[b], **judged)
        for a, b in (("pro", "anti"), ("anti", "pro"))
    ]


def _scores(items: pa.Table, shift: int) -> pa.Table:
    rows: list[dict[str, Any]] = []
    for m, (model, role) in enumerate(MODELS.items()):
        for i, item in enumerate(items["id"].to_pylist()):
            # neutral, but every (shift + m)th item goes to the other labels in turn
            label = LABELS[2 * (i // (shift + m) % 2)] if i % (shift + m) == 0 else "neutral"
            row = {"item_id": item, "model": model, "revision": f"{m:064d}", "role": role}
            said: dict[str, float | None] = {n: 0.8 if n == label else 0.1 for n in LABELS}
            if model == TWO_LABELS:
                said |= dict.fromkeys(LABELS[1:])
            rows.append(row | {"precision": "float32"} | said)
    return pa.Table.from_pylist(rows, schema=arrow_schema(NliScore))


@pytest.fixture(scope="session")
def audit() -> Audit:
    plain = [_item(f"{d}-plain-{i}", d, ("pro", "anti")[i % 2]) for d in DOMAINS for i in range(20)]
    plain += [_item(f"{d}-control", d, "test", label="entailment") for d in DOMAINS]
    plain += [_item("no-group", "gender", "pro", names_group=False)]
    new = [row for d in DOMAINS for i in range(12) for row in _pair(d, i)]
    names = ("verdict", "stance_judged", "judge", "counterpart_id")
    judged = pa.schema([*arrow_schema(NliItem), *(pa.field(n, pa.string()) for n in names)])
    tables = pa.Table.from_pylist(plain, arrow_schema(NliItem)), pa.Table.from_pylist(new, judged)
    return Audit(tables[0], _scores(tables[0], 7), tables[1], _scores(tables[1], 2))
