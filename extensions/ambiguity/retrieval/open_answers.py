"""A reader's answer to an open question: the best of its answers from the passages that a retriever found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from nextset.extensions.ambiguity.passages import RetrievedPassage
from nextset.extensions.ambiguity.retrieval.retrieval_records import OpenAnswer
from nextset.extensions.ambiguity.retrieval.title_groups import TitleGroups
from nextset.extensions.ambiguity.selectional.name_matching import gives_family_name
from nextset.extensions.ambiguity.unanswered_groups import UnansweredGroup, unanswered_groups
from nextset.records.reader_answers import ReaderAnswer
from nextset.word_lists.group_labels import UNKNOWN

__all__ = ["ReadPassages", "best_answers", "names_person", "reading_context", "reading_id", "silent_readings"]

_NOTE = re.compile(r"\s*[(（].*")
_SENTENCE_END = (".", "!", "?", "。", "！", "？")


def reading_context(title: str, text: str) -> str:
    """Return the context that a reader reads: the title as a sentence before the passage.

    Readers of open questions also read the title (Karpukhin et al. 2020), since a passage about a person
    often says *she* instead of the name.
    """
    title, text = title.strip(), text.strip()
    if not title or not text:
        return title or text
    return f"{title} {text}" if title.endswith(_SENTENCE_END) else f"{title}. {text}"


def reading_id(question_id: str, passage: int) -> str:
    """Return the id of the question about one passage; retrievers that found the same passage share the
    id."""
    return f"{question_id}-{passage}"


@dataclass(frozen=True)
class ReadPassages:
    """The passages that are read for each question."""

    found: Sequence[RetrievedPassage]
    """The first passages of each retriever and question."""

    languages: Mapping[str, str]
    """The language of each question, by its id."""

    def by_question(self) -> Mapping[tuple[str, str], list[RetrievedPassage]]:
        """Return the passages of each retriever and question, in the order of their ranks."""
        passages: dict[tuple[str, str], list[RetrievedPassage]] = {}
        for passage in sorted(self.found, key=lambda p: p.rank):
            passages.setdefault((passage.retriever, passage.question_id), []).append(passage)
        return passages


def best_answers(
    read: ReadPassages, answers: Iterable[ReaderAnswer], titles: TitleGroups
) -> Iterator[OpenAnswer]:
    """Yield each reader's answer to each question, with each retriever.

    It is the answer with the highest score among its answers from the passages; of equal scores, the passage
    with the lower rank counts. Empty answers do not count. Models that write give no score, so their answer
    is the first one that is not empty.
    """
    by_reader: dict[str, dict[str, ReaderAnswer]] = {}
    for answer in answers:
        by_reader.setdefault(answer.model, {})[answer.question_id] = answer
    passages_by_question = read.by_question()
    for reader, given in by_reader.items():
        for (retriever, question), passages in passages_by_question.items():
            best = _best(question, passages, given)
            language = read.languages[question]
            yield _open_answer(question, retriever, reader, best, titles, language)


def _best(
    question: str, passages: Sequence[RetrievedPassage], given: Mapping[str, ReaderAnswer]
) -> tuple[RetrievedPassage, ReaderAnswer] | None:
    """Return the best answer with its passage; None if all are empty."""
    best: tuple[RetrievedPassage, ReaderAnswer] | None = None
    for passage in passages:
        answer = given.get(reading_id(question, passage.passage))
        if answer is None or not answer.text.strip():
            continue
        if best is None or (answer.score or 0.0) > (best[1].score or 0.0):
            best = passage, answer
    return best


def _open_answer(
    question: str,
    retriever: str,
    reader: str,
    best: tuple[RetrievedPassage, ReaderAnswer] | None,
    titles: TitleGroups,
    language: str,
) -> OpenAnswer:
    passage, answer = best or (None, None)
    title = passage.title if passage else ""
    text = answer.text if answer else ""
    return OpenAnswer(
        question_id=question,
        retriever=retriever,
        reader=reader,
        text=text,
        score=answer.score if answer else None,
        rank=passage.rank if passage else None,
        passage=passage.passage if passage else None,
        title=title,
        group=titles.name(titles.places[title]) if passage else UNKNOWN,
        named=names_person(text, title, language),
    )


def silent_readings(
    read: ReadPassages, answers: Iterable[ReaderAnswer], titles: TitleGroups
) -> list[UnansweredGroup]:
    """Return the numbers of readings that each reader refused, or that were cut off, by the title's group.

    A passage that several retrievers found for a question is one reading.
    """
    found = {reading_id(p.question_id, p.passage): p.title for p in read.found}
    return unanswered_groups(
        (answer.model, titles.name(titles.places[found[answer.question_id]]), answer.outcome)
        for answer in answers
        if answer.question_id in found
    )


def names_person(answer: str, title: str, language: str) -> bool:
    """Return whether ``answer`` gives the family name of the person in ``title``, by the stricter rule for
    questions with several right answers; text in brackets in a title is not a part of the name."""
    return gives_family_name(answer, _NOTE.sub("", title), (), "", language)
