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
    assert [t.why_not for t in nextset.estimate_time(ray, nextset.preview(ray, 0))] == [
        "there is no example to ask it about",
        "it runs on a Ray cluster",
    ]
    wrong = study(tmp_path, "builtin:nli-elektra", "fill: {model: builtin:nli-electra}")
    fill, scored = nextset.estimate_time(wrong, nextset.preview(wrong))
    assert "there is no built-in model 'nli-elektra'" in scored.why_not
    assert fill.seconds is None
    assert fill.why_not


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
    assert f"each a request if it writes: {previewed.prompts:,}" in preview_text(previewed)


@pytest.mark.parametrize(("seconds", "text"), [(3, "3 s"), (600, "10 min"), (36_000, "10 h")])
def test_times_are_added(seconds: float, text: str) -> None:
    shown = time_text([ModelTime("a", "fill", 1, seconds / 3), ModelTime("b", "filter", 1, 2 * seconds / 3)])
    assert shown.splitlines()[-1].split() == ["together", "about", *text.split()]
    assert time_text([]).strip() == "no model is asked"
