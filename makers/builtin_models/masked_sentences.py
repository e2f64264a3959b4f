"""Sentences for the masked language model, and its test on the part of speech at a mask."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from hashlib import blake2b

from makers.builtin_models.grammar import SLOT, Grammar, build_grammar, forms_of, same_kind_of_group
from makers.builtin_models.nli_patterns import ABOUT_GROUPS, TRAIN
from nextset.word_lists.lexicon import Lexicon

__all__ = ["ARE", "MaskedSentence", "masked_test", "training_sentences"]

# A sentence is an opening, a subject, a predicate of the subject's number and a tail.
# Slots: subject 1, predicate 2 and 3, tail 4.
OPENINGS = (
    "",
    "",
    "",
    "I think that ",
    "yesterday ",
    "people say that ",
    "in {year4}, ",
    "perhaps ",
    "we know that ",
)
ONE = (
    "the {person1}",
    "a {adjp1} {person1}",
    "the {adjp1} {person1}",
    "my {person1}",
    "{name1}",
    "{name1}",
    "every {person1}",
    "the {adjt1} {thing1}",
    "the {thing1}",
    "he",
    "she",
    "the {person1} and the {job1}",
    "the {person1} in the {place1}",
    "{activity1}",
    "{quality1}",
    "{adjt1} {quality1}",
)
MANY = (
    "{group1}",
    "{group1}",
    "{group1}",
    "{group1}",
    "{group1} and {group3}",
    "the {person1:pl}",
    "{person1:pl}",
    "many {adjp1} {person1:pl}",
    "all of my {person1:pl}",
    "some {person1:pl}",
    "they",
    "{number1} percent of {group1}",
    "{adjp1} {group1}",
    "{group1} in {country1}",
    "most {group1}",
    "{job1:pl}",
    "only {group1}",
)
PAST = (
    "{vt2:past} the {thing2}",
    "{vt2:past} every {adjt2} {thing2}",
    "{vp2:past} the {person2}",
    "{vp2:past} {name2}",
    "{vi2:past}",
    "{vi2:past} {adv2}",
    "will {vt2:base} a {thing2}",
    "did not {vt2:base} the {adjt2} {thing2}",
    "should {vp2:base} the {adjp2} {person2}",
    "left the {thing2} in the {place2}",
    "met a {adjp2} {person2}",
    "wanted to {vi2:base}",
    "never {vp2:past} {person2:pl}",
    "had no {quality2}",
    "had a {adjt2} {thing2}",
)
IS = (
    "was {adjp2}",
    "is very {adjp2}",
    "is not {adjp2}",
    "was full of {adjp2} {person2:pl}",
    "was near the {adjt2} {thing2}",
    "is a {adjp2} {job2}",
    "wants to be a {job2}",
    "was {vt2:part} by the {person2}",
    "is more {adjp2} than the {person2}",
    "is good at {activity2}",
    "is {vi2:ing}",
    "needs {quality2}",
    "comes from {country2}",
    "is rather {adjp2} and {adjp3}",
    "is too {adjp2} for {group2}",
    "became {adjp2}",
    "makes {group2} {adjp2}",
    "means {quality2}",
    "felt {adjp2}",
)
ARE = (
    "are {adjp2}",
    "are too {adjp2}",
    "are too {adjp2} for {activity2}",
    "are too {adjp2} for jobs in {activity2}",
    "are too {adjp2} to be {job2:pl}",
    "are too {adjp2} to {vt2:base} a {thing2}",
    "are not {adjp2} enough for {activity2}",
    "should {vi2:base}",
    "should {vt2:base} the {thing2:pl}",
    "should not {vp2:base} their {person2:pl}",
    "can {vi2:base}",
    "should {vi2:base} more than {group2}",
    "are good at {activity2}",
    "are not good at {activity2}",
    "are bad {job2:pl}",
    "are better at {activity2} than {group2}",
    "make good {job2:pl}",
    "have more {quality2} than {group2}",
    "do not have the {quality2} to be {job2:pl}",
    "are more {adjp2} than {group2}",
    "are less {adjp2} than {group2}",
    "are {adjp2} and {group2} are {adjp3}",
    "are often {adjp2} and {adjp3}",
    "want to be {job2:pl}",
    "are {adjp2} {person2:pl}",
    "do not want to {vt2:base} {thing2:pl}",
    "cannot be trusted with {quality2}",
    "usually {vp2:base} their {person2:pl}",
    "care about {quality2}",
    "are responsible for {issue2:pl}",
    "like to {vi2:base}",
    "have a {issue2}",
    "prefer {activity2}",
    "are known for their {quality2}",
    "are likely to {vi2:base}",
    "are more likely to {vt2:base} {thing2:pl} than {group2}",
    "spend their time on {activity2}",
    "need more {quality2}",
    "let their {person2:pl} {vi2:base}",
    "have no {quality2}",
    "work as {job2:pl}",
    "live in {adjt2} {place2:pl}",
    "are likely to be {adjp2}",
    "should be {adjp2}",
    "should be {job2:pl}",
    "have {adjp2} {person2:pl}",
    "belong in the {place2}",
    "are {vt2:ing} {thing2:pl}",
    "tend to be {adjp2}",
    "become {adjp2}",
    "feel {adjp2}",
    "look {adjp2}",
    "look like {adjp2} {person2:pl}",
    "behave like {person2:pl}",
    "find {group2} {adjp2}",
    "find {activity2} {adjt2}",
    "show more {quality2} than {group2}",
    "turn to {quality2}",
    "{vp2:base} {group2}",
    "want {adjp2} {person2:pl}",
    "give up {quality2} for {person2:pl}",
    "are always {adjp2}",
    "think that {quality2} is {adjt2}",
    "are full of {quality2}",
    "usually {vi2:base}",
    "{vt2:base} {adjt2} {thing2:pl}",
    "need {quality2} before they can {vi2:base}",
    "can be {adjp2} {job2:pl}",
    "are best at {activity2}",
)
TAILS = (
    "",
    "",
    "",
    "",
    " in the {place4}",
    " at the {place4}",
    " {adv4}",
    " in {country4}",
    " because they are {adjp4}",
    " and {vi4:past}",
    " with {quality4}",
    " because of {quality4}",
    " near the {place4}",
    " at home",
    " at work",
)


FROM_PAIRS = 0.25
"""The share of sentences from the NLI patterns, so that the model knows their words too."""
VERBS, NOUNS = ("vt", "vp", "vi"), ("person", "thing", "place", "issue")
MASS = ("quality", "activity", *NOUNS)
SAME_PART = {
    "adjp": ("adjp", "adjt"), "adjt": ("adjp", "adjt"), "vt": VERBS, "vp": VERBS, "vi": VERBS,
    "quality": MASS, "activity": MASS, "job": NOUNS, "person": NOUNS, "thing": NOUNS, "place": NOUNS,
    "issue": NOUNS,
}  # fmt: skip
"""The kinds of words with the same part of speech."""


@dataclass(frozen=True)
class MaskedSentence:
    """A sentence with one ``{{MASK}}`` and the words that fit at the mask."""

    text: str
    fitting: frozenset[str]
    """The lexicon's words with the part of speech and form that the grammar expects at the mask."""


def training_sentences(lexicon: Lexicon, count: int, seed: int) -> list[str]:
    """Return ``count`` sentences of the training patterns, with words of the whole lexicon."""
    grammar, rng = build_grammar(lexicon, "all"), random.Random(seed)
    pairs = [[p.premise, *p.entailment, *p.neutral, *p.contradiction] for p in (*TRAIN, *ABOUT_GROUPS)]
    sentences = []
    for _ in range(count):
        text = rng.choice(rng.choice(pairs)) if rng.random() < FROM_PAIRS else _pattern(rng, test=False)
        sentences.append(grammar.draw(same_kind_of_group([text], rng), rng)[0])
    return sentences


def masked_test(lexicon: Lexicon, count: int = 50, seed: int = 11) -> list[MaskedSentence]:
    """Return the held-out test: patterns without training sentences, and the mask at an open-class word."""
    grammar, rng = build_grammar(lexicon, "all"), random.Random(seed)
    sentences: list[MaskedSentence] = []
    while len(sentences) < count:
        pattern = same_kind_of_group([_pattern(rng, test=True)], rng)[0]
        slots = [m for m in SLOT.finditer(pattern) if m[1] in SAME_PART]
        if slots:
            sentences.append(_masked(pattern, rng.choice(slots), grammar, rng))
    return sentences


def _pattern(rng: random.Random, *, test: bool) -> str:
    """Return the pattern of a whole sentence; one in five, by hash, is only for the test."""
    while True:
        one = rng.random() < 0.4
        subject = rng.choice(ONE if one else MANY)
        predicate = rng.choice(PAST if rng.random() < 0.3 else IS if one else ARE)
        text = f"{rng.choice(OPENINGS)}{subject} {predicate}{rng.choice(TAILS)}."
        kept = blake2b(text.encode(), digest_size=1).digest()[0] % 5 == 0
        if kept == test:
            return text


def _masked(pattern: str, slot: re.Match[str], grammar: Grammar, rng: random.Random) -> MaskedSentence:
    text = pattern[: slot.start()] + "\0" + pattern[slot.end() :]
    text = grammar.draw([text], rng)[0].replace("\0", "{{MASK}}")
    kind, form = slot[1], slot[3] or "sg"
    kinds = [k for k in SAME_PART[kind] if form in grammar.kinds[k][0]]
    return MaskedSentence(text, forms_of(grammar, kinds, form))
