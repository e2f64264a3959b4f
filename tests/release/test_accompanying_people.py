"""Judgments and annotators as they are published."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import StudyError
from nextset.records.arrow_schema import arrow_schema, table_of
from nextset.records.judgment import Judgment
from nextset.release.accompanying_data.annotator_demographics import annotator_table, read_demographics
from nextset.release.accompanying_data.released_judgments import (
    ReleasedJudgment,
    judgments_by_judge,
    released_judgments,
)
from nextset.release.accompanying_data.released_pseudonyms import dataset_pseudonyms
from nextset.validation.judgments.pseudonyms import pseudonym

KEY = b"a key for the tests, long enough"
PEOPLE = [pseudonym(f"{name}@example.org", KEY) for name in ("ada", "ben", "cleo", "dora")]
NAMES = dataset_pseudonyms(PEOPLE, "my-dataset")


def vote(unit: str, judge: str, verdict: str, stance: str | None = None) -> Judgment:
    return Judgment(
        unit_id=unit,
        verdict=verdict,  # type: ignore[arg-type]
        stance_judged=stance,  # type: ignore[arg-type]
        judge=judge,
        annotation="4711",
    )


VOTES = table_of(
    [
        vote("b", PEOPLE[0], "valid", "pro"), vote("b", PEOPLE[1], "valid", "anti"),
        vote("a", PEOPLE[0], "invalid"), vote("a", PEOPLE[2], "valid", "pro"),
    ],
    Judgment,
)  # fmt: skip
ADJUDICATIONS = table_of([vote("a", PEOPLE[3], "incoherent")], Judgment)


def test_every_judgment_ships_under_another_pseudonym_and_without_the_servers_number() -> None:
    table = released_judgments(VOTES, ADJUDICATIONS, NAMES)
    assert table.schema.equals(arrow_schema(ReleasedJudgment))
    got = [tuple(row.values()) for row in table.to_pylist()]
    ada, ben, cleo, dora = (NAMES[p] for p in PEOPLE)
    assert sorted(got[:2], key=str) == sorted(
        [("a", "invalid", None, ada, False), ("a", "valid", "pro", cleo, False)], key=str
    )
    assert got[2] == ("a", "incoherent", None, dora, True)
    assert {row[3] for row in got[3:]} == {ada, ben}
    text = str(table.to_pylist())
    assert "4711" not in text
    assert not any(person in text for person in PEOPLE)


def test_the_order_of_the_log_makes_no_difference() -> None:
    turned = VOTES.take([3, 1, 0, 2])
    assert released_judgments(turned, ADJUDICATIONS, NAMES).equals(
        released_judgments(VOTES, ADJUDICATIONS, NAMES)
    )


def test_a_study_that_nobody_judged() -> None:
    none = ADJUDICATIONS.slice(0, 0)
    assert released_judgments(none, none, dataset_pseudonyms([], "my-dataset")).num_rows == 0
    assert annotator_table({}, {}).num_rows == 0


def test_pseudonyms_are_those_of_the_dataset() -> None:
    assert dataset_pseudonyms(PEOPLE[:1], "my-dataset")[PEOPLE[0]] == NAMES[PEOPLE[0]]
    other = dataset_pseudonyms(PEOPLE, "another-dataset")
    assert not set(other.values()) & set(NAMES.values())
    assert all(re.fullmatch(r"p-[0-9a-f]{12}", name) for name in NAMES.values())


def test_counts_include_adjudications_and_come_from_batches() -> None:
    counts = judgments_by_judge([VOTES.slice(0, 3), VOTES.slice(3), ADJUDICATIONS])
    assert counts == dict(sorted(zip(PEOPLE, (2, 1, 1, 1), strict=True)))
    assert judgments_by_judge([VOTES.slice(0, 0)]) == {}


def write(folder: Path, text: str | bytes) -> Path:
    file = folder / "people.csv"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def rows(*values: str) -> str:
    return "".join(f"{person},{value}\n" for person, value in zip(PEOPLE, values, strict=False))


def test_demographic_fields_become_columns(tmp_path: Path) -> None:
    text = "annotator, age ,hand\r\n" + rows("18-30, left", '18-30,"left"', "18-30,left") + "\n"
    file = write(tmp_path, b"\xef\xbb\xbf" + text.encode())
    demographics = read_demographics(file, PEOPLE)
    assert demographics.fields == ("age", "hand")
    counts = judgments_by_judge([VOTES])  # dora did not judge
    table = annotator_table(counts, NAMES, demographics, 3)
    assert table.column_names == ["annotator", "age", "hand", "n_judgments"]
    assert table["annotator"].to_pylist() == sorted(NAMES[p] for p in PEOPLE[:3])
    assert set(table["age"].to_pylist()) == {"18-30"}
    assert sorted(table["n_judgments"].to_pylist()) == [1, 1, 2]
    with pytest.raises(StudyError, match="sizes of the smallest groups: 3"):
        annotator_table(counts, NAMES, demographics, 4)


def test_people_without_values_share_the_value_not_given(tmp_path: Path) -> None:
    file = write(tmp_path, "annotator,age\n" + rows("18-30", "18-30", ""))
    demographics = read_demographics(file, PEOPLE)
    table = annotator_table(dict.fromkeys(PEOPLE, 1), NAMES, demographics, 2)
    assert sorted(table["age"].to_pylist()) == ["18-30", "18-30", "not given", "not given"]
    one_missing = read_demographics(write(tmp_path, "annotator,age\n" + rows(*["18-30"] * 3)), PEOPLE)
    with pytest.raises(StudyError, match="share: 1 of 2"):
        annotator_table(dict.fromkeys(PEOPLE, 1), NAMES, one_missing, 2)


def test_without_a_file_only_the_counts_are_published() -> None:
    table = annotator_table(judgments_by_judge([VOTES]), NAMES)
    assert table.column_names == ["annotator", "n_judgments"]


def test_a_cell_that_a_spreadsheet_would_run_is_text(tmp_path: Path) -> None:
    file = write(tmp_path, "annotator,age\n" + rows('"=HYPERLINK(""http://x"")"', "+1", "-", "@a"))
    values = read_demographics(file, PEOPLE).values
    assert all(value.startswith("'") for (value,) in values.values())


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("annotator,age\n\n", 1, "no annotator is listed after the header"),
        ("annotator,age\n" + rows("18-30,left"), 2, "differ in length (2 and 3 columns)"),
        ("annotator,age\n" + PEOPLE[0] + "\n", 2, "differ in length (2 and 1 columns)"),
        ("annotator,age\nada@example.org,18-30\n", 2, "not the pseudonym of an annotator"),
        ("annotator,age\n" + rows("18-30") + "\n" + rows("18-30"), 4, "same annotator as in line 2"),
        ("annotator,age\n" + rows('"18\n30"'), 2, "a line break"),
        ("annotator,age\n" + rows("1\x00"), 2, "a control character"),
        ("annotator,age\n" + rows('"x'), 2, "not CSV"),
        ("annotator,age\n" + rows("x" * 201), 2, "more than 200 characters"),
        ("annotator;age\n", 1, "no annotator is listed after the header"),
        ("person,age\n", 1, "there is no column annotator"),
        ("annotator,age,Age\n", 1, "two columns named 'Age'"),
        ("annotator,\n", 1, "column 2 has no name"),
        ("annotator\n", 1, "no demographic field"),
        ("annotator,\u202eega\n", 1, "a direction mark"),
        # shapeless characters in a name are removed, so that these columns are age
        ("annotator,a\u200fge\n", 1, "no annotator is listed"),
        ("annotator,a\u00adge\n", 1, "no annotator is listed"),
        ("annotator,age\n" + rows("18\u206630"), 2, "a direction mark"),
        ("annotator,n_judgments\n", 1, "cannot be named 'n_judgments'"),
        ("annotator,=1+1\n", 1, "cannot be named '=1+1'"),
        ("", 1, "there is no column annotator"),
        (b"annotator,age\n\xff,1\n", 2, "not UTF-8"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(
    tmp_path: Path, text: str | bytes, line: int, message: str
) -> None:
    file = write(tmp_path, text)
    with pytest.raises(StudyError) as caught:
        read_demographics(file, PEOPLE)
    assert (caught.value.file, caught.value.line) == (file, line)
    assert message in str(caught.value)
    assert caught.value.remedy
    assert "@" not in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    for name, message in (
        ("", "this is a folder, not a file"),
        ("pipe.csv", "this is a pipe, not a file"),
        ("missing.csv", "cannot be read: No such file"),
    ):
        with pytest.raises(StudyError, match=message) as refused:
            read_demographics(tmp_path / name, PEOPLE)
        assert refused.value.remedy == "name a CSV file in release.annotators.demographics"


def test_there_are_no_annotators_if_nobody_judged(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="no one has judged this study"):
        read_demographics(write(tmp_path, "annotator,age\n"), [])


@given(st.text(alphabet='a-,;"\n\r\t =\x00é', max_size=60) | st.binary(max_size=60))
def test_any_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str | bytes) -> None:
    file = write(tmp_path_factory.getbasetemp(), text)
    header = b"annotator,age\n" if isinstance(text, bytes) else "annotator,age\n"
    for content in (text, header + text):  # type: ignore[operator]
        write(file.parent, content)
        try:
            read = read_demographics(file, PEOPLE)
        except StudyError as e:
            assert e.remedy
        else:
            assert all(len(v) == len(read.fields) for v in read.values.values())


def test_a_table_of_annotators_is_plain_text() -> None:
    table = annotator_table({PEOPLE[0]: 1}, NAMES)
    assert table.schema == pa.schema(
        [pa.field("annotator", pa.string(), False), pa.field("n_judgments", pa.int32(), False)]
    )
