"""Studies of questions: from word lists to quads, and what is refused before anything is written."""

from __future__ import annotations

import csv
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.cli.app import app
from nextset.errors import ArtifactError, InputError, StudyError, WordListError
from nextset.release.version_folder.release_manifest import read_release_manifest

WORDS = Path(__file__).parents[1] / "generation" / "questions"

STUDY = """\
format: 1
name: pets
questions:
  packs: [small_pack]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study of a small pack, with small lists in the published layout beside it."""
    for name in ("small_pack", "small_published"):
        shutil.copytree(WORDS / name, tmp_path / "pets" / name)
    return with_study(tmp_path / "pets", STUDY)


def with_study(folder: Path, text: str) -> Path:
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    return folder


def load(folder: Path) -> nextset.Study:
    return nextset.Study.load(folder)


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)])


def content(folder: Path) -> dict[str, bytes]:
    files = (p for p in sorted(folder.rglob("*")) if p.is_file() and not p.name.startswith("."))
    return {str(p.relative_to(folder)): p.read_bytes() for p in files}


def test_a_study_of_questions_ends_when_they_are_made(folder: Path) -> None:
    done = call("run", folder)
    assert done.exit_code == 0, done.stderr
    assert "30 quads, 24 statements" in done.stdout
    assert str(folder / "out" / "generate") in done.stdout
    assert [(s.stage, s.state) for s in nextset.status(load(folder))] == [("generate", "done")]
    artifact = open_artifact(folder / "out" / "generate")
    assert artifact.counts["places quads"] == 18
    # 12 + 18 quads and 12 + 12 statements: tests/generation/questions/test_pack.py shows the arithmetic
    assert artifact.rows("quads") == 30
    assert artifact.rows("statements") == 24
    sources = {row["attribute"]: row["source"] for row in artifact.table("attributes").to_pylist()}
    assert sources["rude"] == "Somebody 1999"
    (used,) = artifact.table("packs").to_pylist()
    assert used == {
        "language": "en",
        "direction": "ltr",
        "checked_by": "",
        "accepted": [],
        "classes": ["pets", "places"],
    }
    again = nextset.run(load(folder))
    assert [s.built for s in again.stages] == ["reused"]
    assert json.loads(call("run", folder, "--json").stdout)["dataset"] is None


RELEASE = "release: {name: pets, version: 1.0.0, license: cc0-1.0, by_domain: true, formats: [jsonl]}\n"


def test_a_study_of_questions_ends_with_a_dataset_version(folder: Path) -> None:
    from datasets import get_dataset_config_names, load_dataset

    with_study(folder, STUDY + RELEASE)
    summary = nextset.run(load(folder))
    assert [s.stage for s in summary.stages] == ["generate", "release", "release_report", "dataset_version"]
    assert summary.dataset == folder / "out" / "dataset" / "pets-1.0.0"
    dataset = str(summary.dataset)
    assert get_dataset_config_names(dataset)[:2] == ["questions", "statements"]
    assert load_dataset(dataset)["test"].num_rows == 30
    assert load_dataset(dataset, "statements")["test"].num_rows == 24
    # 12 quads of pets and 18 of places; the statements' classes have names of their own
    assert load_dataset(dataset, "places")["test"].num_rows == 18
    card = (summary.dataset / "README.md").read_text(encoding="utf-8")
    assert "natural language inference" not in card
    assert "No native speaker has checked the language pack en" in card
    manifest = read_release_manifest(summary.dataset)
    assert (manifest.kind, manifest.judge, manifest.models) == ("questions,statements", "nobody", ())
    lines = (summary.dataset / "jsonl" / "statements-test.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["canary"] for line in lines} == {manifest.canary}
    assert len(lines) == 24


def test_a_quad_that_is_withdrawn_makes_its_set_incomplete_unless_that_is_waived(folder: Path) -> None:
    draft = STUDY + RELEASE.replace("}", ", draft: true}")
    with_study(folder, draft)
    study = load(folder)
    nextset.run(study)
    first = open_artifact(folder / "out" / "release").table("questions")["id"][0].as_py()
    nextset.withdraw_items(study, [first], "the pair of subjects is misleading")
    lacking = r"pairs and sets of counterparts that lack a member: 1 of \d+"
    with pytest.raises(ArtifactError, match=lacking) as caught:
        nextset.run(study)
    assert "pair_findings.csv" in caught.value.remedy
    with (folder / "out" / "pair_findings.csv").open(newline="", encoding="utf-8") as file:
        (finding,) = csv.DictReader(file)
    assert (finding["kind"], finding["item_id"], finding["text"]) == ("missing", "", "")
    with_study(folder, draft.replace("}", ", waivers: {incomplete: one pair was misleading}}"))
    summary = nextset.run(load(folder))
    assert summary.dataset is not None
    assert open_artifact(folder / "out" / "release").rows("questions") == 29
    card = (summary.dataset / "README.md").read_text(encoding="utf-8")
    assert "one pair was misleading" in card


def test_the_same_study_gives_the_same_bytes_and_a_changed_list_other_ones(
    folder: Path, tmp_path: Path
) -> None:
    nextset.generate(load(folder))
    other = Path(shutil.copytree(folder, tmp_path / "other", ignore=shutil.ignore_patterns("out")))
    nextset.generate(load(other))
    assert content(folder / "out") == content(other / "out")
    path = other / "small_pack" / "subjects" / "cats.yaml"
    path.write_text(path.read_text().replace("Ivy", "Eve"))
    assert nextset.status(load(other))[0].state == "stale"
    assert nextset.generate(load(other)).built == "made"


def test_a_subset_is_part_of_the_whole(folder: Path) -> None:
    whole = nextset.generate(load(folder)).table("quads")
    with_study(folder, STUDY + "  subset: 7\n  seed: 3\n")
    artifact = nextset.generate(load(folder))
    assert artifact.rows("quads") == 14  # 7 of each class
    ids = artifact.table("quads")["id"].to_pylist()
    assert set(ids) < set(whole["id"].to_pylist())
    with_study(folder, STUDY + "  subset: 7\n  seed: 4\n")
    assert nextset.generate(load(folder)).table("quads")["id"].to_pylist() != ids


def test_published_lists_make_a_study_too(folder: Path) -> None:
    with_study(
        folder,
        STUDY.replace("small_pack", "small_published")
        + "  prefix: news\n  quirks: published\n  masked_for: tiny\n  forms: [statement]\n",
    )
    artifact = nextset.generate(load(folder))
    assert (artifact.rows("quads"), artifact.rows("statements")) == (0, 2)
    assert artifact.table("statements")["context_12"].to_pylist()[0] == "(TOWN) --  An apple lay by a plum."


KILLED = """
import os, signal, sys
from nextset.study.study_folder import Study
from nextset.generation.questions import product_rows
import nextset
product_rows.ROWS = 4
nth, seen = int(sys.argv[2]), 0
def hook(event, args):
    global seen
    if event == "os.rename" and "generate" in str(args[0]):
        seen += 1
        if seen == nth:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(hook)
nextset.generate(Study.load(sys.argv[1]))
"""


@pytest.mark.parametrize("nth", [1, 6, 12])
def test_a_killed_expansion_goes_on_to_the_same_bytes(folder: Path, tmp_path: Path, nth: int) -> None:
    other = Path(shutil.copytree(folder, tmp_path / "other"))
    killed = [sys.executable, "-c", KILLED, str(folder)]
    assert subprocess.run([*killed, str(nth)], check=False).returncode == -signal.SIGKILL
    assert subprocess.run([*killed, "999"], check=False).returncode == 0
    assert subprocess.run([sys.executable, "-c", KILLED, str(other), "999"], check=False).returncode == 0
    assert content(folder / "out") == content(other / "out")
    assert len(list((folder / "out" / "generate").glob("quads/*"))) > 3


REFUSED = [
    ("  classes: [pets, birds]\n", 5, "no pack has the class 'birds'", "pets, places"),
    ("  quirks: published\n", 5, "questions.quirks is for folders", "remove quirks"),
    ("  masked_for: roberta\n", 5, "questions.masked_for is for folders", "remove masked_for"),
    ("  prefix: nothing\n", 1, "no prefix 'nothing'", "news"),
    ("  prefix: ../../secret\n", 5, "questions.prefix", "write it like 'once'"),
    ("  masked_for: ../x\n", 5, "questions.masked_for", "'roberta'"),
    ("  classes: [../pets]\n", 5, "questions.classes", "'gender'"),
    ("  subset: 0\n", 5, "questions.subset", "write 1 or more"),
    ("  subset: yes\n", 5, "questions.subset", "write a whole number"),
    ("  forms: []\n", 5, "questions.forms", "write at least 1"),
    ("  sample: 9\n", 5, "unknown key 'questions.sample'", "subset"),
    (
        "generate: {max_rows: 53}\n",
        None,
        "expand to 54 rows, more than 53 (18 of them are places questions)",
        "subset",
    ),
]


@pytest.mark.parametrize(("more", "line", "says", "remedy"), REFUSED)
def test_a_wrong_study_is_refused_and_nothing_is_written(
    folder: Path, more: str, line: int | None, says: str, remedy: str
) -> None:
    with_study(folder, STUDY + more)
    with pytest.raises(InputError) as caught:
        nextset.generate(load(folder))
    assert says in caught.value.message
    assert remedy in caught.value.remedy
    if line and line > 1:
        assert caught.value.line == line
    assert content(folder / "out") == {}
    assert not (folder / "out" / "generate.partial").exists()


@pytest.mark.parametrize(
    ("packs", "says"),
    [
        ("[small_pack, small_pack]", "two packs have the class 'pets'"),
        ("[nowhere]", "neither a language pack nor a folder"),
        ("['builtin:xx']", "nextset has no language pack 'builtin:xx'"),
        (f"[{'a' * 300}]", "File name too long"),
        ("['builtin:../en']", "nextset has no language pack"),
        ("[]", "questions.packs"),
        ("['$NOWHERE_SET/x']", "NOWHERE_SET, which is not set"),
    ],
)
def test_packs_that_are_none_are_refused(folder: Path, packs: str, says: str) -> None:
    with_study(folder, STUDY.replace("[small_pack]", packs))
    with pytest.raises(StudyError) as caught:
        nextset.generate(load(folder))
    assert says in caught.value.message


def test_a_product_of_millions_is_counted_and_refused_at_once(folder: Path) -> None:
    # 8,000 places are 31,996,000 pairs, × 3 questions and × 2 statements; pets have 12 of each
    listed = "".join(f"  P{i}: {{forms: {{dem: D{i}}}}}\n" for i in range(8_000))
    path = folder / "small_pack" / "subjects" / "places.yaml"
    path.write_text("format: 1\nsubjects:\n" + listed)
    with pytest.raises(WordListError, match="159,980,024 rows") as caught:
        nextset.generate(load(folder))
    assert "question" in caught.value.message
    assert not (folder / "out" / "generate.partial").exists()


def test_templates_that_are_too_many_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    folder = nextset.new_study(tmp_path / "mine").file.parent
    with (folder / "study.yaml").open("a", encoding="utf-8") as f:
        f.write("generate: {max_rows: 13}\n")
    # 4 rows of hypotheses, 6 masked, 4 of tests: tests/nextset/cli/test_commands.py shows the arithmetic
    with pytest.raises(InputError, match="14 rows, more than 13"):
        nextset.generate(load(folder))
    assert content(folder / "out") == {}


def test_a_class_that_is_renamed_is_made_anew(folder: Path) -> None:
    with_study(folder, STUDY.replace("small_pack", "small_published"))
    assert set(nextset.generate(load(folder)).table("quads")["subject_class"].to_pylist()) == {"fruit"}
    for path in [p for p in (folder / "small_published").rglob("*fruit*") if p.is_file()]:
        path.rename(path.with_name(path.name.replace("fruit", "veg")))
    assert nextset.status(load(folder))[0].state == "stale"
    assert set(nextset.generate(load(folder)).table("quads")["subject_class"].to_pylist()) == {"veg"}


def test_a_class_without_the_wanted_form_is_refused(folder: Path) -> None:
    path = folder / "small_pack" / "templates" / "pets.yaml"
    path.write_text(path.read_text().split("statements:")[0])
    with_study(folder, STUDY + "  classes: [pets]\n  forms: [statement]\n")
    with pytest.raises(StudyError, match="the class 'pets' has no statements"):
        nextset.generate(load(folder))


def test_preview_shows_questions_behind_the_warning(folder: Path) -> None:
    shown = call("preview", folder, "-n", "1").stdout
    assert shown.index("Content warning") < shown.index(" met ") < shown.index(" lies north of ")
    assert "pets questions" in shown
    assert "language pack not checked by a native speaker: en" in shown
    reckoned = json.loads(call("preview", folder, "--json").stdout)
    assert reckoned["items"]["places statements"] == 12
    assert reckoned["scorings"] == {}


def test_preview_counts_the_inputs_of_questions(folder: Path) -> None:
    # 12 + 18 quads, four inputs each: two filter models, one held out
    rest = "filter: {candidates: [questions], models: [a, b], held_out: [c], rule: sign_consistent}\n"
    with_study(folder, STUDY + rest)
    scorings = json.loads(call("preview", folder, "--json").stdout)["scorings"]
    assert scorings == {"filter": 4 * 30 * 2, "held out and audit, at most": 4 * 30}
    assert "inputs to score, filter: 240" in call("preview", folder).stdout


def test_lint_of_the_study_lints_its_packs(folder: Path) -> None:
    path = folder / "small_pack" / "templates" / "places.yaml"
    path.write_text(path.read_text().replace("walked with a [subj2", "walked with the [subj2"))
    whole = folder / "small_pack"
    for target in (folder, whole, whole / "pack.yaml", whole / "subjects" / "cats.yaml", whole / "subjects"):
        done = call("lint", target)
        assert done.exit_code == 3
        assert f"{path.name}:5: asymmetric: walk.f" in done.stdout
    published = call("lint", folder / "small_published")
    assert published.stdout.strip() == "files: 4, findings: 0"
    (folder / "small_published" / "slots" / "fruit_noact").write_text("nothing\n")
    assert call("lint", folder / "small_published").exit_code == 3


def test_a_study_without_questions_still_needs_its_filter(folder: Path) -> None:
    with pytest.raises(StudyError, match="there is nothing to generate"):
        load(with_study(folder, "format: 1\nname: x\n"))
    with pytest.raises(StudyError, match="'release' is missing"):
        load(with_study(folder, STUDY + "filter: {models: [builtin:nli-bart]}\n"))
    with pytest.raises(StudyError, match="'filter' is missing") as caught:
        nextset.score(load(with_study(folder, STUDY)))
    assert "models" in caught.value.remedy
