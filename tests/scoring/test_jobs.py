"""Jobs: the same scores with the cache and without, near decisions exact, nothing asked twice."""

from __future__ import annotations

import pickle
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch

from nextset.errors import ModelError
from nextset.records.arrow_schema import arrow_schema
from nextset.records.nli_items import NliScore
from nextset.scoring import model_kinds
from nextset.scoring.asked_model import Model
from nextset.scoring.asking import Asking
from nextset.scoring.cache.keys import input_keys
from nextset.scoring.cache.score_cache import ScoreCache
from nextset.scoring.fast_mode_flips import flips
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.jobs import Job
from nextset.scoring.models.sources import locate
from nextset.scoring.near_ties import CLOSE, near_nli_tie, neutral_hundredths
from nextset.scoring.nli import NliClassifier
from nextset.scoring.row_chunks import InMemoryRows
from nextset.scoring.scorer_protocol import Pair
from nextset.study.filter_rule_settings import Boundaries
from nextset.study.scoring_settings import ModelSettings, ScoringSettings

WORDS = ["the nurses", "a surgeon", "women", "men", "are too gentle", "should not work", "isn't well-known"]


@pytest.fixture(scope="module")
def rows() -> pa.Table:
    return rows_of([(f"{a} {b}", f"{b} {c}") for a in WORDS for b in WORDS for c in WORDS[:3]])


def rows_of(pairs: list[tuple[str, str]]) -> pa.Table:
    columns = {"premise": [p for p, _ in pairs], "hypothesis": [h for _, h in pairs]}
    return pa.table(
        {"id": [f"{i:032x}" for i in range(len(pairs))], **columns, "label": ["neutral"] * len(pairs)}
    )


def model(folder: Path, cache: Path | None, **scoring: str) -> Model:
    asking = Asking("nli", ScoringSettings(**scoring), ModelSettings())
    return Model(locate(str(folder)), asking, "cpu", cache, "nli")


def job(folder: Path, rows: pa.Table, cache: Path | None = None, **scoring: str) -> Job:
    return Job(model(folder, cache, **scoring), InMemoryRows(rows), "filter", Boundaries())


def test_scores_stand_beside_their_items(nli_folder: Path, rows: pa.Table) -> None:
    asked = job(nli_folder, rows)
    scores = asked().table
    assert scores.schema == arrow_schema(NliScore)
    assert scores["item_id"].to_pylist() == rows["id"].to_pylist()
    expected = NliClassifier.load(asked.model.source).probabilities(
        list(zip(rows["premise"].to_pylist(), rows["hypothesis"].to_pylist(), strict=True))
    )
    np.testing.assert_allclose(
        np.column_stack([scores[c].to_numpy() for c in scores.schema.names[6:9]]), expected
    )
    assert set(scores["revision"].to_pylist()) == {asked.model.source.digest}
    assert job(nli_folder, rows.slice(0, 0))().table.num_rows == 0


def test_what_the_cache_knows_is_not_asked_again(nli_folder: Path, rows: pa.Table, tmp_path: Path) -> None:
    without = job(nli_folder, rows)().table
    assert job(nli_folder, rows, tmp_path)().table == without
    again = job(nli_folder, rows, tmp_path)
    prepared = again.prepare()
    assert prepared.scorer is None  # the model need not even be loaded
    model_kinds._LAST.clear()
    assert again.finish(prepared).table == without
    assert not model_kinds._LAST
    more = pa.concat_tables([rows, rows.slice(0, 1).set_column(1, "premise", pa.array(["a new one"]))])
    assert len(job(nli_folder, more, tmp_path).prepare().missing) == 1


def test_rows_scored_anew_are_counted(nli_folder: Path, rows: pa.Table, tmp_path: Path) -> None:
    n = rows.num_rows
    assert job(nli_folder, rows)().this_run == {"rows scored anew": n, "rows from the cache": 0}
    assert job(nli_folder, rows, tmp_path)().this_run == {"rows scored anew": n, "rows from the cache": 0}
    more = pa.concat_tables([rows, rows.slice(0, 1).set_column(1, "premise", pa.array(["a new one"]))])
    assert job(nli_folder, more, tmp_path)().this_run == {"rows scored anew": 1, "rows from the cache": n}
    known = input_keys([Pair(more["premise"][0].as_py(), more["hypothesis"][0].as_py()).texts()])
    assert job(nli_folder, more.slice(0, 0), tmp_path)().this_run == {
        "rows scored anew": 0,
        "rows from the cache": 0,
    }
    alone = replace(job(nli_folder, more, tmp_path), repeated=frozenset(known))
    assert [alone().this_run["rows scored anew"] for _ in range(2)] == [1, 0]  # scored by itself, then known


def test_another_precision_or_label_order_has_scores_of_its_own(nli_folder: Path, tmp_path: Path) -> None:
    scope = model(nli_folder, tmp_path).scope
    assert model(nli_folder, tmp_path, precision="bfloat16").scope.key != scope.key
    assert model(nli_folder, tmp_path, mode="fast").scope.key == scope.key
    told = Asking("nli", ScoringSettings(), ModelSettings(too_long="truncate"))
    assert replace(model(nli_folder, tmp_path), asking=told).scope.key != scope.key


def test_rows_near_a_threshold_are_asked_again_alone(
    nli_folder: Path, rows: pa.Table, tmp_path: Path
) -> None:
    first = job(nli_folder, rows, tmp_path)
    scores = first().table
    keys = input_keys([pair.texts() for pair in SCORED_FORMS["nli"].inputs(rows)])
    three = np.sort(np.column_stack([scores[c].to_numpy() for c in scores.schema.names[6:9]]), axis=1)
    gaps = three[:, 2] - three[:, 1]
    level = float(np.median(gaps))
    near = np.abs(gaps - level) < 1e-4
    alone = [keys[i] for i in np.flatnonzero(near)]
    assert near.any()
    assert not ScoreCache(tmp_path).get(first.model.alone, alone).there.any()
    # the cached rows are asked again where the new rule's threshold is
    again = replace(first, boundaries=Boundaries(margins=(level,)))().table
    known = ScoreCache(tmp_path).get(first.model.alone, alone)
    assert known.there.all()
    scorer = first.model.scorer(None)
    pairs = [Pair(rows["premise"][i].as_py(), rows["hypothesis"][i].as_py()) for i in np.flatnonzero(near)]
    np.testing.assert_array_equal(known.numbers, scorer.alone(scorer.encoded(pairs)))
    three = np.column_stack([again[c].to_numpy() for c in scores.schema.names[6:9]])
    np.testing.assert_array_equal(three[near], known.numbers[:, :3])
    # what was there before stays as it was: the first rule gives the same bytes again
    assert first().table == scores


def test_the_rounding_of_neutral_does_not_depend_on_batches(nli_folder: Path) -> None:
    """What lies within 0.0001 of the middle between two hundredths has the number that it has alone."""
    words = [*WORDS, "in the garden", "a wooden box"]
    rows = rows_of([(f"{a} {b}", f"{b} {c}") for a in words for b in words for c in words])
    exact = model(nli_folder, None)
    scorer = exact.scorer(None)
    inputs = SCORED_FORMS["nli"].inputs(rows)
    alone = scorer.alone(scorer.encoded(inputs))[:, 1]
    near = np.abs(100 * alone - 0.5 - np.rint(100 * alone - 0.5)) < 0.009
    assert near.any()
    found = replace(job(nli_folder, rows, None), boundaries=Boundaries(neutral=True))().table
    np.testing.assert_array_equal(np.asarray(found["neutral"])[near], alone[near])
    np.testing.assert_array_equal(neutral_hundredths(found), np.floor(100 * alone + 0.5))


def test_bfloat16_is_too_coarse_for_hundredths(nli_folder: Path, rows: pa.Table) -> None:
    scores = job(nli_folder, rows, None)().table
    assert near_nli_tie(scores, Boundaries(neutral=True), CLOSE["bfloat16"]).all()
    # near the middle between 0 and 1 hundredths, between no two, and near the middle between 98 and 99
    neutral = pa.array([0.004999, 0.0085, 0.985001])
    three = pa.table({"entailment": [0.0, 0.0, 0.0], "neutral": neutral, "contradiction": [0.995, 0.99, 0.0]})
    assert near_nli_tie(three, Boundaries(neutral=True), CLOSE["float32"]).tolist() == [True, False, True]
    assert neutral_hundredths(three).tolist() == [0, 1, 99]


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_labels_do_not_depend_on_batches(nli_folder: Path, rows: pa.Table, precision: str) -> None:
    """As one by one in float32, in any order and for any budget, also when reckoned in bfloat16."""
    exact = model(nli_folder, None)
    scorer = exact.scorer(None)
    assert isinstance(scorer, NliClassifier)
    inputs = SCORED_FORMS["nli"].inputs(rows)
    alone = scorer.alone(scorer.encoded(inputs))[:, :3].argmax(axis=1)
    order = np.random.default_rng(5).permutation(rows.num_rows)
    for budget in (1, 100, 4096):
        quick = model(nli_folder, None, precision=precision)
        loaded = quick.scorer(None)
        assert isinstance(loaded, NliClassifier)
        loaded.budget.tokens = budget
        scores = Job(quick, InMemoryRows(rows.take(order)), "filter", Boundaries())().table
        found = np.column_stack([scores[c].to_numpy() for c in scores.schema.names[6:9]]).argmax(axis=1)
        np.testing.assert_array_equal(found, alone[order])


def test_fast_mode_says_how_often_a_label_flips(nli_folder: Path, rows: pa.Table) -> None:
    quick = model(nli_folder, None, mode="fast", precision="bfloat16")
    (row,) = flips(
        quick, [InMemoryRows(rows.slice(0, 40)), InMemoryRows(rows.slice(40, 60))]
    ).table.to_pylist()
    # worked out here: both ways for the same 100 rows
    scorer = quick.scorer(None)
    encoded = scorer.encoded(SCORED_FORMS["nli"].inputs(rows.slice(0, 100)))
    differ = scorer.scores(encoded)[:, :3].argmax(axis=1) != scorer.alone(encoded)[:, :3].argmax(axis=1)
    assert (row["asked"], row["flipped"]) == (100, int(differ.sum()))


def test_a_job_travels(nli_folder: Path, rows: pa.Table) -> None:
    asked = job(nli_folder, rows.slice(0, 3))
    assert pickle.loads(pickle.dumps(asked))().table == asked().table  # noqa: S301 - our own bytes


def test_files_that_change_under_a_run_leave_nothing_in_the_cache(
    nli_folder: Path, rows: pa.Table, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(nli_folder, folder)
    before, during = (job(folder, rows, tmp_path / name) for name in ("before", "during"))
    weights = folder / "model.safetensors"
    kept = weights.read_bytes()
    weights.write_bytes(kept[:-4] + bytes(4))
    with pytest.raises(ModelError, match="changed while the model was in use"):
        before()
    weights.write_bytes(kept)
    during = replace(during, model=replace(during.model, source=locate(str(folder))))
    prepared = during.prepare()
    other = tmp_path / "other"
    other.write_bytes(kept[:-4] + bytes(4))
    other.replace(weights)
    with pytest.raises(ModelError, match="changed while the model was in use"):
        during.finish(prepared)
    assert not list(tmp_path.glob("*/*.sqlite"))


def test_code_of_its_own_has_scores_of_its_own(nli_folder: Path, tmp_path: Path) -> None:
    plain = model(nli_folder, tmp_path)
    own = replace(plain, asking=replace(plain.asking, model=ModelSettings(remote_code=True)))
    assert own.scope.key != plain.scope.key


def test_two_threads_load_a_model_once(nli_folder: Path, tmp_path: Path) -> None:
    asked = model(nli_folder, tmp_path, precision="bfloat16")
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(asked.scorer, [None, None])
    assert first is second
    with ThreadPoolExecutor(2) as pool:  # each device its own; torch's default dtype is everybody's
        list(pool.map(asked.scorer, ["cpu", "cpu:0"]))
    assert torch.get_default_dtype() == torch.float32
