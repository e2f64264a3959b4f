"""Print how readable the texts are: words to read, two readers' sample of sentences, counts of avoided words.

python -m scripts.reading_figures [--lines]

With ``--lines`` the lines that match the word list are printed instead, with their files.
"""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import yaml

from nextset.interval import wilson

__all__ = ["Match", "matches", "prose_lines", "read_twice", "words_to_the_first_result"]

ROOT = Path(__file__).parents[1]
WORDS = ROOT / "docs" / "contributing" / "word_list.yaml"
SAMPLE = ROOT / "docs" / "contributing" / "reading_sample.csv"
_KINDS = (".py", ".md", ".j2", ".yaml", ".sh", ".toml", "")
_DATA = re.compile(
    r"tests/|docs/contributing/|(word_lists|bbnli_templates)/.*\.yaml|scoring/builtin/|LICENSE"
    r"|.*/(wording|guidelines|prompts)/(?!.*\ben\.)"
)
"""Files whose words are not this project's English: data, other languages, tests."""


@dataclass(frozen=True)
class Match:
    """A line of prose with a word of the list."""

    entry: str
    """The entry of the list."""
    file: str
    """The file, relative to the project."""
    line: int
    """The line's number, from 1."""
    text: str
    """The line."""


def prose_lines(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a file; of Python code only the parts in comments and strings."""
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".py":
        yield from enumerate(text.split("\n"), 1)
        return
    lines = text.split("\n")
    parts: dict[int, str] = {}
    strings = {getattr(tokenize, name, tokenize.STRING) for name in ("STRING", "FSTRING_MIDDLE")}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in {tokenize.COMMENT, *strings}:
            for number in range(token.start[0], token.end[0] + 1):
                start = token.start[1] if number == token.start[0] else 0
                end = token.end[1] if number == token.end[0] else None
                parts[number] = f"{parts.get(number, '')} {lines[number - 1][start:end]}".lstrip(" ")
    yield from parts.items()


def matches(patterns: Mapping[str, str]) -> Iterator[Match]:
    """Yield every line of the project's prose that matches one of ``patterns``, by entry."""
    compiled = {entry: re.compile(pattern, re.I) for entry, pattern in patterns.items()}
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.splitlines():
        file = ROOT / name
        if _DATA.match(name) or file.is_symlink() or file.suffix not in _KINDS or not file.is_file():
            continue
        if not file.suffix and not name.startswith("scripts/"):
            continue
        for number, text in prose_lines(file):
            for entry, pattern in compiled.items():
                if pattern.search(text):
                    yield Match(entry, name, number, text.strip())


def read_twice(rows: Sequence[Mapping[str, str]], state: str) -> tuple[int, int]:
    """Return the number of judgments in ``state``, before or after, that say "read twice", and of all."""
    own = [row for row in rows if row["state"] == state]
    return sum(row["twice"] == "1" for row in own), len(own)


def _sample_figures() -> Iterator[str]:
    with SAMPLE.open(encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    shares = {}
    for state in ("before", "after"):
        twice, of = read_twice(rows, state)
        interval = wilson(twice, of)
        if interval is None:
            raise SystemExit(f"{SAMPLE.relative_to(ROOT)} has no sentences in the state {state}")
        shares[state] = interval
        goal = "" if state == "before" else f"below {shares['before'].low:.1%}"
        ok = "" if state == "before" else "ok" if interval.high < shares["before"].low else "short"
        shown = f"{twice / of:.1%} [{interval.low:.1%}, {interval.high:.1%}] of {of} judgments"
        yield f"sentences read twice, {state} | {shown} | {goal} | {ok}"


def words_to_the_first_result(tutorial: str = "extend_bbnli") -> int:
    """Return the words of the README and a tutorial that lead to an own result."""
    read = (("README.md", "\n## Documentation"), (f"docs/tutorials/{tutorial}.md", "\n## Next steps"))
    pages = ((ROOT / name).read_text(encoding="utf-8").partition(end)[0] for name, end in read)
    return sum(len(page.split()) for page in pages)


def _length_figures() -> Iterator[str]:
    pages = sum(len(page.read_text(encoding="utf-8").split()) for page in (ROOT / "docs").rglob("*.md"))
    for name, words, goal in (
        ("words to the first own result", words_to_the_first_result(), 1_200),
        ("words in all", pages, 80_000),
    ):
        yield f"{name} | {words:,} | {goal:,} | {'ok' if words <= goal else 'short'}"


def _key_figures() -> Iterator[str]:
    """Yield the number of keys of study.yaml that its page explains first."""
    from scripts.reference_pages import short_part

    keys = len(short_part())
    yield f"keys in the short part of study_yaml.md | {keys} | 20 | {'ok' if keys <= 20 else 'short'}"


def _word_figures() -> Iterator[str]:
    entries = yaml.safe_load(WORDS.read_text(encoding="utf-8"))
    now = Counter(match.entry for match in matches({e["avoid"]: e["pattern"] for e in entries}))
    for entry in entries:
        before, after = entry["before"], now[entry["avoid"]]
        yield f"{entry['avoid']} | {before} to {after} lines | {before // 10} | {_ok(after, before)}"
    before, after = sum(entry["before"] for entry in entries), now.total()
    yield f"all avoided words | {before} to {after} lines | {before // 10} | {_ok(after, before)}"


def _ok(after: int, before: int) -> str:
    return "ok" if after <= before // 10 else "short"


if __name__ == "__main__":
    if "--lines" in sys.argv[1:]:
        entries = yaml.safe_load(WORDS.read_text(encoding="utf-8"))
        found = matches({entry["avoid"]: entry["pattern"] for entry in entries})
        shown: Iterator[str] = (f"{m.file}:{m.line}: [{m.entry}] {m.text}" for m in found)
    else:
        shown = chain(_length_figures(), _key_figures(), _sample_figures(), _word_figures())
    try:
        for line in shown:
            sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except BrokenPipeError:  # as in `… | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
