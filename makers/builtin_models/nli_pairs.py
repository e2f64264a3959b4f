"""Premise-hypothesis pairs with labels, for training and for the held-out test."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from makers.builtin_models.grammar import SLOT, Grammar, build_grammar, same_kind_of_group
from makers.builtin_models.masked_sentences import ARE
from makers.builtin_models.nli_patterns import ABOUT_GROUPS, TEST, TRAIN, Pattern
from makers.builtin_models.opinion_faults import opinion_label
from nextset.records.nli_items import LABELS, Label
from nextset.word_lists.lexicon import Lexicon

__all__ = ["OPINION_SHARE", "NliPair", "held_out_pairs", "training_pairs"]

GROUP_SHARE = 0.2
"""The share of training pairs that mention groups."""
OPINION_SHARE = 0.2
"""The share of training pairs whose hypothesis is an opinion about a group, which no premise decides."""
COPIES = 0.25
"""The share of entailed and neutral hypotheses that repeat the premise, whole or with one word changed."""
CLOSED = {"number", "few", "year", "group"}
"""Kinds whose words are not replaced: a different word would contradict, or compare a group with itself."""
OPENERS = ("In {year9}, ", "Last week, ", "According to the report, ", "In {country9}, ", "At first, ")
ASIDES = (
    "The {person9} {vi9:past} {adv9}.", "The {place9} was {adjt9}.",
    "Many {person9:pl} {vt9:base} {thing9:pl}.",
    "{name9} {vp9:past} the {person9}.", "The {issue9} was {adjt9}.",
)  # fmt: skip


@dataclass(frozen=True)
class NliPair:
    """A labelled pair."""

    premise: str
    hypothesis: str
    label: Label
    """The correct label."""


def training_pairs(lexicon: Lexicon, count: int, seed: int) -> list[NliPair]:
    """Return ``count`` pairs of the training words and patterns."""
    grammar, rng = build_grammar(lexicon, "train"), random.Random(seed)
    pairs = []
    for _ in range(count):
        if rng.random() < OPINION_SHARE:
            pairs.append(_opinion(rng.choice(ABOUT_GROUPS).premise, grammar, rng, seed))
            continue
        pattern = rng.choice(ABOUT_GROUPS if rng.random() < GROUP_SHARE else TRAIN)
        pairs.append(_pair(pattern, rng.choice(LABELS), grammar, rng, dressed=True))
    return pairs


def held_out_pairs(lexicon: Lexicon, count: int = 600, seed: int = 7) -> list[NliPair]:
    """Return the held-out test: words and patterns without training pairs, and labels in equal shares."""
    grammar, rng = build_grammar(lexicon, "test"), random.Random(seed)
    return [
        _pair(rng.choice(TEST), LABELS[i % len(LABELS)], grammar, rng, dressed=False) for i in range(count)
    ]


def _pair(pattern: Pattern, label: Label, grammar: Grammar, rng: random.Random, *, dressed: bool) -> NliPair:
    hypothesis = rng.choice(getattr(pattern, label))
    premise = pattern.premise
    if dressed and label != "contradiction" and rng.random() < COPIES:
        hypothesis = premise if label == "entailment" else _altered(premise, rng)
    if dressed:
        premise = _dress(premise, rng)
    drawn = grammar.draw(same_kind_of_group((premise, hypothesis), rng), rng)
    return NliPair(drawn[0], drawn[1], label)


def _opinion(premise: str, grammar: Grammar, rng: random.Random, seed: int) -> NliPair:
    """Return an opinion about a group of the premise; its pattern or last word may make the label wrong."""
    choice = rng.choice(ARE)
    predicate = SLOT.sub(_new_slot, choice)
    group = 1 if "{group2}" in predicate else rng.randint(1, 2)
    hypothesis = f"{{group{group}}} {predicate}."
    words = [m[0] for m in SLOT.finditer(predicate) if m[1] != "group"]
    texts = same_kind_of_group((_dress(premise, rng), hypothesis, words[-1]), rng)
    drawn = grammar.draw(texts, rng)
    return NliPair(drawn[0], drawn[1], opinion_label((choice, drawn[2].lower()), seed))


def _new_slot(slot: re.Match[str]) -> str:
    """Return the slot with a number that no premise has; slots of groups stay unchanged."""
    return (
        slot[0]
        if slot[1] == "group"
        else f"{{{slot[1]}{int(slot[2]) + 3}{':' if slot[3] else ''}{slot[3] or ''}}}"
    )


def _altered(premise: str, rng: random.Random) -> str:
    """Return the premise with a different word in one of its slots."""
    slot = rng.choice([m for m in SLOT.finditer(premise) if m[1] not in CLOSED])
    return premise.replace(f"{{{slot[1]}{slot[2]}", f"{{{slot[1]}8")


def _dress(premise: str, rng: random.Random) -> str:
    """Return the premise, sometimes with an opener or with an unrelated sentence."""
    if rng.random() < 0.2:
        premise = rng.choice(OPENERS) + premise[0].lower() + premise[1:]
    if rng.random() < 0.25:
        aside = rng.choice(ASIDES)
        premise = f"{aside} {premise}" if rng.random() < 0.5 else f"{premise} {aside}"
    return premise
