from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest

import nextset
from nextset.errors import StudyError
from nextset.validation.annotator_pages.briefing import briefing
from nextset.validation.annotator_pages.guideline_routes import ROUTES
from nextset.validation.annotator_pages.page_wording import OURS
from nextset.validation.forms.judged_hypotheses import JUDGED_HYPOTHESES
from nextset.validation.forms.validated_form import VALIDATED_FORMS
from tests.validation.annotator_pages.briefings import LANGUAGES, SESSION, told


def _latin_marks(text: str) -> str:
    """``text`` with Latin brackets and commas for Chinese and Arabic ones."""
    return unicodedata.normalize("NFKC", text).replace("،", ",")


@pytest.mark.parametrize("kind", ["nli", "question"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_guidelines_say_warning_consent_support_and_every_key(kind: str, language: str) -> None:
    made = told(kind, language)
    for text in (made.warning, made.consent, made.support):
        assert text in made.guidelines
    assert "{{" not in made.guidelines
    keys = {
        "nli": ("(1)", "(2)", "(3)", " 0)", "(p)", "(a)", "4–8"),
        "question": (" 0)", " g,", " n)", "4–6"),
    }
    said = _latin_marks(made.guidelines)
    assert all(key in said for key in keys[kind])
    assert re.fullmatch("[0-9a-f]{12}", made.version)
    pairs = briefing(VALIDATED_FORMS[kind].judging("pair"), language, SESSION, Path)
    more = [line for line in pairs.guidelines.splitlines() if line not in made.guidelines.splitlines()]
    assert len(more) == (2 if kind == "nli" else 0)
    assert (pairs.version != made.version) == bool(more)


@pytest.mark.parametrize("kind", ["nli", "question"])
@pytest.mark.parametrize(
    ("language", "skip", "rest", "page", "table"),
    [
        ("en", "Skip", "give you a rest", "on the page", "## The table"),
        ("de", "„Überspringen“", "Ausruhen", "auf der Seite", "## Die Tabelle"),
        ("es", "«Omitir»", "para descansar", "en la página", "## La tabla"),
        ("hi", "“छोड़ें”", "मन हल्का", "पन्ने पर", "## तालिका"),
        ("zh", "“跳过”", "放松", "页面上", "## 表格"),
        ("fr", "Passer", "pour vous reposer", "sur la page", "## Le tableau"),
        ("ru", "«Пропустить»", "для отдыха", "на странице", "## Таблица"),
        ("ar", "«تخطٍّ»", "لكي ترتاح", "في الصفحة", "## الجدول"),
        ("tr", "“Atla”", "dinlenmeniz için", "soran sayfada", "## Tablo"),
    ],
)
def test_each_route_is_told_what_is_true_of_it(
    kind: str, language: str, skip: str, rest: str, page: str, table: str
) -> None:
    told_by_route = {
        r: briefing(VALIDATED_FORMS[kind], language, SESSION, Path, r).guidelines for r in ROUTES
    }
    assert told_by_route["session"] == told(kind, language).guidelines
    everywhere = {"session", "label-studio", "csv", "potato"}
    has = {text: {r for r in ROUTES if text in told_by_route[r]} for text in (skip, rest, page, table, "{{")}
    # Label Studio calls its button Skip, and the gateway renames it
    assert "Skip" in told_by_route["label-studio"]
    assert has == {
        skip: {"session", "label-studio"} if language == "en" else {"session"},
        rest: {"session"},
        page: {"session"},
        table: {"csv"},
        "{{": set(),
    }
    # a table has words instead of keys
    one, key = ("`valid`", "(1)") if kind == "nli" else ("`yes`", " g,")
    assert {r for r in ROUTES if one in told_by_route[r]} == {"csv"}
    assert {r for r in ROUTES if key in _latin_marks(told_by_route[r])} == everywhere - {"csv"}


def test_a_mark_of_a_route_that_is_none_is_refused_with_its_line(tmp_path: Path) -> None:
    own = SESSION.model_copy(update={"wording": "."})
    good = "{{warning}} {{consent}} {{support}}\n{{for csv potato}} Files.\n{{for session}}\nEnd.\n"
    (tmp_path / "en.md").write_text(good, encoding="utf-8")
    assert briefing(JUDGED_HYPOTHESES, "en", own, tmp_path.joinpath, "csv").guidelines.endswith(
        "\nFiles.\nEnd.\n"
    )
    assert briefing(JUDGED_HYPOTHESES, "en", own, tmp_path.joinpath).guidelines.endswith("\n\nEnd.\n")
    for wrong in ("{{for phone}} x", "{{for csv phone}} x", "in a line {{for csv}}", "{{for}}"):
        (tmp_path / "en.md").write_text(good + wrong, encoding="utf-8")
        with pytest.raises(StudyError, match="unknown placeholder") as e:
            briefing(JUDGED_HYPOTHESES, "en", own, tmp_path.joinpath)
        assert e.value.line == 5


def test_without_a_session_they_say_whom_to_ask(tmp_path: Path) -> None:
    made = briefing(JUDGED_HYPOTHESES, "en", None, tmp_path.joinpath)
    assert made.consent == made.wording.without_session.consent
    assert made.support in made.guidelines


def test_the_version_changes_with_whatever_annotators_are_told(tmp_path: Path) -> None:
    guidelines = (OURS / "guidelines" / "en.md").read_text(encoding="utf-8")
    (tmp_path / "en.md").write_text(guidelines + "\nOne more line.\n", encoding="utf-8")
    items = tmp_path / "items.yaml"
    items.write_text(ITEMS, encoding="utf-8")
    changes: list[dict[str, Any]] = [
        {},
        {"consent": "Something else that people agree to."},
        {"support": "Somebody else, by telephone."},
        {"warning": "Another warning, long enough."},
        {"wording": str(tmp_path)},
        {"comprehension": str(items), "mistakes": 0},
    ]
    versions = [told(**change).version for change in changes]
    versions += [told("nli", "de").version, told("question").version]
    assert len(set(versions)) == len(versions)
    assert told().version == versions[0]
    assert told(overlap=7, seed=3).version == versions[0], "what people are not told changes nothing"


ITEMS = """
items:
  - {stereotype: s, groups: [a, b], domain: d, text: A text., verdict: invalid, stance: null, why: Because.}
"""


def test_a_study_can_bring_its_own_comprehension_items(tmp_path: Path) -> None:
    path = tmp_path / "items.yaml"
    path.write_text(ITEMS, encoding="utf-8")
    settings = SESSION.model_copy(update={"comprehension": "items.yaml", "mistakes": 0})
    (item,) = briefing(JUDGED_HYPOTHESES, "en", settings, tmp_path.joinpath).comprehension
    assert item.why == "Because."
    path.write_text(ITEMS.replace("invalid", "maybe"), encoding="utf-8")
    with pytest.raises(StudyError, match="verdict") as e:
        briefing(JUDGED_HYPOTHESES, "en", settings, tmp_path.joinpath)
    assert (e.value.file, e.value.line) == (path, 3)
    path.write_text(ITEMS.replace("text: A text.", '\n     text: "A\\x08text."'), encoding="utf-8")
    with pytest.raises(StudyError, match=r"the control character U\+0008") as e:
        briefing(JUDGED_HYPOTHESES, "en", settings, tmp_path.joinpath)
    assert (e.value.file, e.value.line) == (path, 4)


def test_the_studys_own_items_may_have_others_for_the_second_try(tmp_path: Path) -> None:
    path = tmp_path / "items.yaml"
    settings = SESSION.model_copy(update={"comprehension": "items.yaml", "mistakes": 0})
    path.write_text(ITEMS, encoding="utf-8")
    without = briefing(JUDGED_HYPOTHESES, "en", settings, tmp_path.joinpath)
    assert without.again == without.comprehension, "the same are asked again"
    path.write_text(ITEMS + ITEMS.replace("items", "again").replace("A text.", "Two."), encoding="utf-8")
    made = briefing(JUDGED_HYPOTHESES, "en", settings, tmp_path.joinpath)
    assert [item.text for item in made.again] == ["Two."]  # type: ignore[union-attr]
    assert made.version != without.version
    path.write_text(ITEMS + ITEMS.replace("items", "again").replace("A text.", '"\\x08"'), encoding="utf-8")
    with pytest.raises(StudyError, match=r"the control character U\+0008") as e:
        briefing(JUDGED_HYPOTHESES, "en", settings, tmp_path.joinpath)
    assert (e.value.file, e.value.line) == (path, 6)
    more = ITEMS + ITEMS.partition("items:\n")[2].strip("\n") + "\n"
    path.write_text(more + ITEMS.replace("items", "again"), encoding="utf-8")
    with pytest.raises(
        StudyError, match=r"mistakes \(1\) is not less than the number of comprehension items \(1\)"
    ):
        briefing(JUDGED_HYPOTHESES, "en", settings.model_copy(update={"mistakes": 1}), tmp_path.joinpath)


def test_a_check_that_everybody_passes_is_refused() -> None:
    assert len(told(mistakes=4).comprehension) == 5
    with pytest.raises(
        StudyError, match=r"mistakes \(5\) is not less than the number of comprehension items \(5\)"
    ) as e:
        told(mistakes=5)
    assert "at most 4" in e.value.remedy


def test_files_of_a_session_are_found_as_all_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_THE_LAB", str(tmp_path / "lab"))
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "items.yaml").write_text(ITEMS, encoding="utf-8")
    study = nextset.new_study(tmp_path / "mine")
    named = {"comprehension": "$OF_THE_LAB/items.yaml", "mistakes": 0, "wording": "$OF_THE_LAB"}
    made = briefing(JUDGED_HYPOTHESES, "en", SESSION.model_copy(update=named), study.path)
    assert [item.why for item in made.comprehension] == ["Because."]


@pytest.mark.parametrize(
    ("text", "why", "line"),
    [
        ("{{warning}}\n{{consent}} {{support}}\n{{name}}", "unknown placeholder", 3),
        ("{{consent}} {{support}}", "do not contain {{warning}}", None),
        ("{{warning}} {{support}}", "do not contain {{consent}}", None),
        ("{{warning}} {{consent}}", "do not contain {{support}}", None),
    ],
)
def test_guidelines_that_leave_something_out_are_refused(
    tmp_path: Path, text: str, why: str, line: int | None
) -> None:
    (tmp_path / "en.md").write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match=re.escape(why)) as e:
        told(wording=str(tmp_path))
    assert (e.value.file, e.value.line) == (tmp_path / "en.md", line)


def test_a_consent_that_cannot_be_shown_is_refused() -> None:
    with pytest.raises(StudyError, match=r"consent has the control character U\+0008"):
        told(consent="A consent\x08 that is long enough.")
