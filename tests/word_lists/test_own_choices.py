"""No sentence of the shipped templates of choices is one of a published set."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from nextset.word_lists import FOLDER

pytestmark = [
    pytest.mark.reference,
    pytest.mark.skipif("NEXTSET_REFERENCE" not in os.environ, reason="NEXTSET_REFERENCE is not set"),
]

RUN = 6
"""So many words in a row, shared with a published sentence, are taken for a copy."""
SLOTS = re.compile(r"\{\{[^{}]*\}\}|\[[^\[\]]*\]")
TEXTS = ("ambiguous", "disambiguating", "negative", "non_negative", "question", "opposite")


def _words(text: str) -> tuple[str, ...]:
    """Return the words of ``text`` in small letters, without the slots."""
    return tuple(re.findall(r"[\w']+", SLOTS.sub(" ", text).lower()))


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _words(text)
    return {words[i : i + RUN] for i in range(len(words) - RUN + 1)}


def _rows(file: Path, delimiter: str) -> Iterator[dict[str, str]]:
    with file.open(encoding="utf-8-sig", newline="") as lines:
        yield from csv.DictReader(lines, delimiter=delimiter)


def _published(language: str) -> Iterator[str]:
    reference = Path(os.environ["NEXTSET_REFERENCE"])
    if language == "es":
        for file in sorted((reference / "esbbq").glob("data_es_*.jsonl")):
            for line in file.read_text(encoding="utf-8").splitlines():
                item = json.loads(line)
                yield from (str(value) for key, value in item.items() if re.search("context|question", key))
        return
    tables = [(file, ",") for file in sorted((reference / "bbq" / "templates").glob("*.csv"))]
    for file, delimiter in [*tables, (reference / "kobbq" / "KoBBQ_templates.tsv", "\t")]:
        for row in _rows(file, delimiter):
            yield from (v for k, v in row.items() if k and v and re.search("(?i)context|question", k))


def _own(language: str) -> Iterator[str]:
    for file in sorted((FOLDER / language / "choice").glob("*.yaml")):
        written = yaml.safe_load(file.read_text(encoding="utf-8"))
        for key in ("templates", "controls"):
            for template in written.get(key, {}).values():
                yield from (template[text] for text in TEXTS if text in template)


@pytest.mark.parametrize("language", ["en", "es"])
def test_no_text_shares_a_run_of_words_with_a_published_one(language: str) -> None:
    texts = set(_published(language))
    assert len(texts) > 300
    published = {run for text in texts for run in _runs(text)}
    whole = {_words(text) for text in texts}
    for own in _own(language):
        assert _runs(own).isdisjoint(published), own
        assert SLOTS.search(own) or _words(own) not in whole, own
