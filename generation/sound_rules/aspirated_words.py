"""The words that a French entry marks with ``h: aspire``: the *hazara* of *un homme hazara*."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection

__all__ = ["aspirated_words"]

_WORD = re.compile(r"\w+(?:-\w+)*")
# Articles, prepositions, pronouns and verbs, which are never aspirated words, without accents.
_FUNCTION_WORDS = re.compile(
    r"""
    a | ai | ait | as | au | aucune? | aussi | autre | aux | avec | avait | avaient | avoir | elles? | en
    | entre | est | et | etaient | etait | ete | etre | eu | eux | ici | ils? | on | ont | ou | une? | y
    """,
    re.VERBOSE,
)
# Common words with a mute h, which may be next to the marked word: homme hazara, habitant de Hong Kong.
_MUTE = re.compile(
    r"""
    habil\w* | habit\w* | harmon\w* | hebr\w+ | heriti\w+ | heroine\w* | heroiqu\w+ | hesit\w+ | heure\w*
    | hier | hindou\w* | histo\w+ | hiver\w* | hommage\w* | hommes? | honnet\w+ | honneurs? | honor\w+
    | hopita\w+ | horlog\w+ | horr\w+ | hospi\w+ | hostil\w+ | hote\w* | huil\w+ | huitr\w+ | humai\w+
    | humani\w+ | humble\w* | humeurs? | humili\w+ | hygien\w+ | hypo\w+
    """,
    re.VERBOSE,
)


def aspirated_words(forms: Collection[str]) -> frozenset[str]:
    """Return, in lower case, the word in each of ``forms`` that ``h: aspire`` is about.

    The word begins with h. If no form has such a word, it begins with y; if no form has that either, with a
    vowel. If a form has two such words, the word is the one whose first letters are in more of the forms,
    else the first. Articles, prepositions, auxiliary verbs and common words with a mute h are skipped. Empty
    if no form has such a word.
    """
    for initials in ("h", "y", "aeiouœæ"):
        of_forms = [_candidates(form, initials) for form in forms]
        stems = Counter(stem for words in of_forms for stem in {word[:3] for word in words})
        aspirated = frozenset(max(words, key=lambda word: stems[word[:3]]) for words in of_forms if words)
        if aspirated:
            return aspirated
    return frozenset()


def _candidates(form: str, initials: str) -> list[str]:
    words = (match[0].casefold() for match in _WORD.finditer(form))
    return [word for word in words if _may_be_aspirated(word, initials)]


def _may_be_aspirated(word: str, initials: str) -> bool:
    bare = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    if len(bare) < 2 or bare[0] not in initials:
        return False
    return not (_FUNCTION_WORDS.fullmatch(bare) or _MUTE.fullmatch(bare))
