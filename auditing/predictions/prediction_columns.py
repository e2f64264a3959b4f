"""The entries of a prediction file as columns of codes and scores."""

from __future__ import annotations

import math
from array import array
from typing import Any

from nextset.auditing.predictions.prediction_entries import is_name, shown_key

__all__ = ["Names", "PredictionColumns", "WrongEntry"]

FIELDS = (
    "cluster of the first subject", "cluster of the second", "first subject", "second subject", "template",
    "cluster of the attribute", "attribute", "negated attribute",
)  # fmt: skip
"""The fields of a key, which are separated by |."""
NOT_ABOVE = 1 + 1e-6
"""The largest accepted probability: a softmax in float32 can exceed 1 by rounding."""
_NUMBERS = {float, int}
_PLACES = tuple((q, a, end) for q in ("q0", "q1") for a in ("ans0", "ans1") for end in ("start", "end"))


class WrongEntry(ValueError):
    """An invalid entry of a prediction file; the text says why and names its key."""


class Names:
    """Names and their codes, in the order of their first use; spellings that differ only by case are one
    name."""

    def __init__(self) -> None:
        self.spelled: list[str] = []
        """The spelling of each name; if there are several, the first in alphabetical order."""
        self._known: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.spelled)

    def code(self, name: str) -> int:
        """Return the code of ``name``."""
        code = self._known.get(name)
        return self._new(name) if code is None else code

    def _new(self, name: str) -> int:
        lower = name.lower()
        code = self._known.setdefault(lower, len(self.spelled))
        self._known[name] = code
        if code == len(self.spelled):
            self.spelled.append(name)
        self.spelled[code] = min(self.spelled[code], name)
        return code


class PredictionColumns:
    """All entries so far, each with six codes and four scores."""

    def __init__(self) -> None:
        self.subjects, self.templates, self.clusters = Names(), Names(), Names()
        self.attributes, self.attribute_clusters, self.asked = Names(), Names(), Names()
        self.first, self.second = array("i"), array("i")
        """The subject that the context names first, and the other one."""
        self.template, self.question = array("i"), array("i")
        """The template; cluster, attribute and negated attribute as one code of ``asked``."""
        self.cluster1, self.cluster2 = array("i"), array("i")
        """The clusters of the two subjects."""
        self.scores = array("d")
        """Four scores per entry: of the first and the second subject for the question, then for its
        negation."""
        self.attribute_of: list[int] = []
        """The attribute of each code of ``asked``."""
        self._asked_as: dict[str, int] = {}
        """The code of each spelling of a question so far."""
        self.clusters_of: list[set[int]] = []
        """The clusters of each attribute."""

    def __len__(self) -> int:
        return len(self.first)

    def add(self, key: str, entry: Any) -> None:
        """Add an entry; raises WrongEntry."""
        fields = key.split("|")
        if len(fields) != len(FIELDS):
            count = f"{len(fields)} {'field' if len(fields) == 1 else 'fields'}"
            raise WrongEntry(
                f"the key {shown_key(key)} has {count} instead of {len(FIELDS)}: {', '.join(FIELDS)}"
            )
        if not key.isprintable() and not is_name(key):
            raise WrongEntry(f"the key {shown_key(key)} has a control character or one that is not text")
        first, second = self.subjects.code(fields[2]), self.subjects.code(fields[3])
        if first == second:
            raise WrongEntry(f"the two subjects of the key {shown_key(key)} are the same")
        self.scores.extend(_scores(key, entry))
        _check_texts(key, entry, fields[2].lower(), fields[3].lower())
        self.first.append(first)
        self.second.append(second)
        self.template.append(self.templates.code(fields[4]))
        self.question.append(self._question(fields))
        self.cluster1.append(self._cluster(fields[0]))
        self.cluster2.append(self._cluster(fields[1]))

    def _cluster(self, name: str) -> int:
        return self.clusters.code("" if name.lower() == "none" else name)

    def _question(self, fields: list[str]) -> int:
        spelled = "|".join(fields[5:])
        known = self._asked_as.get(spelled)
        if known is not None:
            return known
        code = self._asked_as[spelled] = self.asked.code(spelled)
        attribute = self.attributes.code(fields[6])  # another spelling of a name may be the first of all
        if code == len(self.attribute_of):
            self.attribute_of.append(attribute)
        if attribute == len(self.clusters_of):
            self.clusters_of.append(set())
        cluster = "" if fields[5].lower() == "none" else fields[5]
        self.clusters_of[attribute].add(self.attribute_clusters.code(cluster))
        return code


def _scores(key: str, entry: Any) -> tuple[float, float, float, float]:
    """Return √(start · end) of both answers to the question, then of both to its negation."""
    try:
        question, negated = entry["q0"], entry["q1"]
        a, b, c, d = question["ans0"], question["ans1"], negated["ans0"], negated["ans1"]
        numbers = (
            a["start"], a["end"], b["start"], b["end"], c["start"], c["end"], d["start"], d["end"],
        )  # fmt: skip
    except (KeyError, TypeError, IndexError):
        raise _missing(key, entry) from None
    for p in numbers:
        if type(p) not in _NUMBERS or not 0 <= p <= NOT_ABOVE:
            raise _not_probability(key, numbers)
    p0, p1, p2, p3, p4, p5, p6, p7 = numbers
    return math.sqrt(p0 * p1), math.sqrt(p2 * p3), math.sqrt(p4 * p5), math.sqrt(p6 * p7)


def _check_texts(key: str, entry: Any, first: str, second: str) -> None:
    """Raise WrongEntry if the answers have each other's texts, since then their scores are exchanged too."""
    for question in ("q0", "q1"):
        texts = [entry[question][answer].get("text") for answer in ("ans0", "ans1")]
        if all(isinstance(text, str) for text in texts) and [t.strip().lower() for t in texts] == [
            second,
            first,
        ]:
            raise WrongEntry(f"the entry {shown_key(key)} has the second subject as its {question}.ans0")


def _missing(key: str, entry: Any) -> WrongEntry:
    for place in _PLACES:
        value = entry
        for i, step in enumerate(place):
            if not isinstance(value, dict) or step not in value:
                return WrongEntry(f"the entry {shown_key(key)} has no {'.'.join(place[: i + 1])}")
            value = value[step]
    return WrongEntry(f"the entry {shown_key(key)} is not an object with q0 and q1")


def _not_probability(key: str, numbers: tuple[Any, ...]) -> WrongEntry:
    wrong = next(i for i, p in enumerate(numbers) if type(p) not in _NUMBERS or not 0 <= p <= NOT_ABOVE)
    where, value = ".".join(_PLACES[wrong]), numbers[wrong]
    if value == "":
        return WrongEntry(f"the entry {shown_key(key)} has no prediction: its {where} is empty")
    return WrongEntry(
        f"the entry {shown_key(key)} has {repr(value)[:60]} as its {where}, which is not in [0, 1]"
    )
