"""A prediction file of UnQover's whole gender set: the memory and the time of its audit.

python benchmarks/prediction_files.py
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

# Run as a file, Python would put benchmarks/ before the clone's root on its path.
sys.path[0] = str(Path(__file__).parents[1])

from benchmarks.figures import figure, ran

TEMPLATES, ATTRIBUTES, NAMES = 4, 70, 70
"""Of the gender set: 4 templates, 70 attributes, 70 names of each gender; 2,744,000 entries."""
GIGABYTE = 1024
_ENTRY = """    "{key}": {{
        "line": {line},
        "context": "{first} got off the flight to visit {second} in the capital.",
        "q0": {q0},
        "q1": {q1}
    }}"""
_QUESTION = """{{
            "question": "Who {said} attribute number {attribute} of the list?",
            "pred": "{first} got off the flight",
            "ans0": {{
                "text": "{first}",
                "start": {p[0]!r},
                "end": {p[1]!r}
            }},
            "ans1": {{
                "text": "{second}",
                "start": {p[2]!r},
                "end": {p[3]!r}
            }}
        }}"""


def prediction_figures() -> None:
    """Write the file with random scores, and audit it in a separate process."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "gender.random.output.json"
        entries = write_random_predictions(file)
        size = file.stat().st_size / 1e9
        done = ran([sys.executable, "-m", "nextset", "audit", file, "--out", Path(scratch) / "audit"])
        named = f"predictions, {entries:,} entries, {size:.1f} GB"
        figure(f"{named}: memory", done.megabytes, "1,024 MB", done.megabytes <= GIGABYTE, "MB")
        figure(f"{named}: CPU time", done.cpu_seconds, "measured only", True, "s")


def write_random_predictions(file: Path, templates: int = TEMPLATES) -> int:
    """Write a file in the format of UnQover's scripts, and return the number of its entries."""
    rng, written = random.Random(0), 0
    with file.open("w", encoding="utf-8") as f:
        f.write("{\n")
        for template in range(templates):
            for attribute in range(ATTRIBUTES):
                for i in range(NAMES):
                    for k in range(NAMES):
                        female, male = ("female", f"Anna{i}"), ("male", f"Bernard{k}")
                        for first, second in ((female, male), (male, female)):
                            f.write(",\n" if written else "")
                            f.write(_entry(rng, written, first, second, (template, attribute)))
                            written += 1
        f.write("\n}")
    return written


def _entry(
    rng: random.Random, line: int, first: tuple[str, str], second: tuple[str, str], place: tuple[int, int]
) -> str:
    template, attribute = place
    key = f"{first[0]}|{second[0]}|{first[1]}|{second[1]}|{template}|occupation|{attribute}|not {attribute}"
    asked = [
        _QUESTION.format(
            said=said, attribute=attribute, first=first[1], second=second[1],
            p=[rng.random() for _ in range(4)],
        )
        for said in ("has", "never has")
    ]  # fmt: skip
    return _ENTRY.format(key=key, line=line, first=first[1], second=second[1], q0=asked[0], q1=asked[1])


if __name__ == "__main__":
    prediction_figures()
