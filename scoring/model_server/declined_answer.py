"""An answer in words that gives no choice: it says that the text does not tell, or that the model refuses."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from nextset.scoring.model_server.answer_phrase_index import (
    PhraseIndex,
    abstention_index,
    is_in_a_phrase,
    lead_in_index,
    plain_folded,
    plain_sentence,
    refusal_index,
)
from nextset.scoring.prompts.answer_parsing import (
    FRAME,
    SIGNS,
    UNSPACED,
    folded_case,
    mentioned_choices,
    unwrapped_answer,
    visible_text,
    without_latex,
)

__all__ = ["DeclinedAnswer", "declined_answer"]

_SENTENCE_END = re.compile(r"[.!?\n。！？؟।॥]+")
_PAUSE = re.compile(r"[,;:،、；，(—]|\s[-–]")
_COMMA = re.compile(r"[,،、，]")
_BUT = re.compile(r"(?:but|however|pero|però|aber|mais|ma|mas|но|ama|ancak|لكن|ولكن|लेकिन|但是|但)\b\s*")
_OR = (
    r"(?:[,、，]?\s+(?:or|nor|oder|noch|o|u|ou|ni|nem|né|veya|ya da|или|ни|أو|أم|या|또는|아니면)\s+"
    r"(?:the\s+)?"
    r"|\s*(?:还是|或者|或|還是|または|それとも|か)\s*)"
)
"""The words between two choices that an abstention leaves open: whether it was Maria or Peter."""
_WHETHER = re.compile(r"(?:\b(?:whether|if|ob|si|se)\b|是否)[^,;:،、；，(—]*")
"""The question that an abstention leaves open, up to a pause: whether the claim is true."""
_CONTINUES = re.compile(f"[^\\W_{UNSPACED}]|[{SIGNS}]")
_LEAD_INS = 3
"""The most lead-ins before a phrase."""
_HANGUL = re.compile("[\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class DeclinedAnswer:
    """An answer that gives no choice, and the choices that it still names."""

    outcome: Literal["abstained", "refused"]
    """The outcome if it names no choice."""
    named: frozenset[int]
    """The positions of the choices that it names outside the phrase that declines."""
    within: frozenset[int]
    """The positions of the choices in that phrase that are abstentions themselves: unclear in it is unclear
    who."""


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A phrase at a place of an answer."""

    sentence: int
    rest: str
    """The other words of the sentence."""


def declined_answer(text: str, choices: Sequence[str]) -> DeclinedAnswer | None:
    """Return the abstention or the refusal in ``text``; None if it contains neither.

    An abstention is the first sentence, up to a pause or after a lead-in (Based on the text, it is unclear),
    a later sentence as a whole, or the end of the last one after a frame (Answer: unknown). A refusal is the
    first sentence, or the one after an apology.
    """
    answer = folded_case(visible_text(without_latex(unwrapped_answer(text))))
    sentences = [part for part in _SENTENCE_END.split(answer) if plain_folded(part)]
    if not sentences:
        return None
    phrase = _first(sentences, abstention_index()) or _later(sentences, abstention_index())
    if phrase is not None:
        return _declined("abstained", sentences, phrase, choices)
    phrase = _first(sentences, refusal_index())
    return None if phrase is None else _declined("refused", sentences, phrase, choices)


def _first(sentences: Sequence[str], index: PhraseIndex) -> _Phrase | None:
    """Return the phrase with which the answer begins, after any lead-ins."""
    for place, before, sentence in reversed(list(_beginnings(sentences))):
        unframed = _without_frame(sentence)
        for part in (sentence, unframed, unframed.removeprefix("that ")):
            rest = index.rest(plain_folded(part))
            if rest is not None:
                return _Phrase(place, f"{before} . {rest}")
        clause, *others = _PAUSE.split(sentence.strip(), maxsplit=1)
        if others and plain_folded(clause) in index.whole:
            return _Phrase(place, f"{before} . {others[0]}")
    return None


def _beginnings(sentences: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Yield the first sentence, then what follows each lead-in: its place, the words before it, itself."""
    place, before, sentence = 0, "", sentences[0]
    yield place, before, sentence
    for _ in range(_LEAD_INS):
        head, *tail = _COMMA.split(sentence, maxsplit=1)
        if lead_in_index().rest(plain_folded(head)) is None:
            return
        if tail:
            before, sentence = f"{before} {head}", tail[0].strip()
            but = _BUT.match(sentence)
            sentence = sentence[but.end() :] if but else sentence
        elif place + 1 < len(sentences):
            place, before, sentence = place + 1, "", sentences[place + 1]
        else:
            return
        yield place, before, sentence


def _later(sentences: Sequence[str], index: PhraseIndex) -> _Phrase | None:
    """Return the sentence that is a phrase as a whole, or the last one if it is a frame and a phrase."""
    for place, sentence in enumerate(sentences):
        if plain_folded(sentence) in index.whole:
            return _Phrase(place, "")
    unframed = _without_frame(sentences[-1])
    rest = None if unframed == sentences[-1] else index.rest(plain_folded(unframed))
    return None if rest is None else _Phrase(len(sentences) - 1, rest)


def _without_frame(sentence: str) -> str:
    """Return ``sentence`` without a frame at its beginning, such as the answer is."""
    bare = sentence.lstrip(" \t*_#>`'\"-")
    frame = FRAME.match(bare)
    if frame is None or frame.end() == len(bare) or _CONTINUES.match(bare, frame.end()):
        return sentence
    return bare[frame.end() :].lstrip(" \t:：*_#>`'\"-–—=")


def _declined(
    outcome: Literal["abstained", "refused"], sentences: list[str], phrase: _Phrase, choices: Sequence[str]
) -> DeclinedAnswer:
    rest = _without_question(sentences[phrase.sentence], phrase) if outcome == "abstained" else phrase.rest
    others = [*sentences[: phrase.sentence], rest, *sentences[phrase.sentence + 1 :]]
    plain = [plain_sentence(choice) for choice in choices]
    rest = " . ".join(others).replace("*", "")
    if outcome == "abstained":
        rest = _without_alternatives(rest, plain)
    within = mentioned_choices(plain_folded(sentences[phrase.sentence]), plain)
    return DeclinedAnswer(
        outcome,
        frozenset(n for n, choice in enumerate(plain) if choice and _names(rest, choice)),
        frozenset(
            n for n, choice in enumerate(plain) if choice in within and choice in abstention_index().whole
        ),
    )


def _without_question(sentence: str, phrase: _Phrase) -> str:
    """Return the rest of the sentence with ``phrase``, without the question that it leaves open."""
    question = _WHETHER.search(sentence)
    before, stop, _ = phrase.rest.partition(" . ")
    return phrase.rest if question is None else f"{before}{stop}{sentence[question.end() :]}"


def _without_alternatives(rest: str, choices: Sequence[str]) -> str:
    """Return ``rest`` without two choices with an or between them, which says that neither is given."""
    for one, other in itertools.permutations(filter(None, choices), 2):
        rest = re.sub(rf"(?<!\w){re.escape(one)}{_OR}{re.escape(other)}(?!\w)", " ", rest)
    return rest


def _names(rest: str, choice: str) -> bool:
    """Return True if ``rest`` names ``choice``.

    A choice that is also a word of phrases, such as no, is named only before a pause or at the end.
    """
    if _HANGUL.search(choice) and len(choice) > 1:
        return choice in rest
    if not is_in_a_phrase(choice):
        return bool(mentioned_choices(rest, [choice]))
    return (
        re.search(rf"(?<!\w){re.escape(choice)}(?=\s*(?:[.,;!?:)،、；，'\"”»]|\s[-–—]|\Z))", rest) is not None
    )
