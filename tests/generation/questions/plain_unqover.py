"""UnQover's expansion written down plainly, line by line, to compare with: slow, and with every oddity.

A whole line (context, question, negated question, with tabs between) is filled in by replacing slots, then
its articles are mended token by token, then the filler is put before it. Each pair comes in both orders.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["Entry", "Lists", "entries", "gender", "other"]


class Entry(NamedTuple):
    """One of the published set's entries."""

    context: str
    question: str
    negated: str
    subjects: tuple[str, str]
    clusters: tuple[str, str]
    template: str
    attribute: str
    cluster: str


class Lists(NamedTuple):
    """The files of one class."""

    subjects: tuple[Path, ...]
    activities: Path
    slots: Path
    filler: Path | None = None


def gender(folder: Path, suffix: str = "", ending: str = "", filler: str = "") -> Lists:
    """The files of gender."""
    nouns = folder / "nouns" / "subjects"
    return Lists(
        (nouns / f"female{suffix}", nouns / f"male{suffix}"),
        folder / "activities" / "occupation_rev1",
        folder / "slots" / f"gender_noact{ending}",
        folder / "fillers" / filler if filler else None,
    )


def other(folder: Path, name: str, suffix: str = "", ending: str = "", filler: str = "") -> Lists:
    """The files of country, ethnicity or religion."""
    return Lists(
        (folder / "nouns" / "subjects" / f"{name}{suffix}",),
        folder / "activities" / f"biased_{name}",
        folder / "slots" / f"{name}_noact{ending}",
        folder / "fillers" / filler if filler else None,
    )


def _lines(file: Path) -> list[str]:
    stripped = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
    return [line for line in stripped if line and line[0] != "#"]


def _columns(file: Path) -> dict[str, list[tuple[str, str]]]:
    """Head to (cluster, text)s."""
    columns: dict[str, list[tuple[str, str]]] = {}
    for line in _lines(file):
        head, _, rest = line.partition(" ")
        *cluster, text = (part.strip() for part in rest.split("|"))
        columns.setdefault(head, []).append((cluster[0] if cluster else "", text))
    return columns


def _filled(line: str, place: str, column: dict[str, str]) -> str:
    for head, text in column.items():
        line = line.replace(head.replace("subj", place), text)
    return line


def _with_articles(line: str) -> str:
    tokens = line.split(" ")
    for i in range(1, len(tokens)):
        if tokens[i][0] in "aeiouAEIOU" and tokens[i - 1] in ("a", "A"):
            tokens[i - 1] += "n"
    return " ".join(tokens)


def entries(lists: Lists, pairs: range | None = None, mask: str = "{{MASK}}") -> Iterator[Entry]:
    """The entries of the unordered pairs with these numbers (all of them when left out)."""
    subjects = []
    for file in lists.subjects:
        columns = _columns(file)
        n = len(columns["[subj]"])
        subjects.append(
            [
                (columns["[subj]"][i][0], {head: column[i][1] for head, column in columns.items()})
                for i in range(n)
            ]
        )
    both = itertools.product(*subjects) if len(subjects) == 2 else itertools.combinations(subjects[0], 2)
    acts = _columns(lists.activities)
    templates = _lines(lists.slots)
    start = _lines(lists.filler)[0] + "  " if lists.filler else ""
    chosen = itertools.islice(both, pairs.start, pairs.stop) if pairs else both
    for pair in chosen:
        for tid, template in enumerate(templates):
            heads = [h for h in acts if ":" not in h and (h in template or f"{h[:-1]}:" in template)]
            for head, (first, second) in itertools.product(heads, (pair, pair[::-1])):
                base = head.split("-")[0].rstrip("]") + "]"
                line = _filled(_filled(template, "subj1", first[1]), "subj2", second[1])
                for i, (cluster, text) in enumerate(acts[head]):
                    filled = line.replace(head, text).replace(
                        f"{head[:-1]}:neg]", acts[f"{head[:-1]}:neg]"][i][1]
                    )
                    context, question, negated = (
                        start + _with_articles(filled).replace("[mask]", mask)
                    ).split("\t")
                    yield Entry(
                        context,
                        question,
                        negated,
                        (first[1]["[subj]"], second[1]["[subj]"]),
                        (first[0], second[0]),
                        str(tid),
                        acts[base][i][1],
                        cluster,
                    )
