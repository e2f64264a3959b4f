"""Questions in SQuAD's format (Rajpurkar et al. 2016, 2018): JSON, versions 1.1 and 2.0, or columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from nextset.errors import InputError, examples
from nextset.files.foreign_json import ForeignJsonError, parse_foreign_json
from nextset.study.training_settings import COLUMNS
from nextset.training.training_data.data_parts import check_part, part_in, part_of
from nextset.training.training_data.data_source import DataSource
from nextset.training.training_data.reader_questions import (
    EMPTY_ANSWER,
    EMPTY_CONTEXT,
    EMPTY_QUESTION,
    ReaderQuestion,
    ReaderQuestions,
    RightSpan,
)
from nextset.training.training_data.wanted_columns import wanted_columns

__all__ = ["read_questions"]

_COLUMNS = COLUMNS["qa"]
_ANSWERS = 'write answers in SQuAD\'s form: {"text": ["TEXT"], "answer_start": [NUMBER]}'
_REMEDY = "compare the file with SQuAD's, as docs/how_to/training.md shows it"


def read_questions(
    sources: Sequence[DataSource], columns: Mapping[str, str], by: str = ""
) -> ReaderQuestions:
    """Return the questions of ``sources``: JSON in SQuAD's format, or tables with its columns.

    With ``by``, their parts come from that column, or in JSON from that field of the question, paragraph or
    article. ``columns`` maps id, question, context and answers to the tables' names. Answers are returned
    unchanged, even if they are not at their start, except for empty ones, which are ignored. In CSV and TSV,
    answers are JSON. Raises InputError with file and place.
    """
    counts: Counter[str] = Counter()
    questions: list[ReaderQuestion] = []
    for source in sources:
        is_json = source.path is not None and source.path.suffix.lower() == ".json"
        for one in _of_json(source, by) if is_json else _of_rows(source, columns, by):
            if not one.context.strip():
                counts[EMPTY_CONTEXT] += 1
            elif not one.question.strip():
                counts[EMPTY_QUESTION] += 1
            elif one.answers and not (spans := tuple(a for a in one.answers if a.text.strip())):
                counts[EMPTY_ANSWER] += 1
            else:
                questions.append(replace(one, answers=spans) if one.answers else one)
        source.check_unchanged()
    if not questions:
        raise InputError(
            "there are no questions", file=sources[0].place, remedy="name data with at least one question"
        )
    ids = Counter(one.id for one in questions)
    if len(ids) < len(questions):
        twice = [name for name, n in ids.items() if n > 1]
        raise InputError(
            f"ids are repeated: {examples(twice, 3)}",
            file=sources[0].place,
            remedy="give each question its own id, and name each file once",
        )
    return ReaderQuestions(tuple(questions), dict(counts))


def _of_json(source: DataSource, by: str) -> Iterator[ReaderQuestion]:
    path = source.path
    assert path is not None
    try:
        document = parse_foreign_json(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError("not UTF-8", file=path, remedy="save the file as UTF-8") from None
    except ForeignJsonError as e:
        remedy = "download or copy the file again; it must be JSON in SQuAD's format"
        raise InputError(str(e), file=path, line=e.line, remedy=remedy) from None
    articles = _list(_field(document, "data", path, "the file"), path, "data")
    for a, article in enumerate(articles):
        at = f"data[{a}]"
        for p, paragraph in enumerate(_list(_field(article, "paragraphs", path, at), path, at)):
            inner = f"{at}.paragraphs[{p}]"
            context = _text(_field(paragraph, "context", path, inner), path, f"{inner}.context")
            for q, entry in enumerate(_list(_field(paragraph, "qas", path, inner), path, inner)):
                one = _question(entry, context, path, f"{inner}.qas[{q}]")
                yield replace(one, part=part_in((entry, paragraph, article), by, path)) if by else one


def _question(entry: Any, context: str, path: Path, at: str) -> ReaderQuestion:
    question = _text(_field(entry, "question", path, at), path, f"{at}.question")
    number = _field(entry, "id", path, at)
    if isinstance(number, bool) or not isinstance(number, str | int):
        raise InputError(f"{at}.id is not a text: {number!r:.60}", file=path, remedy=_REMEDY)
    impossible = entry.get("is_impossible", False)
    if not isinstance(impossible, bool):
        raise InputError(
            f"{at}.is_impossible is not true or false: {impossible!r:.60}", file=path, remedy=_REMEDY
        )
    answers = () if impossible else _list(_field(entry, "answers", path, at), path, f"{at}.answers")
    spans = tuple(_span(answer, path, f"{at}.answers[{i}]") for i, answer in enumerate(answers))
    return ReaderQuestion(str(number), question, context, spans)


def _span(answer: Any, path: Path | str, at: str) -> RightSpan:
    text = _text(_field(answer, "text", path, at), path, f"{at}.text")
    return RightSpan(text, _start(_field(answer, "answer_start", path, at), path, f"{at}.answer_start"))


def _start(start: Any, path: Path | str, at: str, line: int | None = None) -> int:
    if isinstance(start, bool) or not isinstance(start, int):
        remedy = "write the start of the answer in the context, in characters"
        raise InputError(f"{at} is not a whole number: {start!r:.60}", file=path, line=line, remedy=remedy)
    return start


def _of_rows(source: DataSource, columns: Mapping[str, str], by: str) -> Iterator[ReaderQuestion]:
    names = wanted_columns(source.columns(), _COLUMNS, columns, source.place)
    check_part(by, source)
    for line, row in source.rows():
        values = {name: row.get(theirs) for name, theirs in names.items()}
        for name in _COLUMNS[:3]:
            if not isinstance(values[name], str | int) or isinstance(values[name], bool):
                raise InputError(
                    f"the {name} is not a text: {values[name]!r:.60}",
                    file=source.place,
                    line=line,
                    remedy="correct or remove the row",
                )
        answers = _answers_in_cell(values["answers"], source.place, line)
        parts = [answers.get(key) for key in ("text", "answer_start")] if isinstance(answers, dict) else []
        lists = [part for part in parts if isinstance(part, list)]
        if len(lists) != 2 or len(lists[0]) != len(lists[1]):
            raise InputError(
                f"answers are not lists of text and answer_start: {answers!r:.60}",
                file=source.place,
                line=line,
                remedy=_ANSWERS,
            )
        spans = tuple(
            RightSpan(_text(text, source.place, "answers.text", line),
                      _start(start, source.place, "answers.answer_start", line))
            for text, start in zip(*lists, strict=True)
        )  # fmt: skip
        name, question, context = (str(values[column]) for column in _COLUMNS[:3])
        yield ReaderQuestion(name, question, context, spans, part_of(row, by, source))


def _answers_in_cell(answers: Any, place: str, line: int) -> Any:
    """Return ``answers``, read as JSON if they are a text, as in CSV and TSV."""
    if not isinstance(answers, str):
        return answers
    try:
        return parse_foreign_json(answers)
    except ForeignJsonError as e:
        raise InputError(f"answers: {e}: {answers!r:.60}", file=place, line=line, remedy=_ANSWERS) from None


def _field(value: Any, key: str, path: Path | str, at: str) -> Any:
    if not isinstance(value, dict) or key not in value:
        raise InputError(f"{at} has no {key!r}, which SQuAD's format needs", file=path, remedy=_REMEDY)
    return value[key]


def _list(value: Any, path: Path, at: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"{at} is not a list", file=path, remedy=_REMEDY)
    return value


def _text(value: Any, path: Path | str, at: str, line: int | None = None) -> str:
    if not isinstance(value, str):
        raise InputError(f"{at} is not a text: {value!r:.60}", file=path, line=line, remedy=_REMEDY)
    return value
