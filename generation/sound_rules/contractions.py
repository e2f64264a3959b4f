"""Prepositions that merge with the following article: French *de le* is *du*, German *in dem* is *im*."""

from __future__ import annotations

import re
from collections.abc import Mapping

from nextset.generation.sound_rules.named_sound_rule import NamedSoundRule
from nextset.generation.sound_rules.text_edits import Edit, SoundRule
from nextset.letter_case import cased_like

__all__ = [
    "FRENCH_CONTRACTION",
    "GERMAN_CONTRACTION",
    "ITALIAN_CONTRACTION",
    "PORTUGUESE_CONTRACTION",
    "SPANISH_CONTRACTION",
]


def _contraction(merged: Mapping[tuple[str, str], str]) -> SoundRule:
    """Return the rule that replaces a preposition and an article by their form in ``merged``.

    The keys of ``merged`` are in small letters. An article with a capital is part of a name and stays:
    Spanish *de El Salvador*. An article that ends with an apostrophe is joined to the next word. The edit
    covers the article and the space after it, so that an answer that began with the article begins with the
    noun.
    """
    by_preposition: dict[str, list[str]] = {}
    for preposition, article in merged:
        by_preposition.setdefault(preposition, []).append(article)
    both = "|".join(
        f"(?i:{preposition}) (?:{'|'.join(a if a.endswith('’') else f'{a} ' for a in articles)})"
        for preposition, articles in by_preposition.items()
    )
    pattern = re.compile(rf"(?<![\w-])(?:{both})(?=[\w«“„\"(])")

    def rule(text: str) -> list[Edit]:
        """Return edits that merge a preposition and the article after it."""
        edits = []
        for match in pattern.finditer(text):
            preposition, article = match[0].split(" ")[:2]
            new = cased_like(merged[preposition.lower(), article], preposition)
            space = "" if article.endswith("’") else " "
            at = match.start() + len(preposition) + 1
            edits.append(Edit(match.start(), match.end(), new + space, at))
        return edits

    return rule


_french = _contraction({("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"})
"""The contractions of French. A place needs a small article, *le Caire*, which becomes *du Caire*. A capital
article counts as part of a surname, *de Le Corbusier*."""

FRENCH_CONTRACTION = NamedSoundRule(
    "french-contraction",
    _french,
    change="*de le* → *du*, *de les* → *des*, *à le* → *au*, *à les* → *aux*",
    examples=("de le Maroc", "à les Pays-Bas"),
    languages=("fr",),
)

_german = _contraction(
    {
        ("in", "dem"): "im",
        ("in", "das"): "ins",
        ("an", "dem"): "am",
        ("an", "das"): "ans",
        ("zu", "dem"): "zum",
        ("zu", "der"): "zur",
        ("von", "dem"): "vom",
        ("bei", "dem"): "beim",
    }
)
"""The contractions of every register; colloquial ones such as *aufs* and *hinterm* are left to the writer.

If *in dem* means *in that one* in a pack, it should not name the rule: a demonstrative does not merge.
"""

GERMAN_CONTRACTION = NamedSoundRule(
    "german-contraction",
    _german,
    change="*in dem* → *im*, *zu der* → *zur*, and similar",
    examples=("in dem Irak", "zu der Türkin"),
    languages=("de",),
)

_STEMS = {"di": "de", "a": "a", "da": "da", "in": "ne", "su": "su"}
_ENDINGS = {"il": "l", "lo": "llo", "la": "lla", "i": "i", "gli": "gli", "le": "lle", "l’": "ll’"}

_italian = _contraction(
    {
        (preposition, article): stem + ending
        for preposition, stem in _STEMS.items()
        for article, ending in _ENDINGS.items()
    }
)
"""The contractions of *di, a, da, in, su* with every article; *con* and *per* are written separately."""

ITALIAN_CONTRACTION = NamedSoundRule(
    "italian-contraction",
    _italian,
    change="*di, a, da, in, su* with *il, lo, la, i, gli, le, l’*",
    examples=("di il Marocco", "in gli Stati Uniti"),
    languages=("it",),
)

_portuguese = _contraction(
    {
        (preposition, article): stem + article
        for preposition, stem in {"de": "d", "em": "n", "por": "pel"}.items()
        for article in ("o", "a", "os", "as")
    }
    | {("a", "o"): "ao", ("a", "os"): "aos", ("a", "a"): "à", ("a", "as"): "às"}
)
"""The contractions of *de, em, por, a* with the definite article (Cunha and Cintra 1984, Nova Gramática do
Português Contemporâneo); those with the indefinite article (*num*, *dum*) are not obligatory."""

PORTUGUESE_CONTRACTION = NamedSoundRule(
    "portuguese-contraction",
    _portuguese,
    change="*de, em, por, a* with *o, a, os, as*: *do*, *na*, *pelos*, *ao*, *à*",
    examples=("de o Brasil", "em as Filipinas", "a a Argentina"),
    languages=("pt",),
)

_spanish = _contraction({("a", "el"): "al", ("de", "el"): "del"})
"""The two contractions of Spanish (RAE, Diccionario panhispánico de dudas: *al*, *del*); *él* has none."""

SPANISH_CONTRACTION = NamedSoundRule(
    "spanish-contraction",
    _spanish,
    change="*a el* → *al*, *de el* → *del*, but not before *El*",
    examples=("de el Reino Unido", "a el peruano"),
    languages=("es",),
)
