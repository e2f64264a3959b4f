"""Letter case by language: capitals where sentences begin, and the form in which texts are compared."""

from __future__ import annotations

import functools
import re
import unicodedata
from pathlib import Path
from typing import Literal

from nextset.errors import WordListError
from nextset.files.yaml_model import HandWritten, read_model

__all__ = ["all_capitals", "begins_sentence", "capitalised", "cased_like", "folded", "small_i", "spelling"]

_QUOTES = "\"'“”„‟«»‹›‘’‚"
_OPENING = re.compile(rf"(?:[{_QUOTES}(\[{{¿¡]|(?<![^\s(])[«‹][ \u00a0\u202f]|[—–―][ \u00a0])*\Z")
_SPEECH = re.compile(r":\s*[\"“„«»”][ \u00a0\u202f]?\Z")
_END = re.compile(rf"([.!?։\u037e;])(?:[{_QUOTES})\]}}]|[ \u00a0\u202f][»›])*\s+\Z")
_BEFORE_STOP = re.compile(r"[^\W_](?:[^\s\"“”„«»()\[\]/,;:!?]*[^\W_])?\Z")
_FIRST_LETTER = re.compile(rf"[{_QUOTES}(\[{{¿¡ʻʼ ]*([^\W\d_]+)")
_DUTCH = re.compile(r"['’‘ʼ][a-zA-Z] +(?=[^\W\d_])")
_DOTTED_I = ("az", "crh", "gag", "tr", "tt")
"""Languages whose small letters i and ı have the capitals İ and I."""
_TITLES = {"hy": {"և": "Եվ"}}
"""First letters whose capital is not that of Unicode, by language."""


class Abbreviations(HandWritten):
    """The content of abbreviations.yaml."""

    format: Literal[1]
    languages: dict[str, tuple[str, ...]]
    words: dict[str, tuple[str, ...]]
    ordinals: tuple[str, ...]


@functools.cache
def _abbreviations() -> Abbreviations:
    return read_model(Path(__file__).with_name("abbreviations.yaml"), Abbreviations, WordListError)[0]


def begins_sentence(text: str, at: int, language: str = "") -> bool:
    """Return whether a sentence of ``text`` begins at ``at``, or at the marks and brackets before it.

    After an abbreviation of ``language`` (BCP 47) there is none: *In the U.S. women …*. Direct speech after a
    colon begins a sentence.
    """
    # Only some characters are searched, so that long texts take linear time.
    near = text[max(0, at - 60) : at] if at <= 60 else f"x{text[at - 60 : at]}"
    before = _OPENING.sub("", near)
    end = _END.search(before)
    if not before or _SPEECH.search(near):
        return True
    if end is None or (end[1] == ";" and _subtag(language) != "el"):
        return False
    return end[1] != "." or not _is_abbreviated(before[: end.start()], _subtag(language))


def _is_abbreviated(before: str, language: str) -> bool:
    """Return whether the full stop after ``before`` belongs to its last word."""
    match = _BEFORE_STOP.search(before)
    listed, word = _abbreviations(), match[0] if match else ""
    if not word or word in listed.words.get(language, ()):
        return False
    if word.isdigit():
        return len(word) < 3 and language in listed.ordinals
    if "." in word:
        return all(len(part) <= 3 for part in word.split("."))
    if len(word) == 1 and (word.islower() or re.search(r"(?<!\w)\w\. ?\Z", before[:-1])):
        return True  # p., and the S of U. S.
    return not {word, word[0].lower() + word[1:]}.isdisjoint(listed.languages.get(language, ()))


def capitalised(text: str, language: str = "") -> str:
    """Return ``text`` as it begins a sentence of ``language`` (BCP 47): *İnek*, *IJs*, *’s Morgens*.

    A word with a later capital stays: iPhone. So do Georgian letters, and text that begins with a digit.
    """
    subtag = _subtag(language)
    skipped = _DUTCH.match(text) if subtag in ("nl", "af") else None
    match = _FIRST_LETTER.match(text, skipped.end() if skipped else 0)
    if match is None or (match[1][0].islower() and any(c.isupper() for c in match[1])):
        return text
    word, at = match[1], match.start(1)
    if subtag == "nl" and word.startswith("ij"):
        first = "IJ"
    elif subtag in _DOTTED_I and word[0] == "i":
        first = "İ"
    else:
        first = _TITLES.get(subtag, {}).get(
            word[0], word[0].title()
        )  # not upper(): Georgian, and ǆ in Croatian
    return text[:at] + first + text[at + (2 if first == "IJ" else 1) :]


def cased_like(word: str, model: str) -> str:
    """Return ``word``, with a capital if ``model`` begins with one: *De le* becomes *Du*."""
    return capitalised(word) if model[:1].isupper() else word


def all_capitals(text: str, language: str = "") -> str:
    """Return ``text`` in capitals, as ``language`` (BCP 47) writes them."""
    return (text.replace("i", "İ") if _subtag(language) in _DOTTED_I else text).upper()


def small_i(text: str, language: str) -> str:
    """Return ``text`` with small letters for I and İ if ``language`` (BCP 47) has both; as long as before."""
    return text.replace("I", "ı").replace("İ", "i") if _subtag(language) in _DOTTED_I else text


def folded(text: str, language: str = "") -> str:
    """Return ``text`` without differences of case, to compare texts of ``language`` (BCP 47).

    If the language is unknown, a dot makes no difference either: I, İ, ı and i are one letter.
    """
    small = small_i(text, language).casefold().replace("i\u0307", "i")
    return small if language else small.replace("ı", "i")


def spelling(name: str) -> str:
    """Return ``name`` without differences of case, blanks and Unicode form, to compare names."""
    return " ".join(folded(unicodedata.normalize("NFC", name)).split())


def _subtag(language: str) -> str:
    return language.partition("-")[0].lower()
