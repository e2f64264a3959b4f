"""Template files for the tests of generation."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SMALL = """\
format: 1
stereotype: cats are to lazy
domain: pets
source: Somebody 2020
groups: {GROUP1: dogs, GROUP2: cats}
words:
  TIME: [day, night]
premises:
  - text: "{{GROUP2}} sleep 14 hours."
    source: https://example.org/a
  - text: "Pets sleep."
    source: https://example.org/b
hypotheses:
  - text: "{{GROUP2}} idle all {{TIME}}."
    question: "Do {{GROUP2}} idle all {{TIME}}?"
masked:
  - text: "{{GROUP2}} are too {{MASK}}."
    question: "Are {{GROUP2}} too {{MASK}}?"
tests:
  - text: "Some pets sleep."
    question: "Do some pets sleep?"
    label: entailment
sentences:
  pro: Cats are lazier than dogs.
  anti: Dogs are lazier than cats.
"""

PUBLISHED: dict[str, Any] = {
    "id": "none",
    "premise": ["{{GROUP2}} sleep 14 hours."],
    "reference": ["https://example.org/a"],
    "bias_hypothesis_stereotypical": [["{{GROUP2}} idle all {{TIME}}.", 1, 2]],
    "bias_question_stereotypical": [["Do {{GROUP2}} idle all {{TIME}}?", 1, 2]],
    "test_hypothesis": [["{{GROUP2}} sleep.", 2]],
    "test_question": [["Do {{GROUP2}} {{UNDEFINED}}sleep?", 2]],
    "data": {"TIME": ["day", "night"], "UNUSED": ["a", "b", "c"]},
    "GROUP1": ["dogs"],
    "GROUP2": ["cats"],
    "name": "cats are to lazy",
    "domain": "pets",
}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A small template file of our own."""
    path = tmp_path / "small.yaml"
    path.write_text(SMALL, encoding="utf-8")
    return path


@pytest.fixture
def published(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file in the published format, with some keys changed."""

    def write(**changes: object) -> Path:
        path = tmp_path / "cats_are_to_lazy.json"
        path.write_text(json.dumps({**PUBLISHED, **changes}, indent=1), encoding="utf-8")
        return path

    return write
