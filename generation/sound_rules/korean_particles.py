"""Korean particles by the last syllable before them: *은(는)* is *은* after 한국인, *는* after 의사."""

from __future__ import annotations

import re
from typing import Literal

from nextset.generation.sound_rules.named_sound_rule import NamedSoundRule
from nextset.generation.sound_rules.text_edits import Edit

__all__ = ["KOREAN_PARTICLES", "Coda", "coda", "korean_particles"]

Coda = Literal["vowel", "rieul", "consonant"]
"""The end of a word: a vowel, ㄹ, or another consonant."""

_PAIRS = (("은", "는"), ("이", "가"), ("을", "를"), ("과", "와"), ("아", "야"))
_PARTICLE = re.compile(
    "|".join(rf"(?P<p{i}>{a}\({b}\)|{b}\({a}\)|\({a}\){b}|\({b}\){a})" for i, (a, b) in enumerate(_PAIRS))
    + r"|(?P<ro>\(으\)로)|\(이\)(?P<i>[에었어])|(?P<any>\(이\)(?=[가-힣]))"
)
_MERGED = {"에": "예", "었": "였", "어": "여"}
"""The contraction of 이 and the next syllable after a vowel: 의사예요, 의사였다."""
_CLOSING = "’”'\"»」』》〉］"
_FINALS = 28  # a Hangul syllable is 0xAC00 + (initial × 21 + vowel) × 28 + final; final 8 is ㄹ
_RIEUL = 8
_DIGITS: dict[str, Coda] = {**dict.fromkeys("178", "rieul"), **dict.fromkeys("036", "consonant")}
_LETTERS: dict[str, Coda] = {"L": "rieul", "R": "rieul", "M": "consonant", "N": "consonant"}
_SPELT = re.compile(r"(?<![^\W\d_])(?:[A-Z]{1,3}|[B-DF-HJ-NP-TV-Z]+)\Z")


def coda(text: str) -> Coda | None:
    """Return how the last word of ``text`` ends when read in Korean; None if its spelling does not show it.

    Digits have their Korean names (7 칠, 10 십, 1000 천), up to the zeros of 억. Capitals are read letter by
    letter (L 엘, R 알, M 엠, N 엔) if there are up to three of them, or if there is no vowel letter. The
    spelling of other Latin words does not show their last sound.
    """
    last = text[-1:]
    if "가" <= last <= "힣":
        final = (ord(last) - 0xAC00) % _FINALS
        return "vowel" if not final else "rieul" if final == _RIEUL else "consonant"
    if last and last in "0123456789":
        zeros = len(text) - len(text.rstrip("0"))
        return _DIGITS.get(last, "vowel") if zeros < 12 else None
    if _SPELT.search(text):
        return _LETTERS.get(last, "vowel")
    return None


def korean_particles(text: str) -> list[Edit]:
    """Return edits of 은(는), (은)는, 이(가), 을(를), 과(와), 아(야), in either order, of (으)로 and of (이).

    (이) may come before any syllable: (이)나, (이)지만, (이)에요, (이)었다.

    A closing mark and round brackets before the particle are silent: 서울(Seoul)은. A particle stays as it is
    written if the end of the word before it is not clear from the spelling.
    """
    edits = []
    for match in _PARTICLE.finditer(text):
        at = _end_of_word(text, match.start())
        ending = coda(text[max(0, at - 40) : at])
        if ending is None:
            continue
        if match["ro"]:
            new = "으로" if ending == "consonant" else "로"
        elif match["i"]:
            new = _MERGED[match["i"]] if ending == "vowel" else f"이{match['i']}"
        elif match["any"]:
            new = "" if ending == "vowel" else "이"
        else:
            pair = next(pair for i, pair in enumerate(_PAIRS) if match[f"p{i}"])
            new = pair[ending == "vowel"]
        edits.append(Edit(match.start(), match.end(), new, at))
    return edits


def _end_of_word(text: str, at: int) -> int:
    """Return the end of the word that is heard before ``at``, ignoring closing marks and brackets."""
    while at:
        if text[at - 1] in _CLOSING:
            at -= 1
        elif text[at - 1] == ")" and text.rfind("(", 0, at) > 0:
            at = text.rfind("(", 0, at)
        else:
            break
    return at


KOREAN_PARTICLES = NamedSoundRule(
    "korean-particles",
    korean_particles,
    change="은(는), 이(가), 을(를), 과(와), (으)로 … by the last syllable",
    examples=("한국인은(는)", "의사이(가)", "서울(으)로"),
)
