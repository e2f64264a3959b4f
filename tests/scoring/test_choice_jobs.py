"""Choice items through jobs: canonical scores in any batch and precision, and the cache."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from nextset.scoring.asked_model import Model
from nextset.scoring.asking import Asking
from nextset.scoring.fast_mode_flips import flips
from nextset.scoring.forms.choices import CHOICE_SCORING
from nextset.scoring.forms.scored_form import ScoredBy
from nextset.scoring.jobs import Job
from nextset.scoring.models.sources import locate
from nextset.scoring.row_chunks import InMemoryRows
from nextset.scoring.scorer_protocol import CHOICE_COLUMNS, Numbers
from nextset.study.filter_rule_settings import Boundaries
from nextset.study.scoring_settings import ScoringSettings
from tests.choice_rows import choice_items
from tests.scoring.generative.tiny_causal import save_gpt2
from tests.scoring.generative.tiny_seq2seq import save_t5

BY = ScoredBy("m", "0" * 32, "filter", "float32", "canonical")


@pytest.fixture(scope="module", params=[save_gpt2, save_t5])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return request.param(tmp_path_factory.mktemp("writer"))  # type: ignore[no-any-return]


def job(folder: Path, items: pa.Table, **scoring: Any) -> Job:
    asking = Asking("choice", ScoringSettings(cache=False, **scoring))
    return Job(Model.of(locate(str(folder)), asking), InMemoryRows(items), "filter", Boundaries())


def decisions(scores: pa.Table) -> list[tuple[int, float]]:
    return list(zip(CHOICE_SCORING.decisions(scores), scores["flips"].to_pylist(), strict=True))


def test_decisions_and_flips_do_not_depend_on_batches_and_precision(folder: Path) -> None:
    items = choice_items(1, 1)
    whole = job(folder, items)().table
    for i in (0, 7):
        assert decisions(job(folder, items.slice(i, 1))().table) == decisions(whole.slice(i, 1))
    assert decisions(job(folder, items, precision="bfloat16")().table) == decisions(whole)


def test_items_that_differ_in_the_order_alone_have_the_same_shares(folder: Path) -> None:
    items = choice_items(1, 1, orders=((0, 1, 2), (2, 0, 1), (1, 0, 2)))
    scores = job(folder, items)().table
    by_text: dict[tuple[str, str], list[dict[str, float]]] = {}
    for item, score in zip(items.to_pylist(), scores.to_pylist(), strict=True):
        shares = {o["text"]: score[f"option{i + 1}"] for i, o in enumerate(item["options"])}
        by_text.setdefault((item["context"], item["question"]), []).append(shares)
    for first, *others in by_text.values():
        assert len(others) == 2
        for other in others:
            assert other == pytest.approx(first, abs=1e-6)


def test_fast_mode_counts_choices_that_differ(folder: Path) -> None:
    one = job(folder, choice_items(1, 1))
    (row,) = flips(one.model, [one.rows]).table.to_pylist()
    assert (row["asked"], row["flipped"]) == (16, 0)


def table(*rows: list[float]) -> pa.Table:
    numbers: Numbers = np.array(rows)
    return CHOICE_SCORING.table(choice_items(1, 1).slice(0, len(rows)), numbers, BY)


def row(*shares: float, flips: float = np.nan, margin: float = np.nan) -> list[float]:
    return [*shares, *[np.nan] * (6 - len(shares)), flips, margin, 0.0]


def test_a_near_tie_overall_or_in_one_order_is_scored_again() -> None:
    scores = table(
        row(0.5, 0.49995, 0.00005),
        row(0.6, 0.3, 0.1, flips=0.0, margin=0.00005),
        row(0.6, 0.3, 0.1, flips=0.0, margin=0.2),
        row(0.7, 0.2, 0.1),
    )
    near = CHOICE_SCORING.near_tie(scores, Boundaries(), "float32")
    assert near.tolist() == [True, True, False, False]
    assert CHOICE_SCORING.near_tie(scores, Boundaries(), "bfloat16").tolist() == [True, True, False, False]
    margins = replace(Boundaries(), margins=(0.5,))
    assert CHOICE_SCORING.near_tie(scores, margins, "float32").tolist() == [True, True, False, True]


def test_votes_are_not_near_a_tie() -> None:
    numbers = np.array([[*row(0.5, 0.5, 0.0), 0, 0, 0, 0, 1]])
    scores = CHOICE_SCORING.table(choice_items(1, 1).slice(0, 1), numbers, BY)
    assert CHOICE_SCORING.near_tie(scores, Boundaries(), "float32").tolist() == [False]


def test_the_orders_are_part_of_the_key_of_the_cache(folder: Path) -> None:
    source = locate(str(folder))
    keys = {
        Model.of(source, Asking("choice", ScoringSettings(rotations=rotations))).scope.key
        for rotations in ("all", "one")
    }
    assert len(keys) == 2
    nli = {
        Model.of(source, Asking("nli", ScoringSettings(rotations=rotations))).scope.key
        for rotations in ("all", "one")
    }
    assert len(nli) == 1
    assert len(CHOICE_COLUMNS) == 9
