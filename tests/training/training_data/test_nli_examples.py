"""NLI pairs from tables: labels as names, numbers and none, in CSV, TSV, JSON lines and Parquet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datasets import ClassLabel, Dataset, Features, Value

from nextset.errors import InputError
from nextset.training.training_data.data_source import find_source
from nextset.training.training_data.nli_examples import NO_LABEL, NliExamples, read_nli

ROWS = [("A dog sleeps.", 'He says "no".', "entailment"), ("It rains.", "It is dry.", "contradiction")]


def _read(path: Path, columns: dict[str, str] | None = None, labels: Any = ()) -> NliExamples:
    return read_nli([find_source(str(path), path)], columns or {}, labels)


def _lines(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _row(label: Any) -> dict[str, Any]:
    return {"premise": "It rains.", "hypothesis": "It is wet.", "label": label}


def test_the_same_pairs_from_every_kind_of_file(tmp_path: Path) -> None:
    head = ("premise", "hypothesis", "label")
    quoted = [[f'"{text.replace(chr(34), chr(34) * 2)}"' for text in row] for row in (head, *ROWS)]
    (tmp_path / "a.csv").write_text("\n".join(map(",".join, quoted)) + "\n")
    (tmp_path / "a.tsv").write_text("\n".join("\t".join(row) for row in (head, *ROWS)) + "\n")
    (tmp_path / "quoted.tsv").write_text("\n".join(map("\t".join, quoted)) + "\n")
    (tmp_path / "excel.csv").write_bytes("\r\n".join(map(";".join, quoted)).encode("utf-8-sig"))
    _lines(tmp_path / "a.jsonl", *(dict(zip(head, row, strict=True)) for row in ROWS))
    columns = {name: [row[i] for row in ROWS] for i, name in enumerate(head)}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    files = ("a.csv", "a.tsv", "quoted.tsv", "excel.csv", "a.jsonl", "a.parquet")
    read = [_read(tmp_path / file) for file in files]
    assert all(one == read[0] for one in read)
    assert [(p.premise, p.hypothesis, p.label) for p in read[0].pairs] == ROWS


def test_numbers_have_the_meaning_that_is_given_or_stored(tmp_path: Path) -> None:
    path = _lines(tmp_path / "a.jsonl", _row(0), _row(2), _row(-1), _row("-"), _row(None))
    with pytest.raises(InputError, match="the label 0 has no name") as caught:
        _read(path)
    assert caught.value.line == 1
    found = _read(path, labels=("contradiction", "entailment", "neutral"))
    assert [p.label for p in found.pairs] == ["contradiction", "neutral"]
    assert found.dropped == {NO_LABEL: 3}
    features = Features(
        {
            "premise": Value("string"),
            "hypothesis": Value("string"),
            "label": ClassLabel(names=["Neutral", "entails"]),
        }
    )
    rows = {"premise": ["a"] * 2, "hypothesis": ["b"] * 2, "label": [1, 0]}
    Dataset.from_dict(rows, features=features).to_parquet(str(tmp_path / "named.parquet"))
    assert [p.label for p in _read(tmp_path / "named.parquet").pairs] == ["entailment", "neutral"]


def _named(path: Path, *names: str) -> Path:
    """Write a row for each of ``names``, and one without a label, as numbers that the file names."""
    features = Features(
        {"premise": Value("string"), "hypothesis": Value("string"), "label": ClassLabel(names=list(names))}
    )
    labels = [*range(len(names)), -1]
    rows = {"premise": ["a"] * len(labels), "hypothesis": ["b"] * len(labels), "label": labels}
    Dataset.from_dict(rows, features=features).to_parquet(str(path))
    return path


def test_names_of_numbers_are_read_like_names(tmp_path: Path) -> None:
    path = _named(tmp_path / "a.parquet", "e", "n", "c", "-")
    with pytest.raises(InputError, match="unknown label 'e'"):
        _read(path)
    found = _read(path, labels={"e": "entailment", "n": "neutral", "c": "contradiction"})
    assert [p.label for p in found.pairs] == ["entailment", "neutral", "contradiction"]
    assert found.dropped == {NO_LABEL: 2}
    two = _named(tmp_path / "b.parquet", "neutral", "entailment")
    assert [p.label for p in _read(two, labels={"neutral": "not_entailment"}).pairs] == [
        "not_entailment",
        "entailment",
    ]
    assert [p.label for p in _read(two, labels=["entailment", "neutral"]).pairs] == ["entailment", "neutral"]
    with pytest.raises(InputError, match="the label 0 has no name"):
        _read(_named(tmp_path / "c.parquet", "0", "1"))


def test_other_names_are_mapped(tmp_path: Path) -> None:
    path = _lines(tmp_path / "a.jsonl", _row("e"), _row("c"), _row("not-entailment"))
    with pytest.raises(InputError, match="unknown label 'e'") as caught:
        _read(path)
    assert str(caught.value).count("'c'") == 1  # all unknown labels at once, and no guess of their meaning
    assert caught.value.remedy.endswith(
        "labels: {e: LABEL, c: LABEL} in training.yaml (--labels e=LABEL,c=LABEL on the command line)"
    )
    with pytest.raises(InputError, match="unknown label 'l0', 'l1', 'l2', 'l3', 'l4', 'l5'\n"):
        _read(_lines(tmp_path / "b.jsonl", *(_row(f"l{i}") for i in range(9))))
    found = _read(path, labels={"e": "entailment", "c": "not_entailment"})
    assert found.labels == ("entailment", "not_entailment")
    with pytest.raises(InputError, match="some labels are not_entailment, and others are neutral"):
        _read(path, labels={"e": "entailment", "c": "contradiction"})


@pytest.mark.parametrize(
    "labels", [("entailement", "neutral", "contradiction"), {"e": "entailement"}, ("a", "b", "c")]
)
def test_a_meaning_that_is_no_label_is_refused(tmp_path: Path, labels: Any) -> None:
    path = _lines(tmp_path / "a.jsonl", _row(0), _row("neutral"))
    with pytest.raises(InputError, match=r"labels: '(entailement|a)' is not a label"):
        _read(path, labels=labels)


@pytest.mark.parametrize(
    "labels", [("entailment", "neutral", "neutral"), ("Entails", "entailment"), ["neutral"] * 3]
)
def test_two_numbers_do_not_have_one_meaning(tmp_path: Path, labels: Any) -> None:
    path = _lines(tmp_path / "a.jsonl", _row(0), _row(1))
    with pytest.raises(InputError, match=r"has (neutral|entailment) twice"):
        _read(path, labels=labels)
    two = _read(
        path, labels=("entailment", "not_entailment", "not-entailment")
    )  # of neutral and contradiction
    assert [p.label for p in two.pairs] == ["entailment", "not_entailment"]
    assert [p.label for p in _read(path, labels={"0": "neutral", "1": "neutral"}).pairs] == ["neutral"] * 2


def test_meanings_have_the_usual_spellings_too(tmp_path: Path) -> None:
    path = _lines(tmp_path / "a.jsonl", _row(0), _row("e"))
    assert [p.label for p in _read(path, labels={"0": "Entails", "e": "contradicts"}).pairs] == [
        "entailment",
        "contradiction",
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**_row("neutral"), "premise": " "}, "the premise is"),
        ({**_row("neutral"), "hypothesis": 5}, "the hypothesis is not a text: 5"),
        (_row(True), "unknown label 'True'"),
        (_row(7), "the label 7 has no name"),
        (_row("-"), "no pair has a label"),
    ],
)
def test_rows_that_are_wrong(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        _read(_lines(tmp_path / "a.jsonl", row))


def test_only_ascii_digits_are_numbers(tmp_path: Path) -> None:
    row = {"premise": "a", "hypothesis": "b", "label": "\u0661"}
    with pytest.raises(InputError, match="unknown label"):
        _read(_lines(tmp_path / "a.jsonl", row), labels=["entailment", "neutral", "contradiction"])


def test_columns_with_other_names(tmp_path: Path) -> None:
    path = _lines(tmp_path / "a.jsonl", {"sentence1": "a", "sentence2": "b", "gold_label": "neutral"})
    with pytest.raises(InputError, match="there is no column 'premise'") as caught:
        _read(path)
    assert caught.value.remedy.startswith("did you mean 'sentence1'?")
    names = {"premise": "sentence1", "hypothesis": "sentence2", "label": "gold_label"}
    assert len(_read(path, names).pairs) == 1


def test_what_is_not_a_table(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no file '.*absent\.csv'"):
        find_source("absent.csv", tmp_path / "absent.csv")
    with pytest.raises(InputError, match="this is a folder"):
        find_source("folder", tmp_path)
    (tmp_path / "a.csv").write_text("premise,premise,label\n")
    with pytest.raises(InputError, match="two columns 'premise'"):
        _read(tmp_path / "a.csv")
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(InputError, match="there are no rows"):
        _read(tmp_path / "empty.csv")
