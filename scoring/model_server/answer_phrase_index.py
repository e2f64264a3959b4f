"""Phrases of all languages in the form in which sentences are compared with them."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from nextset.scoring.prompts.answer_parsing import SIGNS, UNSPACED, folded_case, visible_text
from nextset.word_lists.answer_phrases import answer_phrases

__all__ = [
    "PhraseIndex",
    "abstention_index",
    "is_in_a_phrase",
    "lead_in_index",
    "plain_folded",
    "plain_sentence",
    "refusal_index",
]

_GAP = "…"
"""The mark for any other words of the sentence."""
_LONGEST = 1000
"""The characters of a sentence whose accents are composed, because that takes quadratic time."""
_IGNORED = str.maketrans(
    dict.fromkeys('*`"“”„«»‹›_~#>|\\$「」『』《》[]{},،、，') | dict.fromkeys("’‘ʼ´′＇", "'")
)
_CJK = f"{UNSPACED}\uac00-\ud7af"
_BLANK = re.compile(f"(?<=[{_CJK}]) (?=[{_CJK}])")
"""A blank that writers of Chinese, Japanese and Korean may omit."""
_BACKTICK = re.compile(r"(?<=\w)`(?=\w)")
"""An apostrophe on some keyboards."""
_VOWEL_SIGN = re.compile("[\u064b-\u0652\u0640]")
"""Marks that Arabic texts may omit."""
_WORD = re.compile(f"[^\\W_]|[{SIGNS}]")
_CONTINUES = re.compile(f"[^\\W_{UNSPACED}]|[{SIGNS}]")
_EDGE = 2
"""The characters at an edge of a phrase by which it is looked up."""


def plain_sentence(text: str) -> str:
    """Return ``text`` for comparison: one case, no Markdown, commas, quotes, or other signs at its ends."""
    return plain_folded(folded_case(visible_text(text)))


def plain_folded(text: str) -> str:
    """Return the `plain_sentence` of ``text``, which is visible text in one case."""
    plain = " ".join(_BACKTICK.sub("'", text).translate(_IGNORED).split())
    if len(plain) <= _LONGEST:
        plain = unicodedata.normalize("NFC", plain)
    plain = _BLANK.sub("", _VOWEL_SIGN.sub("", plain))
    first, last = _WORD.search(plain), _WORD.search(plain[::-1])
    return plain[first.start() : len(plain) - last.start()] if first and last else ""


@dataclass(frozen=True)
class PhraseIndex:
    """Phrases that are whole sentences, or begin or end one."""

    whole: set[str] = field(default_factory=set)
    beginnings: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Phrases by their first characters."""
    endings: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Phrases by their last characters."""

    @classmethod
    def of(cls, phrases: Iterable[str]) -> PhraseIndex:
        """Return the index of ``phrases``, in which … stands for other words."""
        index = cls()
        for phrase in phrases:
            plain = plain_sentence(phrase.strip(_GAP))
            index.whole.add(plain)
            if phrase.endswith(_GAP):
                index.beginnings[plain[:_EDGE]].append(plain)
            if phrase.startswith(_GAP):
                index.endings[plain[-_EDGE:]].append(plain)
        return index

    def rest(self, plain: str) -> str | None:
        """Return ``plain``, a `plain_sentence`, without the longest phrase; None if it has no phrase."""
        return "" if plain in self.whole else min(self._rests(plain), key=len, default=None)

    def _rests(self, plain: str) -> Iterator[str]:
        for phrase in self.beginnings.get(plain[:_EDGE], ()):
            if plain.startswith(phrase) and not _CONTINUES.match(plain, len(phrase)):
                yield plain[len(phrase) :]
        for phrase in self.endings.get(plain[-_EDGE:], ()):
            if plain.endswith(phrase):
                yield plain[: -len(phrase)]


@functools.cache
def abstention_index() -> PhraseIndex:
    """Return the phrases of all languages that say that the text does not tell."""
    return PhraseIndex.of(_phrases("abstentions"))


@functools.cache
def refusal_index() -> PhraseIndex:
    """Return the phrases of all languages that say that the model does not want to answer."""
    return PhraseIndex.of(_phrases("refusals"))


@functools.cache
def lead_in_index() -> PhraseIndex:
    """Return the texts of all languages that may stand before such a phrase."""
    return PhraseIndex.of(_phrases("lead_ins"))


@functools.lru_cache(maxsize=10_000)
def is_in_a_phrase(plain: str) -> bool:
    """Return True if ``plain``, a `plain_sentence`, is a word of a phrase, such as no in no way to know."""
    before, after = (f"(?{side}[^\\W_{UNSPACED}]|[{SIGNS}])" for side in ("<!", "!"))
    return re.search(f"{before}{re.escape(plain)}{after}", _all_phrases()) is not None


@functools.cache
def _all_phrases() -> str:
    sections = ("abstentions", "refusals", "lead_ins")
    return "\n".join(plain_sentence(phrase) for section in sections for phrase in _phrases(section))


def _phrases(section: str) -> Iterator[str]:
    for language in answer_phrases().languages.values():
        yield from getattr(language, section)
