"""The survey: the longest rows, and inputs of several parts, whichever of these comes first."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from nextset.scoring.asked_model import Model
from nextset.scoring.asking import Asking
from nextset.scoring.cache.keys import input_keys
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.input_scan import LONGEST, scan_inputs
from nextset.scoring.jobs import Job
from nextset.scoring.models.sources import locate
from nextset.scoring.row_chunks import InMemoryRows
from nextset.study.filter_rule_settings import Boundaries
from nextset.study.scoring_settings import ModelSettings, ScoringSettings

WORDS = ["the nurses", "a surgeon", "women", "men are too gentle", "should not work", "isn't well-known"]


def rows(texts: list[str]) -> InMemoryRows:
    ids = [f"{i:032x}" for i in range(len(texts))]
    columns = {
        "id": ids,
        "premise": texts,
        "hypothesis": ["men"] * len(texts),
        "label": ["neutral"] * len(texts),
    }
    return InMemoryRows(pa.table(columns, schema=pa.schema([(name, pa.string()) for name in columns])))


@given(parts=st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), max_size=5))
def test_inputs_of_several_parts_are_found(parts: list[list[str]]) -> None:
    found = scan_inputs(SCORED_FORMS["nli"], [rows(part) for part in parts]).repeated
    for i, part in enumerate(parts):
        others = {text for j, other in enumerate(parts) if j != i for text in other}
        assert found[i] == set(input_keys([(text, "men") for text in set(part) & others]))


def test_the_longest_rows_are_found() -> None:
    texts = ["x" * (n % 500) for n in range(1000)]
    longest = scan_inputs(SCORED_FORMS["nli"], [rows(texts[:300]), rows(texts[300:])]).longest
    assert sorted(map(len, longest["premise"].to_pylist())) == sorted(map(len, texts))[-LONGEST:]


def test_it_does_not_matter_which_part_comes_first(nli_folder: Path, tmp_path: Path) -> None:
    texts = [f"{a} {b}" for a in WORDS for b in WORDS]
    parts = [rows(texts[:20]), rows(texts[12:])]
    repeated = scan_inputs(SCORED_FORMS["nli"], parts).repeated
    assert len(repeated[0]) == len(repeated[1]) == 8
    found = []
    for order in ((0, 1), (1, 0)):
        asking = Asking("nli", ScoringSettings(), ModelSettings())
        model = Model(locate(str(nli_folder)), asking, "cpu", tmp_path / str(order), "nli")
        jobs = [
            Job(model, part, "filter", Boundaries(), repeated=own)
            for part, own in zip(parts, repeated, strict=True)
        ]
        # both look up before either has kept anything, as with a look-ahead or on several machines
        prepared = [job.prepare() for job in jobs]
        made = {i: jobs[i].finish(prepared[i]).table for i in order}
        again = {i: jobs[i]().table for i in order}
        assert made == again
        found.append([made[0], made[1]])
    assert found[0] == found[1]
