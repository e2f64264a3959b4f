"""nextset models evaluate --by: figures of each article, genre or other part of the data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from datasets import ClassLabel, Dataset
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from nextset.cli.app import app
from nextset.errors import InputError
from nextset.training.evaluation.figures_by_part import figures_by_part
from nextset.training.evaluation.model_evaluation import evaluate_model
from nextset.training.training_data.reader_questions import ReaderQuestion


def _paragraph(context: str, *asked: tuple[str, str, str]) -> dict[str, object]:
    return {
        "context": context,
        "qas": [
            {
                "id": name,
                "question": question,
                "answers": [{"text": answer, "answer_start": context.index(answer)}],
            }
            for name, question, answer in asked
        ],
    }


@pytest.fixture
def data(tmp_path: Path) -> Path:
    met = _paragraph(
        "Anna met Thomas in Rome.", ("1", "Who met Thomas?", "Anna"), ("2", "Where did they meet?", "Rome")
    )
    sold = _paragraph("Marie sold a red car.", ("3", "What did Marie sell?", "a red car"))
    articles = [{"title": "Trade", "paragraphs": [sold]}, {"title": "Travel", "paragraphs": [met]}]
    file = tmp_path / "data.json"
    file.write_text(json.dumps({"data": articles}), encoding="utf-8")
    return file


def _predictions(folder: Path, answers: dict[str, str]) -> Path:
    file = folder / "predictions.json"
    file.write_text(json.dumps(answers), encoding="utf-8")
    return file


def test_predictions_by_article(data: Path, tmp_path: Path) -> None:
    """Travel: one of two is right. Trade: car is one of two words, red and car."""
    found = evaluate_model(_predictions(tmp_path, {"1": "Anna", "2": "Thomas", "3": "car"}), data, by="title")
    assert list(found.parts) == ["Travel", "Trade"]  # the largest first
    assert found.parts["Travel"] == {"questions": 2, "em": 0.5, "f1": 0.5, "avna": 1}
    # precision 1, recall 1/2
    assert found.parts["Trade"] == pytest.approx({"questions": 1, "em": 0, "f1": 2 / 3, "avna": 1})
    total = sum(part["em"] * part["questions"] for part in found.parts.values())
    assert total == pytest.approx(found.figures["em"] * 3)


def test_questions_without_a_prediction_count_in_their_part(data: Path, tmp_path: Path) -> None:
    found = evaluate_model(_predictions(tmp_path, {"1": "Anna"}), data, by="title")
    assert found.parts["Travel"] == {"questions": 2, "em": 0.5, "f1": 0.5, "avna": 0.5, "missing": 1}
    assert found.parts["Trade"] == {"questions": 1, "em": 0, "f1": 0, "avna": 0, "missing": 1}


def test_a_table_of_questions_by_a_column(tmp_path: Path) -> None:
    rows = [
        {"id": n, "question": "Who?", "context": "Anna ran.", "field": field,
         "answers": {"text": ["Anna"], "answer_start": [0]}}
        for n, field in (("1", "law"), ("2", None))
    ]  # fmt: skip
    file = tmp_path / "table.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = evaluate_model(_predictions(tmp_path, {"1": "Anna", "2": "Ann"}), file, by="field")
    assert {part: figures["em"] for part, figures in found.parts.items()} == {"law": 1, "none": 0}


def test_without_by_there_are_no_parts(data: Path, tmp_path: Path) -> None:
    assert evaluate_model(_predictions(tmp_path, {"1": "Anna"}), data).parts == {}


def test_a_reader_by_article(data: Path) -> None:
    found = evaluate_model("builtin:qa-roformer", data, by="title")
    assert [part["questions"] for part in found.parts.values()] == [2, 1]
    total = sum(part["f1"] * part["questions"] for part in found.parts.values())
    assert total == pytest.approx(found.figures["f1"] * 3)


def test_a_classifier_by_a_column(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text(
        "premise,hypothesis,label,genre\n"
        "A man sleeps.,A person sleeps.,entailment,fiction\n"
        "A man sleeps.,A man sleeps.,entailment,\n"
        "A man sleeps.,A man is Greek.,neutral,fiction\n",
        encoding="utf-8",
    )
    found = evaluate_model("builtin:nli-electra", file, by="genre")
    assert {name: part["pairs"] for name, part in found.parts.items()} == {"fiction": 2, "none": 1}
    right = sum(part["accuracy"] * part["pairs"] for part in found.parts.values())
    assert right == pytest.approx(found.figures["accuracy"] * 3)
    features = {"premise": "P.", "hypothesis": "P.", "label": "entailment", "genre": 0}
    typed = Dataset.from_list([features, {**features, "genre": -1}])
    typed.cast_column("genre", ClassLabel(names=["fiction"])).to_parquet(str(tmp_path / "pairs.parquet"))
    parts = evaluate_model("builtin:nli-electra", tmp_path / "pairs.parquet", by="genre").parts
    assert {name: part["pairs"] for name, part in parts.items()} == {"fiction": 1, "none": 1}
    with pytest.raises(InputError) as e:
        evaluate_model("builtin:nli-electra", file, by="genra")
    assert e.value.remedy == "did you mean 'genre'?"


def test_labels_of_the_table_are_mapped_in_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("premise,hypothesis,label\nIt rains.,It rains.,e=1\nIt rains.,It is dry.,c\n")
    given_words = ["models", "evaluate", "builtin:nli-electra", "--data", str(file), "--labels"]
    done = CliRunner().invoke(app, [*given_words, "e=1=entailment, c=contradiction", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["figures"]["contradiction_pairs"] == 1
    for wrong in ("e=1=entailment,c", "c=neutral,c=contradiction", "entailment,,neutral"):
        assert CliRunner().invoke(app, [*given_words, wrong]).exit_code == 2
    assert CliRunner().invoke(app, [*given_words, "entailement,neutral"]).exit_code == 3


def test_a_field_that_no_level_of_the_file_has(data: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no field 'topic'") as e:
        evaluate_model(_predictions(tmp_path, {"1": "Anna"}), data, by="topic")
    assert e.value.remedy == "name a field: title"


def test_texts_have_no_parts(tmp_path: Path) -> None:
    file = tmp_path / "texts.txt"
    file.write_text("Anna is a coach.\n", encoding="utf-8")
    with pytest.raises(InputError, match="no parts"):
        evaluate_model("builtin:masked-lm", file, by="title")


def test_the_terminal_shows_the_parts(data: Path, tmp_path: Path) -> None:
    predictions = _predictions(tmp_path, {"1": "Anna", "2": "Thomas", "3": "red car"})
    given_words = ["models", "evaluate", str(predictions), "--data", str(data), "--by", "title"]
    done = CliRunner().invoke(app, given_words)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-3:] == [
        "by title",
        "  Travel: questions 2, em 50.0%, f1 50.0%, avna 100.0%",
        "  Trade: questions 1, em 100.0%, f1 100.0%, avna 100.0%",
    ]


@given(st.lists(st.sampled_from(["", "law", "art", "trade"])))
def test_each_example_is_in_one_part(parts: list[str]) -> None:
    examples = [ReaderQuestion(str(i), "?", "x", (), part) for i, part in enumerate(parts)]
    found = figures_by_part(examples, lambda some: {str(number): 1.0 for number in some})
    assert sorted(int(n) for figures in found.values() for n in figures) == [
        i for i, part in enumerate(parts) if part
    ]
    sizes = [len(figures) for figures in found.values()]
    assert sizes == sorted(sizes, reverse=True)
