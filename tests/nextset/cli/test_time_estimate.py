"""The time of a run, from a few rows that the models are asked; servers and clusters are not timed."""

from __future__ import annotations

from pathlib import Path

import pytest

import nextset
from nextset.cli.stage_text import preview_text, time_text
from nextset.cli.time_estimate import ModelTime
from tests.generation.writers.tiny_writer import save_writer


def study(folder: Path, models: str, more: str = "") -> nextset.Study:
    (folder / "study.yaml").write_text(
        f'format: 1\nname: s\ntemplates: ["builtin:gender/man_is_to_rational"]\n{more}\n'
        f"filter: {{models: [{models}]}}\nrelease: {{name: s}}\n",
        encoding="utf-8",
    )
    return nextset.Study.load(folder)


def test_the_models_are_timed(tmp_path: Path) -> None:
    loaded = study(tmp_path, "builtin:nli-electra, no-such/model, 'openai:x'", "fill: {top_k: 5}")
    previewed = nextset.preview(loaded)
    fill, electra, absent, server = nextset.estimate_time(tmp_path, previewed)
    assert (fill.role, fill.inputs) == ("fill", previewed.prompts)
    assert electra.inputs * 3 == previewed.scorings["filter"]
    assert min(fill.seconds or 0, electra.seconds or 0) > 0
    assert (absent.seconds, absent.why_not) == (None, "it is not downloaded yet")
    assert (server.seconds, server.why_not) == (None, "it is behind a server")
    shown = time_text((fill, electra, server))
    assert [line.split()[:2] for line in shown.splitlines()[2:4]] == [
        ["fill", "builtin:masked-lm"],
        ["filter", "builtin:nli-electra"],
    ]
    assert shown.splitlines()[4].endswith("openai:x             not measured: it is behind a server")


def test_a_cluster_and_a_wrong_model_are_not_timed(tmp_path: Path) -> None:
    ray = study(tmp_path, "builtin:nli-electra", "scoring: {engine: ray}")
    fill, scored = nextset.estimate_time(ray, nextset.preview(ray))
    assert (fill.why_not, scored.why_not) == ("", "it runs on a Ray cluster")
    wrong = study(tmp_path, "builtin:nli-elektra", "fill: {model: builtin:nli-electra}")
    fill, scored = nextset.estimate_time(wrong, nextset.preview(wrong))
    assert "there is no built-in model 'nli-elektra'" in scored.why_not
    assert fill.seconds is None
    assert fill.why_not


def test_the_models_are_timed_without_examples_to_show(tmp_path: Path) -> None:
    loaded = study(tmp_path, "builtin:nli-electra")
    fill, scored = nextset.estimate_time(loaded, nextset.preview(loaded, 0))
    assert min(fill.seconds or 0, scored.seconds or 0) > 0


def test_a_study_of_imported_pairs_is_timed(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    pairs.write_text(
        "premise,hypothesis,label,domain,stereotype\nAnn sleeps.,Ann rests.,entailment,rest,none\n",
        encoding="utf-8",
    )
    (tmp_path / "study.yaml").write_text(
        "format: 1\nname: s\nfilter: {models: [builtin:nli-electra]}\nrelease: {name: s}\n", encoding="utf-8"
    )
    nextset.import_pairs(tmp_path, pairs)
    (scored,) = nextset.estimate_time(tmp_path, nextset.preview(tmp_path))
    assert scored.inputs == 1
    assert (scored.seconds or 0) > 0


def test_the_words_that_are_kept_are_counted(tmp_path: Path) -> None:
    masked = nextset.preview(study(tmp_path, "builtin:nli-electra")).items["masked"]
    kept = nextset.preview(study(tmp_path, "builtin:nli-electra", "fill: {keep: best 8 of 20 by fluency}"))
    tests_and_plain = sum(kept.items[kind] for kind in ("test", "hypothesis"))
    assert kept.filled == 8 * masked
    assert kept.scorings["filter"] == kept.filled + tests_and_plain


def test_a_model_that_writes_is_timed_by_its_requests(tmp_path: Path) -> None:
    save_writer(tmp_path / "tiny", ["calm"])
    local = study(tmp_path, "builtin:nli-electra", "fill: {model: ./tiny, writer: {proposals: 4}}")
    fill, _ = nextset.estimate_time(local, nextset.preview(local))
    assert (fill.model, fill.why_not) == ("./tiny", "")
    assert (fill.seconds or 0) > 0
    remote = study(tmp_path, "builtin:nli-electra", "fill: {model: 'openai:x'}")
    previewed = nextset.preview(remote)
    fill, _ = nextset.estimate_time(remote, previewed)
    assert (fill.inputs, fill.why_not) == (previewed.prompts, "it is behind a server")
    assert f"one request each if it writes: {previewed.prompts:,}" in preview_text(previewed)


@pytest.mark.parametrize(("seconds", "text"), [(3, "3 s"), (600, "10 min"), (36_000, "10 h")])
def test_times_are_added(seconds: float, text: str) -> None:
    shown = time_text([ModelTime("a", "fill", 1, seconds / 3), ModelTime("b", "filter", 1, 2 * seconds / 3)])
    assert shown.splitlines()[-1].split() == ["total", "about", *text.split()]
    assert time_text([]).strip() == "no model is asked"


def test_times_that_were_not_measured_are_not_added() -> None:
    absent = ModelTime("a", "fill", 1, None, "it is behind a server")
    assert "total" not in time_text([absent])
    some = time_text([absent, ModelTime("b", "filter", 1, 3)]).splitlines()[-1]
    assert some.split(maxsplit=1)[1] == "about 3 s, without the models that were not measured"
