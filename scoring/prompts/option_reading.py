"""The option that an answer gives: its letter, its text, or both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nextset.scoring.prompts.answer_parsing import (
    AROUND,
    FRAME,
    choice_of,
    folded_case,
    plain_choice,
    unwrapped_answer,
    visible_text,
    without_latex,
)

__all__ = ["article_before", "bare_option", "option_of", "without_article"]

_BEFORE = r"[\s*_`#>\-–—:：'\"“‘«「『(\[{（=]*+"
_NOUN = r"(?:(?:option|choice|letter|opción|opció|opção|opzione|optie|보기|选项)\s*+)?"
_CLOSES = r"[*_`'\"”’»」』)\]}）]*"
_COPULA = r"(?:입니다|이다|예요|이에요|임|번|[가이] 정답|です|だ|である|が正解|是正确)"
_CORRECT = (
    r"\s+(?:is|ist|es|est|è|é)\s+(?:the |die |la |a )?(?:correct|right|best|richtig|bonne|esatta|risposta)"
)
_PAUSE = rf"(?:\s*{_COPULA}|{_CORRECT}|[.,;:!\n\]}})。，、；：！）،؛।॥]|\s+[-–—=(]|\s*\Z)"
"""The text after a letter that is an answer, and not the beginning or the whole of a word."""
_STATES = re.compile(
    r"(?:(?:so|thus|hence|therefore),? )?(?:the )?(?:(?:final|correct|right|best|most likely) )*"
    r"(?:option|choice|letter)(?: is)?"
)
"""Further frames before a letter."""
_PARTICLE = re.compile(r"^(?:[은는이가はが]\s*|[是为]\s*)")
"""The particles that may stand between a frame and a letter."""
_SENTENCE = re.compile(r"(?<=[.!?。！？؟।॥])\s+|\n+")
_ARTICLE = re.compile(
    r"(?:(?:an?|the|der|die|das|den|dem|des|eine?[nmrs]?|el|la|los|las|una?|unos|unas|les?|une|des|il|lo|gli|i|uno"
    r"|de|het|een|els|os?|as?|uma?s?|uns)\s+|(?:l|un|d)['’]\s*)",
    re.IGNORECASE,
)
"""The articles that languages write as words of their own."""
_ARTICLE_BEFORE = re.compile(rf"(?<!\w){_ARTICLE.pattern}\Z", re.IGNORECASE)
_LONGEST = 30_000
"""The most characters of an answer without thoughts: a longer one repeats itself, and is not readable."""
_LONGEST_FRAME = 1_000
"""The most characters of a frame with the marks before it."""
_LONGEST_ARTICLE = 12
"""The most characters of an article with the space after it."""


def option_of(text: str, letters: Sequence[str], options: Sequence[str]) -> int | None:
    """Return the position of the option that ``text`` gives as its answer; None if there is no clear option.

    ``letters`` are those of ``options`` in the prompt; empty if it has none. The answer is a letter (B, (B),
    Option B), a letter before its option or a pause (B: the doctor), a letter after a frame (The answer is
    B), or an option as `nextset.scoring.prompts.answer_parsing.choice_of` reads it, with or without its
    article. A letter that may be a word (a doctor) does not count. An answer with two options counts for
    none, and so does one of more than 30,000 characters.
    """
    if len(text) > _LONGEST:
        return None
    answer = without_latex(unwrapped_answer(visible_text(text))).strip()
    lettered = _lettered(answer, letters, options)
    if lettered:
        return lettered.pop() if len(lettered) == 1 else None
    written = choice_of(text, options)
    return _without_articles(answer, options) if written is None else written


def without_article(text: str) -> str:
    """Return ``text`` for comparison, without an article at its beginning."""
    plain = plain_choice(text)
    return bare_option(plain) or plain


def bare_option(text: str) -> str:
    """Return ``text`` without an article at its beginning."""
    article = _ARTICLE.match(text)
    return text[article.end() :] if article else text


def article_before(text: str, place: int) -> int:
    """Return the place of the article that stands directly before ``place`` in ``text``; else ``place``."""
    near = max(0, place - _LONGEST_ARTICLE)
    article = _ARTICLE_BEFORE.search(text[near:place])
    return place if article is None else near + article.start()


def _lettered(answer: str, letters: Sequence[str], options: Sequence[str]) -> set[int]:
    """Return the positions of the letters that ``answer`` gives, at its beginning or after a frame."""
    plain = [plain_choice(letter) for letter in letters]
    if not plain or len(set(plain)) < len(plain):
        return set()
    given: set[int] = set()
    for place, sentence in enumerate(_starts(answer)):
        framed = _after_frame(sentence)
        start = framed if framed is not None else sentence
        folded = folded_case(start)
        letter = _pattern(plain).match(folded) if framed is not None or place == 0 else None
        if letter is None:
            continue
        choice = plain.index(letter["letter"])
        # ß and others are longer when folded
        rest = (start if len(start) == len(folded) else folded)[letter.end("letter") :]
        given |= {choice, *_other_options(rest, choice, letters, options)}
        if len(given) > 1:
            break
    return given


def _starts(answer: str) -> Iterator[str]:
    """Yield the answer itself, and the answer from each later sentence on that begins with a frame."""
    yield answer
    for end in _SENTENCE.finditer(answer):
        start = end.end()
        if _after_frame(answer[start : start + _LONGEST_FRAME]) is not None:
            yield answer[start:]


def _after_frame(text: str) -> str | None:
    """Return the text after a frame at the beginning of ``text``, such as the answer is; None without one."""
    bare = text.lstrip(" \t\r\n*_#>`'\"-–—")
    folded = folded_case(bare)
    ends = [frame.end() for frame in (FRAME.match(folded), _STATES.match(folded)) if frame]
    if len(folded) != len(bare) or not ends:
        return None
    return _PARTICLE.sub("", bare[max(ends) :], count=1)


def _pattern(plain: Sequence[str]) -> re.Pattern[str]:
    names = "|".join(map(re.escape, plain))
    return re.compile(rf"{_BEFORE}{_NOUN}{_BEFORE}(?P<letter>{names}){_CLOSES}(?:(?<=[)\]}}）])|{_PAUSE})")


def _other_options(rest: str, choice: int, letters: Sequence[str], options: Sequence[str]) -> set[int]:
    """Return the other options that ``rest``, the text after the letter of ``choice``, gives as well.

    They are those that it begins with, and those whose letters stand alone in it, as they are written.
    """
    begins = plain_choice(rest.lstrip(AROUND + " -–—=_}）]"))
    texts = [plain_choice(option) for option in options]
    longest = max((text for text in texts if text and begins.startswith(text)), key=len, default="")
    others = {n for n, text in enumerate(texts) if text and text == longest}
    others = set() if choice in others else others
    for n, letter in enumerate(letters):
        alone = rf"(?<![\w'’]){re.escape(letter)}{_CLOSES}(?:(?<=[)\]}}）])|{_PAUSE})"
        if n != choice and re.search(alone, rest):
            others.add(n)
    return others


def _without_articles(answer: str, options: Sequence[str]) -> int | None:
    """Return the position of the option that ``answer`` gives if articles are left out of both."""
    bare = [without_article(option) for option in options]
    if len(set(bare)) < len(bare) or "" in bare:
        return None
    framed = _after_frame(answer)
    return choice_of(without_article(answer if framed is None else framed), bare)
