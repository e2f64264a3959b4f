"""Questions with contexts and answers, for training and for the held-out test."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from makers.builtin_models.grammar import Grammar, build_grammar
from nextset.word_lists.lexicon import Lexicon

__all__ = ["QaExample", "held_out_questions", "training_questions"]

# Facts with the question that each fact answers; <...> marks the answer in the fact.
TRAIN = (
    ("<the {person1}> {vt1:past} the {thing1}.", "Who {vt1:past} the {thing1}?"),
    ("The {person1} {vt1:past} <the {thing1}>.", "What did the {person1} {vt1:base}?"),
    ("The {person1} {vi1:past} in <the {place1}>.", "Where did the {person1} {vi1:base}?"),
    ("<{name1}> {vp1:past} {name2}.", "Who {vp1:past} {name2}?"),
    ("{name1} {vp1:past} <{name2}>.", "Who did {name1} {vp1:base}?"),
    ("{name1} comes from <{country1}>.", "Where does {name1} come from?"),
    ("<{name1}> is a {adjp1} {job1}.", "Who is a {job1}?"),
    ("<{name1}> is a {adjp1} {job1}.", "Who is {adjp1}?"),
    ("{name1} left the {thing1} in <the {place1}>.", "Where is the {thing1}?"),
    ("<{name1}> was {adjp1} yesterday.", "Who was {adjp1}?"),
    ("<the {person1}> was {adjp1} at the {place1}.", "Who was {adjp1}?"),
    ("The {thing1} was {vt1:part} by <the {person1}>.", "Who {vt1:past} the {thing1}?"),
    ("<the {thing1}> was {adjt1}.", "What was {adjt1}?"),
    ("<{name1}> is good at {activity1}.", "Who is good at {activity1}?"),
    ("{name1} likes <{activity1}>.", "What does {name1} like?"),
    ("<the {person1}> {vi1:past} at the {place1}.", "Who {vi1:past} at the {place1}?"),
    ("<{name1}> {vi1:past} {adv1}.", "Who {vi1:past} {adv1}?"),
    ("<the {job1}> {vp1:past} the {person1}.", "Who {vp1:past} the {person1}?"),
    ("{name1} {vi1:past} in <the {place1}>.", "Where did {name1} {vi1:base}?"),
    ("<{name1}> wants to be a {job1} in {country1}.", "Who wants to be a {job1}?"),
    ("<{name1}> {vt1:past} a {adjt1} {thing1}.", "Who {vt1:past} a {thing1}?"),
    ("<{name1}> is very {adjp1}.", "Who is very {adjp1}?"),
)  # fmt: skip
TEST = (
    ("In the evening <the {person1}> {vt1:past} a {thing1}.", "Who {vt1:past} a {thing1}?"),
    ("{name1} works in <the {place1}>.", "Where does {name1} work?"),
    ("<{name1}> became a {job1} in {country1}.", "Who became a {job1}?"),
    ("Then <{name1}> {vp1:past} the {person1}.", "Who {vp1:past} the {person1}?"),
    ("<{name1}> is rather {adjp1}.", "Who is rather {adjp1}?"),
    ("At last <the {person1}> {vi1:past} {adv1}.", "Who {vi1:past} {adv1}?"),
)  # fmt: skip

OPENINGS = (
    "",
    "",
    "",
    "Yesterday ",
    "Last week ",
    "In {year1} ",
    "On Monday ",
    "Later ",
    "Near the {place9} ",
)


@dataclass(frozen=True)
class QaExample:
    """A question with its answer in a context."""

    context: str
    """Two or three sentences."""
    question: str
    start: int
    """The start of the answer in the context, in characters."""
    end: int
    """The end of the answer."""

    @property
    def answer(self) -> str:
        """The answer's text."""
        return self.context[self.start : self.end]


def training_questions(lexicon: Lexicon, count: int, seed: int) -> list[QaExample]:
    """Return ``count`` examples of the training words and patterns."""
    grammar, rng = build_grammar(lexicon, "train"), random.Random(seed)
    patterns = [(opening + fact, question) for opening in OPENINGS for fact, question in TRAIN]
    return [_example(patterns, grammar, rng) for _ in range(count)]


def held_out_questions(lexicon: Lexicon, count: int = 300, seed: int = 13) -> list[QaExample]:
    """Return the held-out test: words and patterns that no training example has."""
    grammar, rng = build_grammar(lexicon, "test"), random.Random(seed)
    return [_example(TEST, grammar, rng) for _ in range(count)]


def _example(patterns: Sequence[tuple[str, str]], grammar: Grammar, rng: random.Random) -> QaExample:
    """Return one fact that answers the question, among one or two facts that do not."""
    fact, question = rng.choice(patterns)
    others = [_renumbered(_plain(p), str(7 + i)) for i, (p, _) in enumerate(rng.choices(patterns, k=2))]
    if rng.random() < 0.5:  # the same kind of fact, where only the words decide
        others[0] = _renumbered(_plain(fact), "7")
    sentences = [fact, *others[: rng.randint(1, 2)]]
    rng.shuffle(sentences)
    context, question = grammar.draw((" ".join(sentences), question), rng)
    start, end = context.index("<"), context.index(">") - 1
    context = _plain(context)
    if start == 0 or context[start - 2 : start] == ". ":
        context = context[:start] + context[start].upper() + context[start + 1 :]
    return QaExample(context, question, start, end)


def _plain(text: str) -> str:
    return text.replace("<", "").replace(">", "")


def _renumbered(text: str, prefix: str) -> str:
    """Return the same pattern with different numbers in its slots, and so with different words."""
    return text.replace("1}", f"{prefix}}}").replace("1:", f"{prefix}:").replace("2}", f"{int(prefix) - 3}}}")
