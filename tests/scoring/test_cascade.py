"""A cascade keeps the same items and asks less."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.scoring.asked_model import Model
from nextset.scoring.asking import Asking
from nextset.scoring.cascade import Vote, undecided
from nextset.scoring.cascade_order import CascadeSampleRow, cascade_sample, model_order
from nextset.scoring.forms.nli import NLI_SCORING
from nextset.scoring.models.loading import load
from nextset.scoring.models.sources import locate
from nextset.scoring.row_chunks import InMemoryRows
from nextset.scoring.wrong_answers import Missing
from nextset.study.filter_rule_settings import Boundaries
from nextset.study.scoring_settings import ScoringSettings


def scores(wrong: list[bool]) -> pa.Table:
    """Scores of a model for items whose right label is neutral."""
    numbers = {
        "entailment": [0.9 if w else 0.05 for w in wrong],
        "neutral": [0.05 if w else 0.9 for w in wrong],
    }
    return pa.table({**numbers, "contradiction": [0.05] * len(wrong)})


@given(data=st.data(), models=st.integers(1, 4), items=st.integers(0, 12))
def test_what_is_decided_does_not_change_whatever_the_others_say(
    data: st.DataObject, models: int, items: int
) -> None:
    needed = data.draw(st.integers(1, models))
    answers = st.lists(st.booleans(), min_size=items, max_size=items)
    drawn = data.draw(st.lists(answers, min_size=models, max_size=models))
    wrong = np.array(drawn, dtype=np.bool_).reshape(models, items)
    vote, rows = Vote(needed, models), pa.table({"label": ["neutral"] * items, "n": list(range(items))})
    asked = data.draw(st.integers(0, models))
    earlier = [lambda t, m=m: scores(wrong[m][t["n"].to_pylist()].tolist()) for m in range(asked)]
    left = set(undecided(rows, earlier, vote, NLI_SCORING)["n"].to_pylist())
    for i in range(items):
        before = int(wrong[:asked, i].sum())
        outcomes = {before + extra >= needed for extra in range(models - asked + 1)}
        assert (i in left) == (len(outcomes) == 2 if asked else True)


@settings(max_examples=50)
@given(data=st.data(), models=st.integers(1, 4), missing=st.sampled_from(["not_wrong", "wrong", "drop"]))
def test_what_stays_open_with_answers_that_are_missing(
    data: st.DataObject, models: int, missing: Missing
) -> None:
    """An item is open if it depends on the models still to ask whether it is kept."""
    items, needed = 6, data.draw(st.integers(1, models))
    answer = st.sampled_from([True, False, None])  # wrong, right, refused
    said = data.draw(
        st.lists(st.lists(answer, min_size=items, max_size=items), min_size=models, max_size=models)
    )
    rows = pa.table({"label": ["neutral"] * items, "n": list(range(items))})
    asked = data.draw(st.integers(1, models))
    earlier = [lambda t, m=m: partly([said[m][i] for i in t["n"].to_pylist()]) for m in range(asked)]
    left = set(undecided(rows, earlier, Vote(needed, models, missing), NLI_SCORING)["n"].to_pylist())
    for i in range(items):
        before = [said[m][i] for m in range(asked)]
        rest = itertools.product([True, False, None], repeat=models - asked)
        assert (i in left) == (len({kept([*before, *more], needed, missing) for more in rest}) == 2)


def kept(said: list[bool | None], needed: int, missing: Missing) -> bool:
    """The result of a vote: wrong, right or refused."""
    wrong = sum(one is True for one in said) + (missing == "wrong") * said.count(None)
    return wrong >= needed and not (missing == "drop" and None in said)


def partly(said: list[bool | None]) -> pa.Table:
    """Scores of a model that is wrong, is right, or refuses (None)."""
    table = scores([one is True for one in said])
    refused = [float(one is None) for one in said]
    shown = [pa.array([(1 - r) * x for r, x in zip(refused, table[label].to_pylist(), strict=True)])
             for label in table.column_names]  # fmt: skip
    return pa.table([*shown, refused], [*table.column_names, "refused"])


def test_the_first_model_is_asked_about_everything() -> None:
    rows = pa.table({"label": ["neutral"] * 3})
    assert undecided(rows, [], Vote(1, 1), NLI_SCORING) is rows


def test_those_come_first_that_decide_most_per_weight() -> None:
    rows = [
        CascadeSampleRow("server", 100, 90, None),
        CascadeSampleRow("large", 100, 50, 1000),
        CascadeSampleRow("base", 100, 20, 100),
        CascadeSampleRow("right", 100, 0, 10),
    ]
    # wrong items per 1,000 weights: 50, 200, 0
    assert model_order(rows, Vote(1, 4)) == ("base", "large", "right", "server")
    # right items per 1,000 weights: 50, 800, 10,000
    assert model_order(rows, Vote(4, 4)) == ("right", "base", "large", "server")
    # items per 1,000 weights: 100, 1,000, 10,000
    assert model_order(rows, Vote(2, 4)) == ("right", "base", "large", "server")
    assert model_order(rows[1:2], Vote(1, 1)) == ("large",)


def test_the_sample_of_a_cascade_has_the_same_bytes_every_time(tmp_path: Path) -> None:
    source = locate("builtin:nli-electra")
    model = Model(source, Asking("nli", ScoringSettings()), "cpu", tmp_path, source.name)
    rows = [{"id": str(i), "premise": "A dog sleeps.", "hypothesis": f"{i} dogs sleep.", "label": "neutral"}
            for i in range(9)]  # fmt: skip
    sample = [InMemoryRows(pa.Table.from_pylist(rows))]
    first, again = (cascade_sample([model], sample, Boundaries()) for _ in range(2))
    assert first.equals(again)
    loaded = load(model.source, "AutoModelForSequenceClassification")
    assert first["parameters"].to_pylist() == [loaded.model.num_parameters()]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_models_that_tie_keep_the_order_of_the_study(order: tuple[int, ...]) -> None:
    rows = [CascadeSampleRow(str(i), 10, 5, 1000) for i in order]
    assert model_order(rows, Vote(1, 3)) == tuple(str(i) for i in order)
