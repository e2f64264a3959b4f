"""Studies over imported data: one's own pairs, and an earlier release."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import nextset
from nextset.errors import StudyError
from nextset.pipeline.stage_list import STAGES
from nextset.pipeline.stage_result import Summary, stage_result
from nextset.release.hub.push_refusals import refusals
from nextset.release.stage import build_release, release_recipe
from nextset.release.version_folder.release_manifest import ReleaseModel, read_release_manifest
from nextset.scoring.stage import score_recipe
from tests.release.version_folders import item, items_table, write_version

STUDY = """\
format: 1
name: imported
filter:
  models: [builtin:nli-electra, builtin:nli-roberta, builtin:nli-bart]
  held_out: [builtin:nli-albert]
validate: {judge: rule}
release: {name: imported, version: 0.1.0}
"""


def study(folder: Path) -> nextset.Study:
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    return nextset.Study.load(folder)


def test_an_earlier_release_can_be_filtered_again(
    first_look: tuple[nextset.Study, Summary], tmp_path: Path
) -> None:
    assert first_look[1].dataset is not None
    released = first_look[1].dataset / "data/items/test-00000-of-00001.parquet"
    target = study(tmp_path / "again")
    done = nextset.import_pairs(target, released)
    old = {row["id"]: row for row in pq.read_table(released).to_pylist()}
    new = {row["id"]: row for row in pq.read_table(done.file).to_pylist()}
    assert new.keys() == old.keys()
    summary = nextset.run(target)
    _lists_the_models_of(first_look[1].dataset, summary)
    rows = {s.stage: s.rows for s in summary.stages}
    assert rows["generate"]["items"] == 0
    assert rows["filter"]["kept"] + rows["filter"]["rejected"] == len(old)
    # Every counterpart is in the release already, so nothing is added that was not there.
    assert summary.dataset is not None
    again = pq.read_table(summary.dataset / "data/items/test-00000-of-00001.parquet")
    added = [row for row in again.to_pylist() if row["id"] not in old]
    # Except where a pronoun was filled in: in imported texts it is swapped with the group.
    assert all({"he", "she", "his", "her", "him"} & set(row["hypothesis"].split()) for row in added)


def _lists_the_models_of(earlier: Path, summary: Summary) -> None:
    """The new version names the models that had a part in the earlier one, and a push counts them."""
    assert summary.dataset is not None
    old, new = read_release_manifest(earlier), read_release_manifest(summary.dataset)
    of_earlier = [replace(m, version=None) for m in new.models if m.version == "first-look 0.1.0"]
    assert of_earlier == list(old.models)
    assert [m.role for m in new.models if m.version is None] == ["filter"] * 3 + ["held out"]
    text = (summary.dataset / "README.md").read_text(encoding="utf-8")
    assert "| builtin:masked-lm | fill of first-look 0.1.0 |" in text
    assert "Imported pairs come from first-look 0.1.0, whose card says how they were made" in text
    (toys,) = [r for r in refusals(summary.dataset, new, None, demo=False) if "built-in" in r.reason]
    assert "builtin:masked-lm (of first-look 0.1.0, which was imported)" in toys.reason
    assert "import versions that real models made" in toys.remedy


def test_other_models_of_an_import_make_the_scores_stale(tmp_path: Path) -> None:
    rows = items_table([item("Left-handed people are clumsy.")])
    version = write_version(tmp_path / "v", {"items": rows})
    target = study(tmp_path / "again")
    for stage in (nextset.generate, nextset.fill):
        stage(target)
    nextset.import_pairs(target, version)
    before = score_recipe(target)
    shutil.rmtree(version)
    filler = ReleaseModel(name="builtin:masked-lm", revision="0a", role="fill", pinned=True)
    nextset.import_pairs(target, write_version(version, {"items": rows}, models=(filler,)))
    assert score_recipe(target) != before


def test_ones_own_pairs_run_to_a_report(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    rows = [
        f"About one person in ten is left-handed.,Left-handed people are {word}.,left-handed,right-handed"
        for word in ("clumsy", "bright", "slow", "sad", "proud", "rude", "kind", "odd", "weak", "lazy")
    ]
    file.write_text("premise,hypothesis,group1,group2\n" + "\n".join(rows) + "\n")
    target = study(tmp_path / "pairs")
    values = {"stereotype": "left-handed is to clumsy", "domain": "handedness"}
    assert nextset.import_pairs(target, file, defaults=values).items == 10
    target.file.write_text(STUDY.replace("filter:\n", "filter:\n  candidates: [imported]\n"))
    target = nextset.Study.load(target.folder)
    for stage in (nextset.generate, nextset.fill, nextset.score, nextset.filter_candidates):
        artifact = stage(target)
    assert artifact.rows("kept") + artifact.rows("rejected") == 10


def judged_pairs(folder: Path) -> nextset.Study:
    """A study of German pairs without groups, which nobody judged and whose form is ok."""
    target = study(folder)
    every = "filter:\n  candidates: [imported]\n  rule: {margin_below: 1.0}\n"
    target.file.write_text(STUDY.replace("filter:\n", every))
    file = folder / "pairs.csv"
    rows = [
        f"Von zehn Leuten schreibt einer links.,{who} sind {word}.,de"
        for who in ("Männer", "Frauen")
        for word in ("freundlich", "mutig", "stark", "traurig", "laut")
    ]
    file.write_text("premise,hypothesis,language\n" + "\n".join(rows) + "\n", encoding="utf-8")
    target = nextset.Study.load(folder)
    nextset.import_pairs(target, file, defaults={"stereotype": "s", "domain": "gender"})
    for stage in (
        nextset.generate,
        nextset.fill,
        nextset.score,
        nextset.filter_candidates,
        nextset.apply_judgments,
    ):
        stage(target)
    return target


def test_what_nobody_judged_is_released_without_a_verdict(tmp_path: Path) -> None:
    target = study(tmp_path / "pairs")
    every = "filter:\n  candidates: [imported]\n  rule: {margin_below: 1.0}\n"
    settings = STUDY.replace("filter:\n", every).replace("0.1.0}", "0.1.0, verdicts: unanimous}")
    target.file.write_text(settings)
    file = tmp_path / "pairs.csv"
    header = "premise,hypothesis,stereotype,domain,group1,group2,stance_design"
    rows = [f"Ten met.,{text},s,gender,men,women,pro" for text in ("Men are loud.", "Men are are calm.")]
    file.write_text("\n".join([header, *rows]) + "\n")
    target = nextset.Study.load(target.folder)
    nextset.import_pairs(target, file)
    for stage in (nextset.generate, nextset.fill, nextset.score, nextset.filter_candidates):
        stage(target)
    assert nextset.apply_judgments(target).rows("form_ok") == 1
    released = build_release(target)
    # the rule found the form of one hypothesis ok; neither it nor its counterpart was judged
    items = released.table("items").sort_by("hypothesis")
    assert items.select(["hypothesis", "form_ok", "verdict", "judge"]).to_pylist() == [
        {"hypothesis": text, "form_ok": True, "verdict": None, "judge": None}
        for text in ("Men are loud.", "Women are loud.")
    ]
    assert released.counts["items not selected"] == 1


def test_a_lexicon_of_a_language_that_no_item_has_is_refused(tmp_path: Path) -> None:
    target = judged_pairs(tmp_path / "pairs")
    without = stage_result(STAGES["release"], nextset.build_release(target))
    assert [w.partition(" items")[2][:29] for w in without.warnings] == [" do not name a known group: t"]
    (target.folder / "fr.yaml").write_text(
        "format: 1\nlanguage: fr\nsets:\n  - {name: g, groups: [a, b], adjectives: [{a: grand, b: petit}]}\n"
    )
    text = target.file.read_text()
    target.file.write_text(text.replace("0.1.0}", "0.1.0, group_terms: fr.yaml}"))
    with pytest.raises(StudyError) as caught:
        nextset.build_release(nextset.Study.load(target.folder))
    assert caught.value.message == (
        "release.group_terms is 'fr.yaml', a lexicon for 'fr', but all items are in 'de'"
    )
    assert caught.value.file == target.file
    (target.folder / "fr.yaml").write_text(
        "format: 1\nlanguage: de\nsets:\n  - name: g\n    groups: [Männer, Frauen]\n"
        "    nouns: [{Männer: [Mann, Männer], Frauen: [Frau, Frauen]}]\n",
        encoding="utf-8",
    )
    assert nextset.build_release(nextset.Study.load(target.folder)).rows("items") > 0


def test_a_further_import_makes_a_release_without_controls_stale(tmp_path: Path) -> None:
    # the new item may be the counterpart of a doubtful one that is released
    target = judged_pairs(tmp_path / "s")
    written = target.file.read_text(encoding="utf-8")
    target.file.write_text(written.replace("version: 0.1.0}", "version: 0.1.0, controls: false}"))
    target = nextset.Study.load(target.folder)
    before = release_recipe(target)
    assert release_recipe(target) == before
    (tmp_path / "more.csv").write_text("premise,hypothesis,stereotype,domain\nTen met.,Women sat.,s,gender\n")
    nextset.import_pairs(target, tmp_path / "more.csv")
    assert release_recipe(target) != before


def test_nothing_to_filter_is_said(tmp_path: Path) -> None:
    target = study(tmp_path / "empty")
    nextset.generate(target)
    nextset.fill(target)
    with pytest.raises(StudyError, match="nothing to filter, because no items are filled or imported"):
        nextset.score(target)
