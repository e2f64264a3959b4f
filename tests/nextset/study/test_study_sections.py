"""study.yaml: what is read, and what is refused with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic.types import Strict

import nextset
from nextset.cli.study_lint import lint_study_file
from nextset.errors import InputError, StudyError
from nextset.files.yaml_model import HandWritten
from nextset.pipeline.stage_list import stages_of
from nextset.study.study_folder import Study
from nextset.study.study_sections import StudyFile

GOOD = """\
format: 1
name: small
templates: [one.yaml]
filter:
  models: [builtin:nli-electra]
release:
  name: small
  version: 0.1.0
"""

SESSION = (
    GOOD
    + """\
validate:
  session:
    consent: Somebody runs this study for something.
    support: "Dr. A. Example, +00 000"
    budget: {batch: 5, person: 10, pause: 0}
    overlap: 2
"""
)


EMPTY_TEMPLATES = re.sub(r"(?m)^templates: .*$", "templates: []", GOOD)


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "study.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def refused(folder: Path, text: str | bytes) -> StudyError:
    with pytest.raises(StudyError) as caught:
        Study.load(write(folder, text))
    return caught.value


def test_a_study_is_read_with_its_defaults(tmp_path: Path) -> None:
    study = Study.load(write(tmp_path, GOOD))
    assert study.settings.fill.top_k == 20
    assert study.settings.validate_.judge == "people"
    assert study.out == tmp_path.resolve() / "out"


def test_keep_sets_the_number_of_words_and_the_fluency(tmp_path: Path) -> None:
    fill = Study.load(write(tmp_path, GOOD + "fill: {keep: best 8 of 30 by fluency}\n")).settings.fill
    assert (fill.top_k, fill.fluency) == (30, True)


@pytest.mark.parametrize(
    ("wrong", "line", "says", "remedy"),
    [
        (GOOD.replace("  models:", "  modles:"), 5, "unknown key 'filter.modles'", "'models'"),
        (GOOD.replace("templates:", "tempaltes:"), 3, "unknown key 'tempaltes'", "'templates'"),
        (GOOD.replace("format: 1", "format: 0"), 1, "format", "write 1"),
        (EMPTY_TEMPLATES, 3, "templates: the list is empty", "write at least 1 of them, or remove the key"),
        (GOOD.replace("format: 1", f"format: {'9' * 20}"), 1, "a newer version", "do not delete it"),
        (GOOD.replace("format: 1", "format: 2"), 1, "in format 2: this is nextset 0.", "do not delete it"),
        (
            GOOD.replace("format: 1", 'format: "12"\nnovel: {}'),
            1,
            "reads format 1",
            "newest version of nextset",
        ),
        (GOOD.replace("[builtin:nli-electra]", "[]"), 5, "filter.models: the list is empty", "1 of them"),
        (
            "format: 1\nname: s\nquestions: {packs: ['builtin:en']}\naudit: {models: []}\n",
            4,
            "audit: no model is named",
            "add audit: {models",
        ),
        (GOOD + "models: {builtin:nli-bart: {}}\n", 9, "models: no section names a model", "did you mean"),
        (GOOD.replace("release:\n  name: small\n", "release:\n"), 6, "'release.name' is missing", "name"),
        (GOOD.replace("0.1.0", "first"), 8, "first", "write it like '0.1.0'"),
        (
            GOOD + "models:\n  builtin:nli-electra: {labls: [a, b, c]}\n",
            10,
            "unknown key 'models.builtin:nli-electra.labls'",
            "'labels'",
        ),
        (GOOD.replace("0.1.0", "0.1"), 8, "release.version", "write it like '0.1.0'"),
        (GOOD.replace("  name: small", "  name: my set"), 7, "my set", "write it like 'my-dataset'"),
        (GOOD.replace("  name: small", "  name: Größe Ä"), 7, "Größe Ä", "write it like 'Grosse-A'"),
        (GOOD + "language: english!\n", 9, "english!", "write it like 'en'"),
        (GOOD + "fill: {top_k: 0}\n", 9, "fill.top_k", "write 1 or more"),
        (GOOD + "fill: {top_k: many}\n", 9, "fill.top_k", "write a whole number, without quotes"),
        (GOOD + "fill: {top_k: true}\n", 9, "fill.top_k", "write a whole number, without quotes"),
        (GOOD + "fill: {top_k: 1.0}\n", 9, "fill.top_k", "write 1, without quotes"),
        (GOOD + "fill: {top_k: 1e3}\n", 9, "fill.top_k", "write 1000, without quotes"),
        (GOOD + "fill: {top_k: '3'}\n", 9, "fill.top_k", "write 3, without quotes"),
        (GOOD + "fill: {top_k: .5}\n", 9, "fill.top_k", "write a whole number, without quotes"),
        (GOOD + f"fill: {{top_k: {'9' * 20}}}\n", 9, "fill.top_k: too large", "write 1000 or less"),
        (
            GOOD + "fill:\n  top_k: true\n  keep: best 1 of 1 by fluency\n",
            10,
            "fill.top_k: not a whole number",
            "write a whole number, without quotes",
        ),
        (
            GOOD + "fill:\n  marks: true\n  keep: best 8 of 2000 by fluency\n",
            11,
            "fill.keep: at most 1000 words",
            "'best 8 of 20 by fluency'",
        ),
        (
            GOOD + "fill:\n  fluency: false\n  keep: best 8 of 20 by fluency\n",
            11,
            "fill.keep: it needs fluency, but fluency is false",
            "remove fluency: false, or keep",
        ),
        (
            GOOD + "fill:\n  top_k: 21\n  keep: best 8 of 20 by fluency\n",
            11,
            "fill.keep: it takes 20 words, but top_k is a different number",
            "remove top_k, or write top_k: 20",
        ),
        (GOOD.replace("format: 1", "format: true"), 1, "format: not a whole number", "a whole number"),
        (
            GOOD.replace("format: 1", "format: 1.0"),
            1,
            "format: not a whole number",
            "write 1, without quotes",
        ),
        (GOOD + "fill: {fluency: 1.0}\n", 9, "fill.fluency: neither true nor false", "write true or false"),
        (GOOD + "fill: {premise: 'no'}\n", 9, "fill.premise: neither true nor", "write true or false"),
        (GOOD + "scoring: {cache: 0}\n", 9, "scoring.cache: neither true nor", "write true or false"),
        (GOOD + "fill: {top_k: 1:30}\n", 9, "base 60", "write it in base 10"),
        (GOOD + "fill: {premise: often}\n", 9, "fill.premise", "write true or false"),
        (GOOD + "fill: {groups: both}\n", 9, "fill.groups", "write 'apart' or 'joint'"),
        (GOOD + "about: 2\n", 9, "about", 'write text in quotes, such as about: "2"'),
        (GOOD + "overlays: mine.yaml\n", 9, "overlays", "write a list, such as overlays: [mine.yaml]"),
        (GOOD + "fill: builtin:masked-lm\n", 9, "fill", "write its keys below fill, indented"),
        (GOOD + "validates: 1\n", 9, "unknown key 'validates'", "'validate'"),
        (GOOD + "validate: {judges: rule}\n", 9, "unknown key 'validate.judges'", "'judge'"),
        (SESSION.replace("overlap", "overlop"), 14, "validate.session.overlop", "'overlap'"),
        (SESSION.replace("overlap: 2", "overlap: 0"), 14, "validate.session.overlap: ", "write 1 or more"),
        (SESSION.replace("overlap: 2", "overlap: 0.5"), 14, "validate.session.overlap: ", "write 1 or more"),
        (SESSION.replace("overlap: 2", "overlap: .nan"), 14, "validate.session.overlap", "write"),
        (SESSION.replace("overlap: 2", "overlap: true"), 14, "not a number", "write a number"),
        (
            SESSION.replace("overlap: 2", "overlap: 1.5\n    agree: 2"),
            10,
            "2 annotators cannot agree if overlap is 1.5",
            "write overlap: 2, or remove agree",
        ),
        (
            SESSION.replace("overlap: 2", "overlap: 2.9\n    agree: 3"),
            10,
            "3 annotators cannot agree if overlap is 2.9",
            "write agree: 2, or a higher overlap",
        ),
        (
            SESSION.replace("overlap: 2", "warning: x"),
            14,
            "too short to describe what annotators",
            "write a sentence",
        ),
        (
            SESSION.replace("overlap: 2", "agree: 4"),
            10,
            "4 annotators cannot agree if overlap is 3",
            "write agree: 3, or a higher overlap",
        ),
        (GOOD + "name: twice\n", 9, "the key 'name' is listed twice", "remove one of them"),
        (GOOD + "about: [\n", 10, "not YAML", "indentation"),
        (GOOD + "about: !!python/object:os.system x\n", 9, "", "plain YAML"),
        (GOOD + "about: &a [x]\noverlays: *a\n", 9, "an alias", "write the text out"),
        (GOOD + 'about: "\\ud800"\n', 9, "lone surrogate", "write the character"),
        (GOOD + "about: 2001-99-99\n", 9, "month", "quotes"),
        (
            GOOD + "about: " + "[" * 100_000 + "\n",
            9,
            "nested too deeply",
            "write fewer nested brackets",
        ),
        (GOOD + "about: a\0b\n", 9, "NUL", "remove"),
        (GOOD + "language: no\n", 9, "in the expected form (here: no)", 'put it in quotes, such as "no"'),
    ],
)
def test_what_is_wrong_is_named_with_its_line(
    tmp_path: Path, wrong: str, line: int | None, says: str, remedy: str
) -> None:
    error = refused(tmp_path, wrong)
    assert error.line == line
    assert says in error.message
    assert remedy in error.remedy
    where = f"{tmp_path / 'study.yaml'}:{line}: " if line else f"{tmp_path / 'study.yaml'}: "
    assert str(error).startswith(where)


def _sections(model: type[HandWritten]) -> Iterator[type[HandWritten]]:
    for section in model.__subclasses__():
        yield section
        yield from _sections(section)


def test_truth_values_and_texts_are_no_numbers_in_any_section() -> None:
    """pydantic reads true as 1, and "20" as 20, unless a field is strict."""
    lax = [
        f"{section.__name__}.{name}"
        for section in _sections(HandWritten)
        for name, field in section.model_fields.items()
        for number in (int, float)
        if field.annotation in (number, number | None)
        if not any(isinstance(part, Strict) and part.strict for part in field.metadata)
    ]
    assert not lax


def test_aliases_that_multiply_are_refused_at_once(tmp_path: Path) -> None:
    doubled = "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 60))
    assert "an alias" in refused(tmp_path, GOOD + "a0: &a0 [x]\n" + doubled).message


def test_bytes_that_are_no_utf8_are_refused_with_their_line(tmp_path: Path) -> None:
    assert refused(tmp_path, GOOD.encode() + b"about: \xff\n").line == 9


def test_an_empty_file_and_a_list_are_refused(tmp_path: Path) -> None:
    assert "empty" in refused(tmp_path, "").message
    assert "keys and values" in refused(tmp_path, "- a\n").message


def test_a_table_is_not_a_study() -> None:
    with pytest.raises(StudyError, match="a dict is not a study") as caught:
        nextset.run({"id": []})  # type: ignore[call-overload]
    assert "the functions that take tables" in caught.value.remedy


def test_a_folder_without_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="no such study"):
        Study.load(tmp_path / "nowhere")


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_in_words(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("any")
    try:
        Study.load(write(folder, text.encode("utf-8", "surrogatepass")))
    except InputError as error:
        assert error.message
        assert error.remedy


def test_a_path_may_begin_with_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = Study.load(write(tmp_path, GOOD))
    monkeypatch.setenv("NEXTSET_TEST_FOLDER", "/elsewhere")
    assert study.path("$NEXTSET_TEST_FOLDER/x.yaml") == Path("/elsewhere/x.yaml")
    monkeypatch.delenv("NEXTSET_TEST_FOLDER")
    with pytest.raises(StudyError, match="NEXTSET_TEST_FOLDER, which is not set"):
        study.path("$NEXTSET_TEST_FOLDER/x.yaml")


def test_the_settings_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        StudyFile.model_validate(
            {
                "format": 1,
                "name": "a",
                "filter": {"models": ["m"]},
                "release": {"name": "a", "version": "1.0.0"},
            }
        ).name = "b"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("models: {b: {too_long: truncate}}", "no section names a model 'b'"),
        (
            "scoring: {server: {max_cost: 1}}\naudit: {models: ['openai:x']}",
            r":5: scoring\.server\.max_cost: it needs .* of openai:x",
        ),
        (
            "scoring: {server: {samples: 5}}\naudit: {models: ['openai:x']}",
            r":5: scoring\.server\.samples: 5 answers at temperature 0 are the same answer",
        ),
        (
            "models: {'openai:x.1': {server: {samples: 5}}}\naudit: {models: ['openai:x.1']}",
            r":5: models\.openai:x\.1\.server\.samples: 5 answers at temperature 0",
        ),
    ],
)
def test_settings_of_models_fit_what_is_asked(tmp_path: Path, lines: str, problem: str) -> None:
    text = "format: 1\nname: s\nfilter: {models: [model-a]}\nrelease: {name: s, version: 0.1.0}\n"
    (tmp_path / "study.yaml").write_text(text + lines + "\n", encoding="utf-8")
    with pytest.raises(StudyError, match=problem):
        Study.load(tmp_path)


def test_a_misspelt_model_is_recognised(tmp_path: Path) -> None:
    error = refused(tmp_path, GOOD + "models: {builtin:nli-elektra: {too_long: truncate}}\n")
    assert error.remedy == "did you mean 'builtin:nli-electra'?"


def test_subjects_in_bfloat16_need_fast_mode(tmp_path: Path) -> None:
    text = (
        "format: 1\nname: s\nquestions: {packs: ['builtin:en']}\n"
        "filter: {candidates: [questions], models: [m], rule: answer_differs}\nscoring: {precision: bfloat16"
    )
    (tmp_path / "study.yaml").write_text(text + "}\n", encoding="utf-8")
    with pytest.raises(StudyError, match="bfloat16 is too coarse"):
        Study.load(tmp_path)
    (tmp_path / "study.yaml").write_text(text + ", mode: fast}\n", encoding="utf-8")
    assert Study.load(tmp_path).settings.scoring.mode == "fast"


_QUESTIONS = "format: 1\nname: s\nquestions: {packs: [p]}\n"
_TEMPLATES = "format: 1\nname: s\ntemplates: [one.yaml]\n"
_RETRIEVAL = "format: 1\nname: s\nambiguity: {retrieval: {}}\n"
_INTERVENTIONS = "format: 1\nname: s\ninterventions: {models: [m]}\n"


@pytest.mark.parametrize(
    ("text", "says", "remedy"),
    [
        (
            _TEMPLATES + "audit: {models: [m]}\n",
            "from templates are audited once they are filtered",
            "filter",
        ),
        (_TEMPLATES + _QUESTIONS[18:] + "audit: {models: [m]}\n", "from templates are audited", "filter"),
        (_TEMPLATES + "audit: {measures: [mine.py:f]}\n", "from templates are audited", "filter"),
        (_QUESTIONS + "audit: {measures: [mine.py:f]}\n", "audit: no model is named", "models"),
        (_QUESTIONS + "audit: {}\n", "audit: no model is named", "or remove audit"),
        (_RETRIEVAL + "audit: {models: [m]}\n", "no rows that could be audited", "add questions"),
        (_RETRIEVAL + "release: {name: s, version: 0.1.0}\n", "could be released", "add questions"),
        (_QUESTIONS + "validate: {judge: people}\n", "annotators judge the items that a filter", "filter"),
        (_TEMPLATES + "validate: {judge: rule}\n", "annotators judge the items that a filter", "filter"),
        (_QUESTIONS + "fill: {top_k: 5}\n", "there are no templates with masks", "remove fill"),
        (
            _QUESTIONS + "filter: {candidates: [questions], models: [m], rule: answer_differs}\n"
            "validate: {unit: pair}\n",
            "validate.unit: questions have no premise",
            "remove validate.unit",
        ),
    ],
)
def test_a_section_that_needs_a_filter_is_not_left_out_in_silence(
    tmp_path: Path, text: str, says: str, remedy: str
) -> None:
    error = refused(tmp_path, text)
    assert says in error.message
    assert remedy in error.remedy


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (_QUESTIONS, ["generate"]),
        (_QUESTIONS + "audit: {models: [m]}\n", ["generate", "audit", "report"]),
        (
            _QUESTIONS + "audit: {models: [m]}\nrelease: {name: s, version: 0.1.0}\n",
            ["generate", "release", "release_report", "audit", "dataset_version", "report"],
        ),
        (_TEMPLATES, ["generate", "fill"]),
        (_TEMPLATES + "fill: {top_k: 5}\n" + _INTERVENTIONS[18:], ["generate"]),
    ],
)
def test_each_section_of_a_study_without_a_filter_has_its_stages(
    tmp_path: Path, text: str, names: list[str]
) -> None:
    stages = [stage.name for stage in stages_of(Study.load(write(tmp_path, text)))]
    assert [name for name in stages if not name.startswith("interventions")] == names


@pytest.mark.parametrize(
    ("candidates", "fills"),
    [("[filled, imported]", True), ("[filled]", True), ("[plain]", False), ("[plain, imported]", False)],
)
def test_masks_are_filled_only_if_the_fills_are_candidates(
    tmp_path: Path, candidates: str, fills: bool
) -> None:
    text = GOOD.replace("filter:\n", f"fill: {{top_k: 5}}\nfilter:\n  candidates: {candidates}\n")
    text = text.replace("one.yaml", "builtin:bbnli")
    study = Study.load(write(tmp_path, text))
    assert ("fill" in [stage.name for stage in stages_of(study)]) == fills
    unused = [f for f in lint_study_file(study) if f.rule == "unused-section"]
    assert [f.line for f in unused] == ([] if fills else [4])
