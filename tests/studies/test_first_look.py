"""The study that `scripts/run` runs: what comes out, and that it holds together."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.errors import StudyError
from nextset.html.content_warning import CONTENT_WARNING
from nextset.pipeline.stage_result import Summary
from nextset.release.hub.verification import verify_folder
from nextset.release.version_folder.release_manifest import read_release_manifest
from tests.auditing.report.embedded_items import embedded

Ran = tuple[nextset.Study, Summary]


def test_every_stage_ran_and_kept_something(first_look: Ran) -> None:
    _, summary = first_look
    assert [s.stage for s in summary.stages] == [
        "generate",
        "fill",
        "score",
        "filter",
        "filter_report",
        "validate",
        "release",
        "release_report",
        "audit",
        "dataset_version",
        "report",
    ]
    rows = {s.stage: s.rows for s in summary.stages}
    assert rows["filter"]["kept"] + rows["filter"]["rejected"] == rows["fill"]["items"]
    assert rows["validate"]["items"] == rows["filter"]["kept"]
    # the words that spoil the form are not among the fills any more
    assert 0 < rows["validate"]["form_ok"] <= rows["validate"]["items"]
    assert rows["release"]["items"] > rows["validate"]["form_ok"]


def test_between_a_tenth_and_four_fifths_survive(first_look: Ran) -> None:
    _, summary = first_look
    rows = {s.stage: s.rows for s in summary.stages}
    assert 0.1 <= rows["filter"]["kept"] / rows["fill"]["items"] <= 0.8


def test_rejects_have_their_reason_and_the_counts_sum(first_look: Ran) -> None:
    study, _ = first_look
    artifact = open_artifact(study.out / "filter")
    reasons = Counter(artifact.table("rejected")["reason"].to_pylist())
    assert dict(reasons) == artifact.counts


def test_every_model_is_measured_on_both_sets(first_look: Ran) -> None:
    _, summary = first_look
    assert [(a.model, a.role) for a in summary.accuracy] == [
        ("builtin:nli-bart", "filter"),
        ("builtin:nli-electra", "filter"),
        ("builtin:nli-roberta", "filter"),
        ("builtin:nli-albert", "held_out"),
    ]
    for a in summary.accuracy:
        assert a.plain is not None
        assert a.new is not None
        if a.role == "filter":
            assert a.new < a.plain


def test_what_is_kept_is_harder_for_the_model_that_had_no_say(first_look: Ran) -> None:
    study, _ = first_look
    gap = open_artifact(study.out / "filter_report").table("held_out_gap").to_pylist()
    (shift,) = (row for row in gap if row["measure"] == "held_out_shift")
    assert (shift["drawn"], shift["n"]) == ("templates", 124)
    assert shift["high"] < 0


def test_held_out_scores_lie_apart_and_are_of_other_weights(first_look: Ran) -> None:
    study, _ = first_look
    scores = open_artifact(study.out / "score").table("scores")
    held_out = open_artifact(study.out / "score_held_out").table("scores")
    assert set(scores["role"].to_pylist()) == {"filter"}
    assert set(held_out["role"].to_pylist()) == {"held_out"}
    assert set(scores["revision"].to_pylist()).isdisjoint(held_out["revision"].to_pylist())


def test_every_row_names_its_parent(first_look: Ran) -> None:
    study, _ = first_look
    masked = set(open_artifact(study.out / "generate").table("masked")["id"].to_pylist())
    filled = open_artifact(study.out / "fill").table("items")
    assert set(filled["parent_id"].to_pylist()) <= masked
    assert len(set(filled["id"].to_pylist())) == filled.num_rows


def test_the_dataset_opens_and_its_pairs_are_whole(first_look: Ran) -> None:
    from datasets import load_dataset

    _, summary = first_look
    dataset = load_dataset(str(summary.dataset), split="test")
    stances = dataset.features["stance_design"]
    assert dataset.features["verdict"].names == ["valid", "invalid", "incoherent"]
    by_id = {row["id"]: row for row in dataset}
    assert len(by_id) == len(dataset)
    for row in dataset:
        # nobody judged, so there is no verdict; a rule found the form ok
        judged = [row[name] for name in ("verdict", "stance_judged", "judge", "n_judgments", "form_ok")]
        assert judged == [None, None, None, 0, True]
        other = by_id.get(row["counterpart_id"])
        if other is not None:
            assert other["counterpart_id"] == row["id"]
            assert other["premise"] == row["premise"]
            assert {stances.int2str(r["stance_design"]) for r in (row, other)} == {"pro", "anti"}
            assert other["bindings"]["group1"] == row["bindings"]["group2"]
    assert sum(row["counterpart_id"] is not None for row in dataset) == len(dataset)


def test_every_config_and_split_opens(first_look: Ran) -> None:
    from datasets import get_dataset_config_names, load_dataset

    study, summary = first_look
    manifest = read_release_manifest(summary.dataset)  # type: ignore[arg-type]
    configs = {f.config for f in manifest.files if f.config}
    assert set(get_dataset_config_names(str(summary.dataset))) == configs
    # nobody judged, no pair is in doubt, nothing was withdrawn, and no items are near duplicates
    assert configs == {"items", "scores", "survival", "accuracy", "held_out_gap", "filter_rule"}
    loaded = {config: load_dataset(str(summary.dataset), config) for config in sorted(configs)}
    assert set(loaded["items"]) == {"test", "controls"}
    for config in configs:
        rows = sum(f.rows or 0 for f in manifest.files_of(config))
        assert sum(len(split) for split in loaded[config].values()) == rows
    # so that others can recompute every figure: each released item by each of the four models
    scores = loaded["scores"]["test"]
    assert len(scores) == 4 * open_artifact(study.out / "release").rows("items")


def test_a_damaged_version_is_refused_and_a_lost_file_written_again(first_look: Ran, tmp_path: Path) -> None:
    study, summary = first_look
    assert summary.dataset is not None
    whole = (summary.dataset / "README.md").read_bytes()
    (summary.dataset / "README.md").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StudyError, match=r"changed after they were built, .*: README\.md is altered"):
        nextset.write_dataset_version(study)
    (summary.dataset / "README.md").unlink()
    assert nextset.write_dataset_version(study).built == "made"
    assert (summary.dataset / "README.md").read_bytes() == whole
    assert verify_folder(summary.dataset).intact


def test_card_and_report_warn_and_say_that_nobody_judged(first_look: Ran) -> None:
    _, summary = first_look
    assert summary.dataset is not None
    assert summary.report is not None
    card = (summary.dataset / "README.md").read_text(encoding="utf-8")
    page = summary.report.read_text(encoding="utf-8")
    assert CONTENT_WARNING in card
    assert CONTENT_WARNING in page
    for text in (card, page):
        assert "No one has judged these hypotheses (judge: rule)." in text
        assert "form ok" in text
    assert not re.search(r"\bvalid\b", page)
    assert not re.search(r"judged valid|\d valid\b(?!, 1)|\| valid \||counts as valid", card)
    assert page.count("<svg") >= 3
    manifest = read_release_manifest(summary.dataset)
    stated = {s.stereotype: s for s in manifest.stereotypes}["man is to surgeon"]
    assert f"| man is to surgeon | {stated.pro_sentence} | {stated.anti_sentence} |" in card
    assert set(embedded(page)["columns"]["anti_sentence"]["values"]) == {
        s.anti_sentence for s in manifest.stereotypes
    }


def test_a_second_run_reuses_everything(first_look: Ran) -> None:
    study, first = first_look
    second = nextset.run(study)
    assert {s.built for s in second.stages} == {"reused"}
    assert second.accuracy == first.accuracy


def test_status_says_done(first_look: Ran) -> None:
    study, _ = first_look
    assert {(s.state, s.why) for s in nextset.status(study)} == {("done", "")}


def test_the_summary_can_be_read_by_a_script(first_look: Ran) -> None:
    _, summary = first_look
    assert json.loads(json.dumps(summary.as_json()))["dataset"] == str(summary.dataset)


def test_nothing_names_a_folder_of_this_machine(first_look: Ran) -> None:
    """An artifact is the same wherever the study lies."""
    study, _ = first_look
    here = str(study.folder).encode()
    for path in study.out.rglob("*"):
        if path.is_file():
            assert here not in path.read_bytes(), path


@pytest.mark.reference
def test_the_published_study_runs(published_bbnli: Ran) -> None:
    _, summary = published_bbnli
    counts = {s.stage: s.counts for s in summary.stages}["generate"]
    assert counts["full product"] == 62_808
    assert counts["audit rows"] == 2_290
    assert counts["test rows"] == 1_352
    rows = {s.stage: s.rows for s in summary.stages}
    assert rows["fill"]["items"] > 1_000
    assert rows["release"]["items"] > 0


def test_the_published_study_says_what_to_set(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NEXTSET_REFERENCE", raising=False)
    with pytest.raises(StudyError, match="NEXTSET_REFERENCE, which is not set"):
        nextset.generate(nextset.Study.load(root / "studies" / "published_bbnli"))
