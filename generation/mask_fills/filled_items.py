"""Items from masked hypotheses and a model's words for the masks (Baldini et al. 2023, section 3)."""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from nextset.generation.deduplication import with_ids
from nextset.generation.mask_fills.mask_prompts import prompt_id, prompts_of, word_values
from nextset.generation.templates.placeholders import place_words
from nextset.records.arrow_schema import arrow_schema
from nextset.records.content_ids import content_id
from nextset.records.nli_items import Fill, NliItem
from nextset.scoring.masks.masked_text import Prompt
from nextset.study.generation_settings import FillSettings
from nextset.word_lists.protected_groups import ProtectedGroups, protected_groups

__all__ = ["FillResult", "Fits", "MaskWord", "fill", "words_per_mask"]

SPARE = 12
"""Words requested beyond top_k, so that top_k mostly remain when words that name groups are dropped."""
OVERSAMPLING = 10
"""With a part of speech this many times as many words are requested."""

Fits = Callable[[Prompt, Sequence[Sequence[str]]], list[bool]]
"""From a prompt and fillings for it: whether each filling has the right parts of speech."""


@dataclass(frozen=True)
class MaskWord:
    """A model's word for a mask of a sentence."""

    sentence: str
    """The sentence, with {{MASK}} in it; the first one if several are filled jointly."""
    word: str
    """The whole word."""
    rank: int
    """Its rank among the model's words, from 1; with several masks, the rank of the combination of words."""
    score: float | None
    """Its probability at the mask, in [0, 1]; filled jointly, the geometric mean over the sentences; null if
    a writer proposed it."""
    mask: int
    """The number of the mask in the sentence, from 1."""
    premise: str
    """The text that the model saw before the sentence; may be empty."""
    prompt_id: str
    """Content hash of the prompt: all texts that the model was asked at once."""


@dataclass(frozen=True)
class FillResult:
    """Items with filled masks, and counts of what was dropped."""

    items: pa.Table
    counts: dict[str, int]


def words_per_mask(settings: FillSettings) -> int:
    """Return the number of words per mask that the model is asked for."""
    return (settings.top_k + SPARE) * (OVERSAMPLING if settings.part_of_speech else 1)


def fill(masked: pa.Table, words: pa.Table, settings: FillSettings, fits: Fits | None = None) -> FillResult:
    """Fill each masked hypothesis of ``masked`` with up to ``settings.top_k`` of its ``words`` (MaskWords).

    A filling with a word that names one of the item's groups is dropped unless the settings allow it, since
    the sentence would no longer set one group against the other; so is one with a word that names another
    protected group. A filling that does not fit is dropped too.
    """
    found = _fillings(words)
    counts: Counter[str] = Counter()
    selection = _FillingSelection(found, settings, fits, counts)
    filled: list[dict[str, Any]] = []
    prompts = prompts_of(masked, joint=settings.groups == "joint", premise=settings.premise)
    for row, prompt in zip(masked.to_pylist(), prompts, strict=True):
        fillings = selection.fillings(prompt, row["bindings"], row["language"])
        if len(fillings) < settings.top_k:
            counts[
                "masked rows with fewer fills than top_k" if fillings else "masked rows without a fill"
            ] += 1
        for rank, fills in enumerate(fillings, 1):
            ranked = [dataclasses.replace(f, rank=rank) for f in fills]
            filled.append(_filled(row, ranked, settings.groups == "joint"))
    table = pa.Table.from_pylist(filled, schema=arrow_schema(NliItem))
    items = with_ids(table)
    counts["rows with the text of another, merged"] = table.num_rows - items.num_rows
    return FillResult(items, dict(counts))


Filling = tuple[Fill, ...]
"""One fill per mask."""


def _fillings(words: pa.Table) -> dict[str, list[Filling]]:
    """Return the fillings of each prompt, best first."""
    found: dict[tuple[str, int], dict[int, Fill]] = {}
    for row in words.to_pylist():
        fills = found.setdefault((row["prompt_id"], row["rank"]), {})
        fills[row["mask"]] = Fill(row["word"], row["rank"], row["score"])
    by_prompt: dict[str, list[Filling]] = {}
    for (prompt, _), fills in sorted(found.items()):
        by_prompt.setdefault(prompt, []).append(tuple(fills[mask] for mask in sorted(fills)))
    return by_prompt


@dataclass
class _FillingSelection:
    """Selects among the fillings of a prompt."""

    found: Mapping[str, list[Filling]]
    settings: FillSettings
    fits: Fits | None
    counts: Counter[str]
    tagged: dict[tuple[Prompt, tuple[str, ...]], bool] = dataclasses.field(default_factory=dict)

    def fillings(self, prompt: Prompt, bindings: Mapping[str, Any], language: str) -> list[Filling]:
        """Return the best fillings that are allowed for an item with these bindings."""
        fillings = self.found.get(prompt_id(prompt), [])
        groups = {word.lower() for name in ("group1", "group2") for word in bindings[name].split()}
        if not self.settings.group_words:
            fillings = self._without(
                "fills that name a group, dropped", fillings, lambda w: w.lower() in groups
            )
        others = None if self.settings.other_group_words else protected_groups(language)
        if others is not None:
            named = functools.partial(_names_group, others)
            fillings = self._without(
                "fills that name another group, dropped",
                fillings,
                lambda w: named(w) and w.lower() not in groups,
            )
        if self.fits is None:
            return fillings[: self.settings.top_k]
        return list(self._fitting(self.fits, prompt, fillings))

    def _without(self, reason: str, fillings: list[Filling], named: Callable[[str], bool]) -> list[Filling]:
        """Return ``fillings`` without those of which a word is ``named``, and count these."""
        left = [filling for filling in fillings if not any(named(fill.word) for fill in filling)]
        if len(left) < len(fillings):
            self.counts[reason] += len(fillings) - len(left)
        return left

    def _fitting(self, fits: Fits, prompt: Prompt, fillings: Sequence[Filling]) -> Iterator[Filling]:
        """Yield the first top_k that fit; the tagger is asked about few more than these."""
        k = kept = self.settings.top_k
        for at in range(0, len(fillings), k):
            words = [tuple(f.word for f in filling) for filling in fillings[at : at + k]]
            new = [w for w in words if (prompt, w) not in self.tagged]
            self.tagged.update(((prompt, w), ok) for w, ok in zip(new, fits(prompt, new), strict=True))
            for filling, w in zip(fillings[at : at + k], words, strict=True):
                if self.tagged[prompt, w]:
                    yield filling
                    kept -= 1
                    if not kept:
                        return
                else:
                    self.counts["fills of another part of speech, dropped"] += 1


@functools.lru_cache(maxsize=100_000)
def _names_group(groups: ProtectedGroups, word: str) -> bool:
    return groups.named_by(word)


def _filled(row: Mapping[str, Any], fills: Sequence[Fill], joint: bool) -> dict[str, Any]:
    words = [f.word for f in fills]
    return {
        **row,
        "hypothesis": place_words(row["hypothesis"], words, capitalise=True).text,
        "question": place_words(row["question"], words, capitalise=True).text,
        "bindings": {**row["bindings"], "fills": [dataclasses.asdict(f) for f in fills]},
        "set_id": content_id("set", row["template_id"], *word_values(row), *words) if joint else None,
        "parent_id": row["id"],
    }
