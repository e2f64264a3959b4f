"""Prepositions that merge with the following article: French *de le* is *du*, German *in dem* is *im*."""

from __future__ import annotations

import re
from collections.abc import Mapping

from nextset.generation.sound_rules.letter_case import cased_like
from nextset.generation.sound_rules.text_edits import Edit, SoundRule

__all__ = ["contraction"]


def contraction(merged: Mapping[tuple[str, str], str]) -> SoundRule:
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
