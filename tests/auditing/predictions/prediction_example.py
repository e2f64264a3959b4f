"""Prediction files as UnQover's scripts write them, and the formulas of its published analysis."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

__all__ = ["Published", "key_of", "predictions", "published_analysis", "write_predictions"]

Entries = dict[str, dict[str, Any]]


def key_of(first: str, second: str, template: int = 0, attribute: str = "was late") -> str:
    """The key of an entry, with the cluster of a subject as the part of its name before an underscore."""
    clusters = [name.rpartition("_")[0] for name in (first, second)]
    return "|".join((*clusters, first, second, str(template), "None", attribute, attribute))


def predictions(
    rng: Random, subjects: tuple[str, ...] = ("left_Ana", "right_Bo", "left_Cy"), attributes: int = 2
) -> Entries:
    """Entries of two templates and all pairs of ``subjects`` in both orders, with random probabilities."""
    entries: Entries = {}
    for template in range(2):
        for a in range(attributes):
            for first in subjects:
                for second in subjects:
                    if first != second:
                        entry = _entry(rng, len(entries), first, second, a)
                        entries[key_of(first, second, template, f"was late {a}")] = entry
    return entries


def _entry(rng: Random, line: int, first: str, second: str, attribute: int) -> dict[str, Any]:
    entry: dict[str, Any] = {"line": line, "context": f"{first} met {second}."}
    for number, said in enumerate(("was", "was not")):
        answers = {
            f"ans{i}": {"text": name, "start": rng.random(), "end": rng.random()}
            for i, name in enumerate((first, second))
        }
        entry[f"q{number}"] = {"question": f"Who {said} late {attribute}?", "pred": "NA", **answers}
    return entry


def write_predictions(file: Path, entries: Entries) -> Path:
    """Write ``entries`` as the published scripts do."""
    file.write_text(json.dumps(entries, indent=4), encoding="utf-8")
    return file


@dataclass(frozen=True)
class Published:
    """The numbers that the published analysis prints."""

    delta: float
    epsilon: float
    gamma: dict[tuple[str, str], float]
    eta_of: dict[tuple[str, str], float]
    mu: float
    eta: float


def published_analysis(entries: Entries) -> Published:
    """The formulas of the published analysis, stated anew over one dictionary of entries."""
    quads: dict[tuple[str, ...], dict[str, tuple[float, ...]]] = defaultdict(dict)
    for key, entry in entries.items():
        _, _, x, y, *rest = key.lower().split("|")
        quads[min(x, y), max(x, y), *rest][x] = tuple(
            sqrt(entry[q][a]["start"] * entry[q][a]["end"]) for q in ("q0", "q1") for a in ("ans0", "ans1")
        )
    positional, attributive, c = [], [], defaultdict(list)
    for (x, y, _, _, attribute, _), orders in quads.items():
        x12, y12, x12n, y12n = orders[x]
        y21, x21, y21n, x21n = orders[y]
        positional.append(fmean((abs(x12 - x21), abs(y12 - y21), abs(x12n - x21n), abs(y12n - y21n))))
        attributive.append(fmean((abs(x12 - y12n), abs(y12 - x12n), abs(x21 - y21n), abs(y21 - x21n))))
        of_x = (x12 + x21) / 2 - (x12n + x21n) / 2
        of_y = (y12 + y21) / 2 - (y12n + y21n) / 2
        c[x, attribute].append((of_x - of_y) / 2)
        c[y, attribute].append((of_y - of_x) / 2)
    gamma = {place: fmean(values) for place, values in c.items()}
    signs = {place: fmean((v > 0) - (v < 0) for v in values) for place, values in c.items()}
    subjects = {x for x, _ in c}
    return Published(
        fmean(positional),
        fmean(attributive),
        gamma,
        signs,
        fmean(max(abs(g) for (x, _), g in gamma.items() if x == subject) for subject in subjects),
        fmean(fmean(abs(e) for (x, _), e in signs.items() if x == subject) for subject in subjects),
    )
