from __future__ import annotations

import csv
import io
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nextset.cli.validate_text import exported_text
from nextset.errors import JudgmentError
from nextset.validation.file_exchange.csv_file import (
    CsvAnswers,
    answer_columns,
    needed_columns,
    read_csv,
    write_csv,
)
from nextset.validation.file_exchange.unit_texts import foreign_text
from nextset.validation.forms.judged_hypotheses import JUDGED_HYPOTHESES
from nextset.validation.forms.judged_questions import JUDGED_QUESTIONS
from nextset.validation.forms.validated_form import VALIDATED_FORMS
from nextset.validation.judgment_choices import REASONS, VERDICTS
from nextset.validation.timestamps import current_timestamp
from tests.validation.annotator_pages.briefings import HOSTILE, QUESTION, SENTENCE, told

UNITS: dict[str, dict[str, str]] = {
    SENTENCE["unit_id"]: SENTENCE,
    "f" * 32: {**SENTENCE, "hypothesis": HOSTILE},
}


def fill(path: Path, *rows: dict[str, str], kind: Any = "nli") -> Path:
    out = io.StringIO()
    writer = csv.DictWriter(out, ["unit_id", *answer_columns(VALIDATED_FORMS[kind])], restval="")
    writer.writeheader()
    writer.writerows({"unit_id": SENTENCE["unit_id"], "judge": "Kim", **row} for row in rows)
    path.write_text(out.getvalue(), encoding="utf-8")
    return path


def test_what_is_written_can_be_filled_in_and_read(tmp_path: Path) -> None:
    path = tmp_path / "tasks.csv"
    rows = [SENTENCE, {**SENTENCE, "unit_id": "f" * 32, "hypothesis": HOSTILE}]
    assert write_csv(path, told(), rows).n_tasks == 2
    assert read_csv(path, JUDGED_HYPOTHESES, UNITS) == CsvAnswers((), (2, 3)), "nobody has answered"
    found = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
    assert [row["hypothesis"] for row in found] == [SENTENCE["hypothesis"], HOSTILE]
    found[1] |= {"judge": "Kim", "verdict": "Valid", "stance": "pro", "comment": "two\nlines"}
    out = io.StringIO()
    writer = csv.DictWriter(out, list(found[0]))
    writer.writeheader()
    writer.writerows(found)
    path.write_text(out.getvalue(), encoding="utf-8")
    (answer,) = read_csv(path, JUDGED_HYPOTHESES, UNITS).answers
    assert (answer.unit_id, answer.judge, answer.line) == ("f" * 32, "Kim", 3)
    with pytest.raises(JudgmentError, match="the file has answers, which new tasks would replace"):
        write_csv(path, told(), rows)
    assert (answer.answer.outcome, answer.answer.verdict, answer.answer.stance) == ("judged", "valid", "pro")
    assert answer.answer.comment == "two\nlines"


@pytest.mark.parametrize("written", ["invalid", "INVALID", "İnvalid", "İNVALİD"])
def test_capitals_make_no_difference_nor_do_those_of_turkish(tmp_path: Path, written: str) -> None:
    row = {"unit_id": SENTENCE["unit_id"], "judge": "Kim", "verdict": written, "stance": ""}
    read = read_csv(fill(tmp_path / "a.csv", row), JUDGED_HYPOTHESES, {SENTENCE["unit_id"]: SENTENCE})
    assert [answer.answer.verdict for answer in read.answers] == ["invalid"]


def test_who_fills_in_a_table_is_told_what_to_do(tmp_path: Path) -> None:
    made = write_csv(tmp_path / "tasks.csv", told(), [SENTENCE])
    assert "Content warning" in made.guidelines.read_text(encoding="utf-8")
    assert made.answers["verdict"] == (*VERDICTS, "declined")
    assert made.answers["reason"] == REASONS
    said = exported_text(made)
    assert str(made.guidelines) in said
    assert all(word in said for words in made.answers.values() for word in words)


def test_questions(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    write_csv(path, told("question"), [QUESTION])
    header = path.read_text(encoding="utf-8-sig").splitlines()[0]
    assert header.endswith("judge,underspecified,grammatical,free_of_hint,reason,comment,answered_at")
    row = {
        "unit_id": QUESTION["unit_id"],
        "underspecified": "yes",
        "grammatical": "no",
        "free_of_hint": "yes",
    }
    (found,) = read_csv(
        fill(path, row, kind="question"), JUDGED_QUESTIONS, {QUESTION["unit_id"]: QUESTION}
    ).answers
    assert (found.answer.verdict, found.answer.grammatical) == ("incoherent", False)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (
            {"verdict": "maybe"},
            "unknown choice for verdict: 'maybe' (possible: valid, invalid, incoherent, declined)",
        ),
        ({"verdict": "valid"}, "valid without a stance"),
        ({"verdict": "invalid", "judge": " "}, "the row does not name its judge"),
        ({"verdict": "invalid", "unit_id": "other"}, "the unit is not in this study"),
        (
            {"verdict": "invalid", "reason": "x"},
            f"unknown choice for reason: 'x' (possible: {', '.join(REASONS)})",
        ),
        ({"comment": "hm"}, "empty"),
        ({"verdict": "invalid", "stance": "pro"}, "invalid, but with a stance"),
        ({"verdict": "incoherent", "stance": "anti"}, "incoherent, but with a stance"),
        (
            {"verdict": "valid", "stance": "pro", "reason": "grammar"},
            "valid, but with a reason for not being valid",
        ),
    ],
)
def test_rows_that_are_wrong_are_named_by_their_line(
    tmp_path: Path, row: dict[str, str], problem: str
) -> None:
    good = {"verdict": "invalid", "comment": "a\nb"}
    found = read_csv(fill(tmp_path / "a.csv", good, row, good), JUDGED_HYPOTHESES, UNITS).answers
    assert [(a.line, a.answer.outcome, a.answer.problem) for a in found] == [
        (2, "judged", ""),
        (4, "invalid", problem),
        (5, "judged", ""),
    ]


def test_declining_and_times(tmp_path: Path) -> None:
    times = ("2026-01-01 10:00+02:00", "2026-01-01 10:00", "2026-01-01", "")
    rows = [{"verdict": "declined", "answered_at": at} for at in times]
    found = read_csv(fill(tmp_path / "a.csv", *rows), JUDGED_HYPOTHESES, UNITS).answers
    assert {a.answer.outcome for a in found} == {"declined"}
    assert [a.answer.answered_at[:16] for a in found] == [
        "2026-01-01T08:00",
        "2026-01-01T10:00",  # in UTC where no zone is named
        "2026-01-01T00:00",
        "",
    ]


def test_a_row_that_is_taken_back_may_keep_its_other_cells(tmp_path: Path) -> None:
    path = fill(tmp_path / "a.csv", {"verdict": "declined", "stance": "pro", "reason": "grammar"})
    (found,) = read_csv(path, JUDGED_HYPOTHESES, UNITS).answers
    assert found.answer.outcome == "declined"


@pytest.mark.parametrize("written", ["2999-01-01 10:00", "9999-12-31 23:59"])
def test_a_time_in_the_future_is_refused(tmp_path: Path, written: str) -> None:
    today = {"verdict": "invalid", "answered_at": current_timestamp()}
    path = fill(tmp_path / "a.csv", today, {**today, "answered_at": written})
    with pytest.raises(JudgmentError, match=f"answered_at is in the future: '{written}' in line 3"):
        read_csv(path, JUDGED_HYPOTHESES, UNITS)
    ahead = (datetime.now(UTC) + timedelta(hours=20)).isoformat()
    assert (
        len(read_csv(fill(path, today, {**today, "answered_at": ahead}), JUDGED_HYPOTHESES, UNITS).answers)
        == 2
    )


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("Hypothesis", "hypothesis"),
        ("hypotesis", "hypothesis"),
        ("unit id", "unit_id"),
        ("verdikt", "verdict"),
        ("answered at", "answered_at"),
        ("group_1", "group1"),
        ("comments", "comment"),
    ],
)
def test_a_misspelt_column_is_refused(tmp_path: Path, name: str, ours: str) -> None:
    path = tmp_path / "a.csv"
    others = [c for c in ("unit_id", *answer_columns(JUDGED_HYPOTHESES)) if c != ours]
    path.write_text(",".join([*others, name]) + "\n")
    with pytest.raises(JudgmentError, match=f"the column '{name}' is not .* looks like {ours}"):
        read_csv(path, JUDGED_HYPOTHESES, UNITS)


@pytest.mark.parametrize(
    ("kind", "texts"),
    [("nli", ["hypothesis"]), ("question", ["context", "question", "question_negated"])],
)
def test_what_is_not_read_and_what_cannot_be_checked_is_named(
    tmp_path: Path, kind: str, texts: list[str]
) -> None:
    path, columns = tmp_path / "a.csv", ["unit_id", *answer_columns(VALIDATED_FORMS[kind])]
    unit = SENTENCE if kind == "nli" else QUESTION
    rows = [{"unit_id": unit["unit_id"], "judge": who, columns[2]: "declined"} for who in ("Kim", "Ada")]

    def read(*wanted: str, empty: str = "") -> CsvAnswers:
        out = io.StringIO()
        writer = csv.DictWriter(out, [*columns, *wanted, "mood"], restval="", extrasaction="ignore")
        writer.writeheader()
        writer.writerows([{**unit, **rows[0]}, {**unit, **rows[1], empty: ""}])
        path.write_text(out.getvalue(), encoding="utf-8")
        found = read_csv(path, VALIDATED_FORMS[kind], {unit["unit_id"]: unit})
        assert [a.answer.problem for a in found.answers] == ["", ""]
        return found

    assert read().unchecked == tuple(texts)
    assert read(*texts[:-1]).unchecked == (texts[-1],)
    assert read(*texts, empty=texts[0]).unchecked == (texts[0],), "of one row"
    assert (read(*texts).unchecked, read(*texts).ignored) == ((), ("mood",))


@pytest.mark.parametrize(
    "written", ["21.11.2026 10:00", "46347.4166", "11/21/2026", "0001-01-01 00:00+14:00"]
)
def test_a_time_is_read_or_refused(tmp_path: Path, written: str) -> None:
    good = {"verdict": "invalid", "answered_at": "2026-11-21 10:00"}
    wrong = {**good, "answered_at": written}
    path = fill(tmp_path / "a.csv", good, *[wrong] * 7, {"answered_at": written})
    with pytest.raises(JudgmentError, match=re.escape(f"ISO 8601: {written!r} in line 3, ")) as e:
        read_csv(path, JUDGED_HYPOTHESES, UNITS)
    assert (e.value.file, e.value.line) == (path, 3)
    assert e.value.message.endswith("in line 7, and in 2 more lines")


def test_a_row_with_the_text_of_another_unit_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "tasks.csv"
    one, other = SENTENCE, {**SENTENCE, "unit_id": "f" * 32, "hypothesis": "=Café\tau lait."}
    write_csv(path, told(), [one, other])
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))

    def read(**changes: str) -> list[str]:
        out = io.StringIO()
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "judge": "Kim", "verdict": "invalid", **changes} for row in rows)
        path.write_text(out.getvalue(), encoding="utf-8")
        found = read_csv(path, JUDGED_HYPOTHESES, {one["unit_id"]: one, other["unit_id"]: other})
        return [a.answer.problem for a in found.answers]

    assert read() == ["", ""]
    assert read(hypothesis="", domain="other") == ["", ""]
    # as a spreadsheet or another system may save it
    assert read(hypothesis="'=Cafe\u0301 au  lait. ") == ["the hypothesis does not match its unit_id", ""]
    assert read(group1="boys") == ["the group1 does not match its unit_id"] * 2


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"unit_id,verdict,stance\n", "the column 'judge' is missing"),
        (b"unit_id,verdict\n", "the columns 'judge', 'stance' are missing"),
        (b"unit_id,judge,verdict,verdict\n", "there are two columns 'verdict'"),
        (b"", "the columns 'unit_id', 'judge', 'verdict', 'stance' are missing"),
        (b"\xff\xfe", "not UTF-8"),
        (b"unit_id;judge;verdict\n", "the column 'stance' is missing"),
        (b"unit_id,judge,verdict,stance,comment\nu,j,valid,pro,good, but\n", "differ in length .5 and 6"),
        (b'unit_id,judge,verdict,stance,reason,comment\n"a,b\n', "not CSV: the quote that opens a cell"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, raw: bytes, why: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(raw)
    with pytest.raises(JudgmentError, match=why) as e:
        read_csv(path, JUDGED_HYPOTHESES, UNITS)
    assert e.value.file == path
    assert e.value.line


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(JudgmentError, match=r"nowhere\.csv"):
        read_csv(tmp_path / "nowhere.csv", JUDGED_HYPOTHESES, UNITS)


@pytest.mark.parametrize("text", ["=HYPERLINK(1)", " =1+1", "＝1+1", "\u22121+1", "\u200b=1", "'=1"])
def test_no_text_is_a_formula(tmp_path: Path, text: str) -> None:
    path, row = tmp_path / "a.csv", {**SENTENCE, "hypothesis": text}
    write_csv(path, told(), [row])
    (cells,) = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline=""))
    assert cells["hypothesis"] == f"'{text}"
    assert foreign_text(JUDGED_HYPOTHESES, cells, row) == "", "the text comes back as that of its unit"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_what_people_filled_in_comes_back(tmp_path: Path, data: st.DataObject) -> None:
    rows = data.draw(
        st.lists(
            st.fixed_dictionaries(
                {
                    "verdict": st.sampled_from(VERDICTS),
                    "reason": st.sampled_from(["", *REASONS]),
                    "comment": st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20),
                }
            ),
            max_size=5,
        )
    )
    for row in rows:
        row |= {"stance": "pro", "reason": ""} if row["verdict"] == "valid" else {"stance": ""}
    found = read_csv(fill(tmp_path / "a.csv", *rows), JUDGED_HYPOTHESES, UNITS).answers
    got = [(a.answer.verdict, a.answer.reason, a.answer.comment) for a in found]
    assert got == [(r["verdict"], r["reason"], r["comment"].strip()) for r in rows]


@pytest.mark.parametrize(
    ("kind", "row", "verdict"),
    [
        ("nli", {"unit_id": SENTENCE["unit_id"], "verdict": "valid", "stance": "pro"}, "valid"),
        (
            "question",
            {
                "unit_id": QUESTION["unit_id"],
                "underspecified": "yes",
                "grammatical": "yes",
                "free_of_hint": "no",
            },
            "invalid",
        ),
    ],
)
def test_a_table_with_only_the_needed_columns_is_read(
    tmp_path: Path, kind: str, row: dict[str, str], verdict: str
) -> None:
    given = {**row, "judge": "ada"}
    assert set(given) == set(needed_columns(VALIDATED_FORMS[kind]))
    file = tmp_path / "a.csv"
    file.write_text(",".join(given) + "\n" + ",".join(given.values()) + "\n")
    units = {str(text["unit_id"]): text for text in (SENTENCE, QUESTION)}
    (found,) = read_csv(file, VALIDATED_FORMS[kind], units).answers
    assert (found.answer.outcome, found.answer.verdict) == ("judged", verdict)
    assert (found.answer.reason, found.answer.comment) == ("", "")


@pytest.mark.parametrize(
    ("kind", "own"), [("nli", "hypotheses"), ("question", "questions"), ("choice", "choice items")]
)
def test_the_docs_name_the_needed_columns_and_the_others(root: Path, kind: str, own: str) -> None:
    text = (root / "docs" / "how_to" / "judgment_files.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (yes|no|of [^|,]+) \|", text, re.MULTILINE)
    needed = [name for name, asked in rows if asked == "yes" or own in asked]
    assert tuple(needed) == needed_columns(VALIDATED_FORMS[kind])
    others = {name for name, asked in rows if asked in ("yes", "no") or own in asked}
    assert others == {"unit_id", *answer_columns(VALIDATED_FORMS[kind])}
