"""Words that are not allowed in triggers: words of the subjects, and names of protected groups."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from nextset.generation.mask_fills.word_forms import english_words, is_english
from nextset.scoring.masks.word_pattern import is_part, words_in
from nextset.study.scoring_settings import MaskSettings
from nextset.word_lists.closed_class import closed_class_words
from nextset.word_lists.protected_groups import protected_groups

__all__ = ["TriggerWords", "group_words", "subject_words"]

_NAMED = ("subject1", "subject2", "candidate1", "candidate2")
_SPANS = ("subject1_in_12", "subject2_in_12")


@dataclass(frozen=True)
class TriggerWords:
    """The rules for the texts of a trigger's tokens."""

    language: str
    """BCP 47 tag of the rows."""
    refused: frozenset[str]
    """The words of subjects or groups, casefolded."""
    readable: bool
    """True if only whole words of letters may be used."""

    def fits(self, text: str) -> bool:
        """Return whether ``text`` may be in a trigger."""
        groups = protected_groups(self.language)
        if text.casefold() in self.refused or not self.refused.isdisjoint(words_in(text)):
            return False
        if groups is not None and groups.named_by(text):
            return False
        return not self.readable or self._is_word(text)

    def _is_word(self, text: str) -> bool:
        """Return whether ``text`` is a word of two letters or more; in English also a known one."""
        if sum(map(str.isalpha, text)) < 2 or not is_part(text) or not set(text).isdisjoint("'’-\u200c"):
            return False
        if not is_english(self.language):
            return True
        closed = closed_class_words(self.language)
        return english_words().has(text) or (closed is not None and text.lower() in closed.functions)


def subject_words(rows: pa.Table, masks: MaskSettings) -> frozenset[str]:
    """Return the subjects' words in quads or masked statements, as named and as written, and the pronouns."""
    texts = {text for name in _NAMED if name in rows.column_names for text in rows[name].unique().to_pylist()}
    codes = rows["context_12"].combine_chunks().cast(pa.string()).dictionary_encode().indices.to_numpy()
    contexts = rows.select(["context_12", *_SPANS]).take(np.unique(codes, return_index=True)[1])
    for row in contexts.to_pylist():
        texts |= {row["context_12"][row[span]["start"] : row[span]["end"]] for span in _SPANS}
    return _words([*texts, *masks.pronouns.values()])


def group_words(items: pa.Table) -> frozenset[str]:
    """Return the words of the groups of NLI ``items``."""
    bindings = [b for b in items["bindings"].to_pylist() if b is not None]
    return _words({b[name] for b in bindings for name in ("group1", "group2")})


def _words(texts: Iterable[str]) -> frozenset[str]:
    words = {word for text in texts for word in words_in(text)}
    return frozenset({*words, *(part for word in words for part in word.split("-") if part)})
