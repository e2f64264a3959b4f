"""The examples of docs/how_to/questions.md and docs/tutorials/bring_a_language.md are files that work."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import nextset
from nextset.generation.lint.pack_lint import lint_sets
from nextset.generation.questions.pack import read_pack
from nextset.generation.questions.published_corrections import corrections

DOCS = Path(__file__).parents[3] / "docs"


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_the_pack_of_the_guide_loads_without_findings(tmp_path: Path) -> None:
    for block in blocks("tutorials/bring_a_language.md", "yaml"):
        name = block.splitlines()[0].removeprefix("# ")
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block, encoding="utf-8")
    sets = read_pack(tmp_path / "de", "news").sets
    assert lint_sets(sets) == []
    assert nextset.lint(tmp_path / "de").findings == ()
    # 3 countries are 3 pairs; a man's and a woman's template; 2 attributes
    assert [(s.form, s.rows) for s in sets] == [("question", 12), ("statement", 12)]


@pytest.mark.slow
def test_the_study_of_the_guide_runs_and_its_rows_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    study = blocks("how_to/questions.md", "yaml")[0]
    (tmp_path / "my_questions").mkdir()
    (tmp_path / "my_questions" / "study.yaml").write_text(study, encoding="utf-8")
    nextset.run(nextset.Study.load(tmp_path / "my_questions"))
    monkeypatch.chdir(tmp_path)
    (code,) = blocks("how_to/questions.md", "python")
    exec(compile(code, "docs/how_to/questions.md", "exec"), {})
    assert capsys.readouterr().out.startswith("1000 ")


@pytest.mark.reference
def test_the_published_lists_of_the_guide_are_read(tmp_path: Path, reference: Path) -> None:
    study = "format: 1\nname: published\n" + blocks("how_to/questions.md", "yaml")[1] + "  subset: 10\n"
    (tmp_path / "study.yaml").write_text(study, encoding="utf-8")
    artifact = nextset.generate(nextset.Study.load(tmp_path))
    assert artifact.rows("quads") == artifact.rows("statements") == 4 * 10


@pytest.mark.reference
def test_the_guide_lists_what_lint_finds_in_the_published_lists(reference: Path) -> None:
    """The known slips, as `nextset lint` names them: by rule, and how many."""
    found = nextset.lint(reference / "unqover_word_lists").findings
    page = (DOCS / "reference" / "published_corrections.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([a-z-]+)` \| (\d+) \|", page, re.MULTILINE)
    assert {rule: int(n) for rule, n in listed} == Counter(f.rule for f in found)
    said = {(f.rule, f.name, f.file.name) for f in found}
    assert ("paradigm", "Yemen", "country") in said
    assert ("overlapping", "Catholic", "religion") in said
    assert ("fixed-text", "10", "religion_noact_lm") in said


def test_the_guide_lists_every_correction() -> None:
    page = (DOCS / "reference" / "published_corrections.md").read_text(encoding="utf-8")
    for head, published, mended in corrections():
        row = f"| {f'`{head}`' if head else 'templates'} | `{published}` | `{mended}` |"
        assert row.replace("\t", " / ") in page
