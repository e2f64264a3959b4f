"""A reader's answer to an open question: the best of its answers to the passages that a retriever found."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from nextset.auditing.retrieval.retrieval_records import OpenAnswer
from nextset.auditing.retrieval.title_groups import UNKNOWN, TitleGroups
from nextset.records.passages import RetrievedPassage
from nextset.records.reader_answers import ReaderAnswer

__all__ = ["ReadPassages", "best_answers", "names_person", "reading_context", "reading_id"]

_NOTE = re.compile(r"\s*[(（].*")
_WORD = re.compile(r"\w+")
_SENTENCE_END = (".", "!", "?", "。", "！", "？")


def reading_context(title: str, text: str) -> str:
    """Return the context that a reader reads: the title as a sentence before the passage.

    Readers of open questions read the title too (Karpukhin et al. 2020), since a passage on a person often
    says *she*, and not the name.
    """
    title, text = title.strip(), text.strip()
    if not title or not text:
        return title or text
    return f"{title} {text}" if title.endswith(_SENTENCE_END) else f"{title}. {text}"


def reading_id(question_id: str, passage: int) -> str:
    """Return the id of the question about one passage; retrievers that found the same one share it."""
    return f"{question_id}-{passage}"


@dataclass(frozen=True)
class ReadPassages:
    """The passages that are read for each question."""

    found: Sequence[RetrievedPassage]
    """The first passages of each retriever and question, those with a context."""

    def by_question(self) -> Mapping[tuple[str, str], list[RetrievedPassage]]:
        """Return the passages of each retriever and question, in the order of their ranks."""
        found: dict[tuple[str, str], list[RetrievedPassage]] = {}
        for passage in sorted(self.found, key=lambda p: p.rank):
            found.setdefault((passage.retriever, passage.question_id), []).append(passage)
        return found


def best_answers(
    read: ReadPassages, answers: Iterable[ReaderAnswer], titles: TitleGroups
) -> Iterator[OpenAnswer]:
    """Yield each reader's answer to each question, with each retriever.

    It is the answer with the highest score among its answers to the passages, of equal ones that of the
    passage with the lower rank. Empty answers do not count. Models that write give no score: theirs is the
    first answer that is not empty.
    """
    by_reader: dict[str, dict[str, ReaderAnswer]] = {}
    for answer in answers:
        by_reader.setdefault(answer.model, {})[answer.question_id] = answer
    for reader, given in by_reader.items():
        for (retriever, question), passages in read.by_question().items():
            yield _best(question, retriever, reader, passages, given, titles)


def _best(
    question: str,
    retriever: str,
    reader: str,
    passages: Sequence[RetrievedPassage],
    given: Mapping[str, ReaderAnswer],
    titles: TitleGroups,
) -> OpenAnswer:
    best: tuple[RetrievedPassage, ReaderAnswer] | None = None
    for passage in passages:
        answer = given.get(reading_id(question, passage.passage))
        if answer is None or not answer.text.strip():
            continue
        if best is None or (answer.score or 0.0) > (best[1].score or 0.0):
            best = passage, answer
    if best is None:
        return OpenAnswer(
            question_id=question,
            retriever=retriever,
            reader=reader,
            text="",
            score=None,
            rank=None,
            passage=None,
            title="",
            group=UNKNOWN,
            named=False,
        )
    passage, answer = best
    return OpenAnswer(
        question_id=question,
        retriever=retriever,
        reader=reader,
        text=answer.text,
        score=answer.score,
        rank=passage.rank,
        passage=passage.passage,
        title=passage.title,
        group=titles.name(titles.places[passage.title]),
        named=names_person(answer.text, passage.title),
    )


def names_person(answer: str, title: str) -> bool:
    """Return whether ``answer`` has a word of ``title``, which is a person's name.

    Capitals do not matter, and what is in brackets does not count, nor a word of one letter, or one in small
    letters, such as *de*.
    """
    words = [w for w in _WORD.findall(_NOTE.sub("", title)) if len(w) > 1 and not w.islower()]
    return bool(_folded(words) & _folded(_WORD.findall(answer)))


def _folded(words: Iterable[str]) -> set[str]:
    return {unicodedata.normalize("NFC", word).casefold() for word in words}
