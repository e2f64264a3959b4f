"""What notebooks show for results: every text is escaped, and only tables and paragraphs are made."""

from __future__ import annotations

import dataclasses
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nextset
from nextset.artifacts.artifact import Artifact, Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.auditing.probe.probe_records import (
    AnswerProbe,
    PairAnswer,
    PairProbe,
    ProbableWords,
    QuadAnswer,
    QuadArrangement,
    QuadProbe,
    TextAnswer,
    WordAnswer,
    WordProbe,
)
from nextset.cli.linted import Linted
from nextset.generation.preview import DerivedForms, Preview
from nextset.html.content_warning import CONTENT_WARNING
from nextset.html.notebook_html import TableHead, notebook_line, notebook_table
from nextset.html.svg import drawable
from nextset.lint_rules import Finding
from nextset.pipeline.stage_result import StageResult, Summary
from nextset.pipeline.status import StageStatus, StudyStatus
from nextset.scoring.checks.model_check import CheckedModel, CheckedModels

HOSTILE = st.one_of(
    st.text(),
    st.sampled_from(
        (
            "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "' onmouseover='alert(1)", "</td>",
            "<!-- ", "&lt;b&gt;", "$\\href{javascript:alert(1)}{x}$", "a\x00b", "\ud800", "\u202eabc",
        )
    ),
)  # fmt: skip
TAGS = {"div", "p", "strong", "code", "table", "thead", "tbody", "tr", "th", "td"}
ATTRIBUTES = {"class", "style", "dir", "lang"}


class Reader(HTMLParser):
    """Collects the texts of paragraphs, headings and cells; other tags and attributes are an error."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.languages: list[str | None] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        assert {name for name, _ in attrs} <= ATTRIBUTES
        self.open.append(tag)
        self.languages += [value for name, value in attrs if name == "lang"]
        if tag in ("p", "th", "td"):
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        assert self.open
        self.texts[-1] += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)

    def handle_pi(self, data: str) -> None:
        raise AssertionError(data)


def shown(result: object) -> list[str]:
    """The texts of what a notebook shows for ``result``."""
    html = result._repr_html_()  # type: ignore[attr-defined]
    assert html.startswith('<div class="tex2jax_ignore mathjax_ignore">')  # no formulas are made of texts
    html.encode()  # a notebook is a UTF-8 file
    return Reader(html).texts


@given(HOSTILE, HOSTILE, HOSTILE)
def test_a_table_shows_texts_as_they_are(column: str, text: str, language: str) -> None:
    read = Reader(notebook_table([column], [[text], [None]], languages=[language]))
    assert read.texts == [drawable(column), drawable(text), "–"]
    assert read.languages == ([drawable(language)] if language else [])
    assert Reader(notebook_line(text, title=column, code=language)).open == []


@given(HOSTILE)
def test_every_result_shows_texts_as_they_are(text: str) -> None:
    name = drawable(text)
    assert name in shown(TableHead(text, 1, (text,), ({text: text},)))
    assert name in shown(StudyStatus([StageStatus("generate", "wrong", text, {})]))
    assert name in shown(Linted((), (Finding(Path("a.yaml"), 1, "spacing", text),)))
    assert name in shown(CheckedModels([CheckedModel(text, None, text, text)]))
    result = StageResult("filter", "made", {}, {}, (), (text,), (text,))
    assert shown(Summary(text, (result,), (), None, None, None, None, version=text)).count(name) >= 2


@given(HOSTILE)
def test_a_preview_shows_texts_as_they_are(text: str) -> None:
    quad = {
        "language": text, "subject_class": text, "attribute": text, "context_12": text,
        "question": text or "?", "question_negated": text or "?",
    }  # fmt: skip
    previewed = Preview(
        items={text: 1},
        filled=0,
        prompts=0,
        scorings={text: 1},
        examples=(),
        questions=(quad,),
        unchecked=(text,),
        checked=(text,),
        derived=(DerivedForms("de", text, text, (text,)),),
        section_examples={"ambiguous": ({"question": text, "context": text, "answers": (text,)},)},
    )
    read = shown(previewed)
    assert CONTENT_WARNING in read
    assert read.count(drawable(text)) >= 6


@given(HOSTILE)
def test_a_probe_shows_texts_as_they_are(text: str) -> None:
    name = drawable(text)
    answer = PairAnswer(
        model=text, form="nli", premise=text, asked="", exchanged=False, entailment=0.5, neutral=None,
        contradiction=None, label="entailment",
    )  # fmt: skip
    pair = PairProbe(premise=text, hypothesis=text, question="", subjects=None, answers=(answer,))
    assert shown(pair)[6:] == [name, f"{name} ", "0.5", "–", "–", "entailment"]
    words = WordAnswer(model=text, words=(ProbableWords(words=(text,), probabilities=(0.25,)),))
    assert shown(WordProbe(text=text, answers=(words,)))[3:] == [name, name, "0.25"]
    found = TextAnswer(model=text, text=text, start=0, end=1, score=0.5)
    assert shown(AnswerProbe(context=text, question=text, answers=(found,)))[3:] == [
        name,
        name or "no answer",
        "0.5",
    ]
    arrangement = QuadArrangement(
        context=text, asked="", named_first=text, negated=False, subject1=0.5, subject2=0.25,
        no_answer=None, answer=text,
    )  # fmt: skip
    of_quad = QuadAnswer(
        model=text, form="question", arrangements=(arrangement,), positional_error=0.0, attribute_error=0.0,
        b1=0.0, b2=0.0, c=0.0, order_matters=False, finding=text,
    )  # fmt: skip
    quad = QuadProbe(
        context=text, subjects=(text, text), question=text, question_negated=text, statement="",
        statement_negated="", note=text, answers=(of_quad,),
    )  # fmt: skip
    assert shown(quad)[6:12] == [name, f"{name} ", "0.5", "0.25", "–", name or "neither"]


def made(folder: Path, column: str, rows: list[object], count: str = "x") -> Artifact:
    table = pa.table({column: rows})
    parts = [
        Part("kept", lambda: PartResult(table, {count: len(rows)})),
        Part("rest", lambda: PartResult(table)),
    ]
    return build(folder, Recipe("filter", 1, settings={"c": column, "n": count}), lambda: parts)


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1), HOSTILE.filter(lambda t: "\ud800" not in t)
)
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_artifact_shows_texts_as_they_are(tmp_path: Path, column: str, text: str) -> None:
    written = text.encode("utf-8", "replace").decode()
    artifact = made(tmp_path / "out" / str(len(list(tmp_path.glob("out/*")))), column, [written], column)
    read = shown(artifact)
    assert read[:4] == [
        f"{artifact.folder.name} artifact with the digest {artifact.digest}",
        "table",
        "rows",
        "columns",
    ]
    assert read[4:7] == ["kept", "1", drawable(column)]
    assert read[-2:] == [drawable(column), "1"]
    assert shown(artifact.head("kept"))[-2:] == [drawable(column), drawable(written)]


def test_the_head_of_a_table(tmp_path: Path) -> None:
    artifact = made(tmp_path / "filter", "hypothesis", ["a", None, "c"])
    head = artifact.head("kept", rows=2)
    assert repr(head) == "<kept: 2 of 3 rows>"
    assert shown(head) == ["kept: 2 of 3 rows", CONTENT_WARNING, "hypothesis", "a", "–"]
    assert artifact.head("kept", rows=9).rows == (
        {"hypothesis": "a"},
        {"hypothesis": None},
        {"hypothesis": "c"},
    )
    assert artifact.head("kept", rows=0).rows == ()
    with pytest.raises(ValueError, match="rows is -1"):
        artifact.head("kept", rows=-1)
    with pytest.raises(nextset.ArtifactError, match="no table 'keept'"):
        artifact.head("keept")
    with pytest.raises(nextset.ArtifactError, match="no column 'premise'") as found:
        artifact.head("kept", columns=["premise"])
    assert found.value.remedy == "use one of hypothesis"


def test_numbers_are_not_called_texts(tmp_path: Path) -> None:
    head = made(tmp_path / "audit", "value", [0.123456, 1234567.0, None]).head("kept")
    assert shown(head) == ["kept: 3 of 3 rows", "value", "0.1235", "1.235e+06", "–"]
    nested = made(tmp_path / "votes", "votes", [[{"judge": "a", "said": "x"}, {"judge": "b", "said": None}]])
    assert shown(nested.head("kept"))[-1] == "judge: a, said: x; judge: b"
    flags = made(tmp_path / "flags", "n", [True, False]).head("kept")
    assert shown(flags)[-2:] == ["yes", "no"]


def test_a_damaged_artifact_is_still_shown(tmp_path: Path) -> None:
    artifact = made(tmp_path / "filter", "hypothesis", ["a"])
    (artifact.folder / artifact.shards[0].file).write_bytes(b"")
    assert shown(artifact)[6].endswith("is missing, truncated or altered")


def test_a_study_shows_its_stages_and_the_next_command(tmp_path: Path) -> None:
    folder = tmp_path / "<b>mine & yours"
    study = nextset.new_study(folder)
    read = shown(study)
    assert read[0] == "b-mine-yours is a study in the folder <b>mine & yours"
    assert read[1:7] == ["stage", "state", "rows", "generate", "missing", ""]
    assert read[-1] == "Next: nextset.run(study)"
    nextset.generate(study)
    assert shown(study)[4:7] == ["generate", "done", "8 items, 6 masked"]
    (folder / "study.yaml").write_text("format: 1\nname: small\ntemplates: [templates]\n", encoding="utf-8")
    small = nextset.Study.load(folder)
    nextset.generate(small)
    nextset.fill(small)
    assert shown(small)[-1] == "Every stage is done."


def test_a_preview_shows_its_examples(tmp_path: Path) -> None:
    previewed = nextset.preview(nextset.new_study(tmp_path / "mine").file.parent, examples=1)
    read = shown(previewed)
    assert read.index(CONTENT_WARNING) < read.index("Women care more about the people in hospitals than men.")
    assert "Men are too {{MASK:adj like signs_of_coldness}} for jobs in nursing." in read
    hostile = dataclasses.replace(previewed.examples[0], hypothesis="<i>x</i>")
    assert "<i>x</i>" in shown(dataclasses.replace(previewed, examples=(hostile,)))


def test_lint_takes_a_study(tmp_path: Path) -> None:
    study = nextset.new_study(tmp_path / "mine")
    assert nextset.lint(study) == nextset.lint(tmp_path / "mine")
    assert shown(nextset.lint(study)) == ["files: 2, findings: 0"]


def test_models_that_were_checked_are_shown(tmp_path: Path) -> None:
    read = shown(nextset.check_models(["builtin:nli-electra", str(tmp_path / "none")]))
    assert read[7:10] == ["builtin:nli-electra", "NLI classifier", "nli"]
    assert "entailment, neutral, contradiction" in read
    assert read[-1].endswith(")")
    assert "problem" not in shown(nextset.check_models(["builtin:nli-electra"]))


def test_paths_of_results_begin_at_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    summary = Summary("x", (), (), tmp_path / "out" / "dataset", Path("report"), Path("/elsewhere"), None)
    assert "dataset='out/dataset', report='report', filter_report='/elsewhere'" in repr(summary)
