"""Questions are read from the published format, tables and YAML; a damaged file is refused with its line."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nextset.errors import ImportedDataError, InputError, StudyError, WordListError
from nextset.extensions.ambiguity.questions import study_questions
from nextset.extensions.ambiguity.questions.source_questions import SourceQuestion
from nextset.extensions.ambiguity.questions.study_questions import load_ambiguous_questions
from nextset.files.row_files import FileRow, rows_of_file

PUBLISHED = "doubly_eponymous_gender_balanced.jsonl"
TEXT = "Biot met Savart."


def read(file: Path, group: str = "gender", language: str = "en") -> tuple[SourceQuestion, ...]:
    study = file.with_name("study.yaml")
    return load_ambiguous_questions((str(file),), group, language, Path, study).questions


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    def write(name: str, text: str | bytes) -> Path:
        file = tmp_path / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    return write


def published(**changes: Any) -> str:
    options = [{"name": "Jean Biot", "gender": "male"}, {"name": "Ann Savart", "gender": "female"}]
    row = {"name": "law", "question": "Who?", "context": TEXT, "options": options, "id": 1, **changes}
    return json.dumps({key: value for key, value in row.items() if value is not ...}) + "\n"


def test_the_published_questions_are_read_as_they_are(reference: Path) -> None:
    found = read(reference / "ambiguity" / PUBLISHED)
    lines = (reference / "ambiguity" / PUBLISHED).read_text(encoding="utf-8").splitlines()
    assert [q.line for q in found] == list(range(1, 264))
    for question, line in zip(found, lines, strict=True):
        row = json.loads(line)
        assert (question.item, question.question, question.context) == (
            row["name"],
            row["question"],
            row["context"],
        )
        assert question.key == str(row["id"])
        assert [(p.name, dict(p.attributes)) for p in question.people] == [
            (o["name"], {key: o[key] for key in ("gender", "ethnicity", "nationality")})
            for o in row["options"]
        ]
    assert len({q.id for q in found}) == 263
    assert Counter(p.group("gender") for q in found for p in q.people) == {"male": 281, "female": 273}
    by_origin = read(reference / "ambiguity" / PUBLISHED, "ethnicity")
    assert Counter(p.group("ethnicity") for q in by_origin for p in q.people)["unknown"] == 510


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (published(options=[]), "options is not a list of right answers"),
        (published(options=["Biot"]), "an option is not an object"),
        (published(options=[{"gender": "male"}]), "name is missing"),
        (published(options=[{"name": "A B", "gender": 1}]), "gender of 'A B' is not a text"),
        (published(options=[{"name": "A B"}, {"name": "A B"}]), "the name 'A B' is repeated"),
        (published(context=""), "context is missing"),
        (published(question=...), "question is missing"),
        (published(name=7), "name is not a text"),
        (published(id=True), "id is missing, or neither"),
        (published(id=...), "id is missing, or neither"),
        (published() + published(), "line 1 also has the id 1"),
        (published() + "\n[1]\n", "not a JSON object"),
        (published() + '{"name": "a"', "not JSON"),
        (published(context="a\0b"), "context is not a text"),
        ('{"id": 1, "id": 2, "options": []}', "twice|repeated"),
    ],
)
def test_damaged_published_files_are_refused(written: Callable[..., Path], text: str, message: str) -> None:
    with pytest.raises(ImportedDataError, match=message) as e:
        read(written("a.jsonl", text))
    assert e.value.line == text.rstrip("\n").count("\n") + 1


def test_an_attribute_that_nobody_has_is_refused_with_one_that_is_like_it(
    written: Callable[..., Path],
) -> None:
    with pytest.raises(ImportedDataError, match="no option has the attribute 'gendr'") as e:
        read(written("a.jsonl", published()), "gendr")
    assert e.value.remedy == "did you mean group: gender?"


CSV = f"""\
item,context,name,gender,born,aliases
the law,{TEXT},Jean Biot,male,1774,Biot of Paris|J. Biot
the effect,{TEXT},Jean Biot,,,
the law,{TEXT},Ann Savart,female,1791,
"""


def test_a_table_has_a_row_per_person(written: Callable[..., Path]) -> None:
    law, effect = read(written("a.csv", CSV))
    assert (law.item, law.question, law.context, law.key, law.line) == (
        "the law",
        "Who discovered the law?",
        TEXT,
        "1",
        2,
    )
    assert [(p.name, p.attributes) for p in law.people] == [
        ("Jean Biot", {"gender": "male", "born": "1774"}),
        ("Ann Savart", {"gender": "female", "born": "1791"}),
    ]
    assert law.people[0].aliases == ("Biot of Paris", "J. Biot")
    assert (effect.key, effect.people[0].attributes) == ("2", {"gender": "unknown", "born": "unknown"})


def test_all_formats_of_tables_are_read_alike(written: Callable[..., Path], tmp_path: Path) -> None:
    rows = [
        {"item": "law", "context": TEXT, "name": "Jean Biot", "group": "a", "key": "x", "aliases": ["J. B."]},
        {"item": "law", "context": TEXT, "name": "Yau Ann", "group": None, "key": "x", "aliases": None},
    ]
    lines = read(written("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows)), "anything")
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    table = read(tmp_path / "a.parquet", "anything")
    assert [q.people for q in lines] == [q.people for q in table]
    assert lines[0].people[0].attributes == {"anything": "a"}
    assert lines[0].people[1].attributes == {"anything": "unknown"}
    assert [q.key for q in lines] == ["x"]


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("item,context,nme,gender\na,b,c,d\n", "'nme' is not one of nextset's, but looks like name", 1),
        ("item,text,name,gender\na,b,c,d\n", "but looks like context", 1),
        ("item,name,gender\na,c,d\n", "there is no column 'context'", 1),
        ("item,context,name\na,b,c\n", "there is no column 'gender'", 1),
        ("item,context,name,Gender\na,b,c,d\n", "but looks like gender", 1),
        ("item,context,name,gender\na,b,c,d\na,,c,d\n", "context is empty", 3),
        ("item,context,name,gender\na,b,c,d\na,b,c,d\n", "the name 'c' is repeated for 'a'", 3),
        ("item,context,name,gender\na,b,Zoë X,d\na,b,zoe\u0308  x,d\n", "is repeated for 'a'", 3),
        ("item,context,name,gender\na,b,--,d\n", "'--' is not a name", 2),
        ("item,context,name,gender,family\na,b,A B,d,C\n", "not begin or end with its family name 'C'", 2),
        ("item,context,name,gender,language\na,b,A B,d,xx\n", "nextset has no default question in 'xx'", 2),
        ("item,context,name,gender,key\na,b,A B,d,1\nc,b,A B,d,1\n", "in line 2 also has the key '1'", 3),
        ("item,context,name,gender,language\na,b,A B,d,?\n", "'\\?' is not a language tag", 2),
        ("item,context,name,gender\n", "the file has no rows", None),
        ("", "the file has no rows", None),
    ],
)  # fmt: skip
def test_damaged_tables_are_refused(
    written: Callable[..., Path], text: str, message: str, line: int | None
) -> None:
    with pytest.raises(ImportedDataError, match=message) as e:
        read(written("a.csv", text))
    assert e.value.line == line


def test_values_that_are_no_texts_are_refused(written: Callable[..., Path]) -> None:
    row = {"item": "a", "context": TEXT, "name": "A B", "gender": "x"}
    for key, value in (("item", 1), ("aliases", 3), ("aliases", [1]), ("gender", ["x"]), ("key", 1.5)):
        with pytest.raises(ImportedDataError, match=key):
            read(written("a.jsonl", json.dumps({**row, key: value})))
    for number in ("NaN", "Infinity"):
        text = json.dumps({**row, "born": "?"}).replace('"?"', number)
        with pytest.raises(ImportedDataError, match="born"):
            read(written("a.jsonl", text))
    assert read(written("a.jsonl", json.dumps({**row, "born": 5, "key": 7})))[0].key == "7"


YAML = """\
format: 1
language: en
items:
  law:
    item: Biot-Savart law
    question: Who?
    context: Jean Biot met Ann Savart.
    people: [{name: Jean Biot, gender: male}, {name: Ann Savart, gender: female}]
    source: a work
"""


@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [
        ("    source: a work\n", "", "source", 4),
        ("format: 1", "format: 2", "format", 1),
        ("name: Ann Savart", "nme: Ann Savart", "nme", 8),
        ("name: Ann Savart", "name: Jean Biot", "'Jean Biot' is repeated", 8),
        ("name: Ann Savart", "name: JEAN  Biot", "'JEAN  Biot' is repeated", 8),
        (
            "{name: Ann Savart,",
            "{name: Ann Savart, family: Curie,",
            "or end with its family name 'Curie'",
            8,
        ),
        ("question: Who?", "question: Who?\u200e", "direction mark", 6),
        ("  law:", "  Law!:", "not in the expected form", 4),
    ],
)
def test_damaged_yaml_is_refused(
    written: Callable[..., Path], old: str, new: str, message: str, line: int
) -> None:
    with pytest.raises(WordListError, match=message) as e:
        read(written("a.yaml", YAML.replace(old, new)))
    assert e.value.line == line


def test_yaml_has_the_attributes_that_it_names(written: Callable[..., Path]) -> None:
    file = written("a.yaml", YAML.replace("gender: male", "gender: male, attributes: {country: France}"))
    assert [p.group("country") for p in read(file, "country")[0].people] == ["France", "unknown"]
    with pytest.raises(WordListError, match="no person has the attribute 'x'"):
        read(file, "x")


def test_what_is_not_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    for name in ("folder.csv", "pipe.jsonl", "missing.csv", "missing.yaml", "a.txt"):
        with pytest.raises(InputError):
            read(tmp_path / name)
    with pytest.raises(StudyError, match="nextset has no questions 'builtin:xx'"):
        load_ambiguous_questions(("builtin:xx",), "gender", "en", Path, tmp_path / "study.yaml")


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.yaml"])
@given(data=st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_cut_and_changed_files_are_read_or_refused(
    written: Callable[..., Path], name: str, data: st.DataObject
) -> None:
    raw = {"a.csv": CSV, "a.jsonl": published(), "a.yaml": YAML}[name].encode()
    end = data.draw(st.integers(0, len(raw)))
    at = data.draw(st.integers(0, end))
    changed = raw[:at] + data.draw(st.binary(max_size=3)) + raw[at:end]
    try:
        found = read(written(name, data.draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + changed))
    except InputError:
        return
    assert all(question.people and question.context for question in found)


def test_a_file_that_changes_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (file := tmp_path / "law.jsonl").write_text(published())

    def rows(*asked: Any, **named: Any) -> Iterator[FileRow]:
        yield from rows_of_file(*asked, **named)
        file.write_text(published(context="Savart met Biot."))

    monkeypatch.setattr(study_questions, "rows_of_file", rows)
    with pytest.raises(ImportedDataError, match="the file changed while it was read"):
        read(file)


def test_a_context_that_is_no_paragraph(written: Callable[..., Path]) -> None:
    text = TEXT + " " * (study_questions.MAX_CONTEXT - len(TEXT))
    read(written("a.jsonl", published(context=text)))
    with pytest.raises(ImportedDataError, match="the context has 50,001 characters, more than 50,000") as e:
        read(written("a.jsonl", published() + published(context=text + " ", id=2)))
    assert e.value.line == 2


HIDDEN = "\u202e\u2066"


def test_texts_are_without_what_nobody_sees(written: Callable[..., Path]) -> None:
    options = [
        {"name": f"Jean {HIDDEN}Biot", "gender": "male\u202e"},
        {"name": "Ann\x1bSavart", "gender": "female"},
    ]
    changes = {"name": f"{HIDDEN}law", "question": "Who\x07?", "context": f"Biot{HIDDEN} met\x1bSavart."}
    row = {
        "item": f"{HIDDEN}law", "context": f"Biot{HIDDEN} met\x1bSavart.", "question": "Who\x07?",
        "name": f"Jean {HIDDEN}Biot", "gender": "male\u202e", "aliases": [f"J.{HIDDEN} Biot"],
    }  # fmt: skip
    (as_published,) = read(written("p.jsonl", published(options=options, **changes)))
    (of_table,) = read(written("t.jsonl", json.dumps(row) + "\n"))
    for found in (as_published, of_table):
        assert (found.item, found.question, found.context) == ("law", "Who ?", TEXT)
        assert (found.people[0].name, found.people[0].group("gender")) == ("Jean Biot", "male")
    assert as_published.people[1].name == "Ann Savart"
    assert of_table.people[0].aliases == ("J. Biot",)


def test_ids_with_what_nobody_sees_are_refused(written: Callable[..., Path]) -> None:
    row = {"item": "law", "context": TEXT, "name": "Jean Biot", "gender": "male", "key": "a\u202e"}
    for file in (
        written("p.jsonl", published(id="a\u202e")),
        written("t.jsonl", json.dumps(row) + "\n"),
    ):
        with pytest.raises(ImportedDataError, match=r"(id|key) contains .* U\+202E") as found:
            read(file)
        assert found.value.line == 1
