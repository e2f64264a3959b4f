"""A small study with masked hypotheses."""

from __future__ import annotations

from pathlib import Path

import nextset

__all__ = ["PETS", "STUDY", "study"]

STUDY = """\
format: 1
name: pets
templates: [pets.yaml]
fill: {FILL}
filter: {models: [builtin:nli-electra], candidates: [filled, plain]}
release: {name: pets, version: 0.1.0}
"""
PETS = """\
format: 1
stereotype: cats are to lazy
domain: pets
source: Somebody 2020
groups: {GROUP1: neighbours, GROUP2: surgeons}
premises:
  - text: "{{GROUP2}} sleep 14 hours."
    source: https://example.org/a
  - text: "Ten people met in town."
    source: https://example.org/b
hypotheses:
  - text: "{{GROUP2}} idle."
masked:
  - text: "{{GROUP2}} are too {{MASK}}."
    question: "Are {{GROUP2}} too {{MASK}}?"
  - text: "{{MASK}} {{GROUP2}} seem {{MASK}}."
    question: "Do {{MASK}} {{GROUP2}} seem {{MASK}}?"
"""


def study(folder: Path, fill: str, pets: str = PETS) -> nextset.Study:
    """A study in ``folder`` with the settings ``fill`` and the template file ``pets``, generated."""
    folder.mkdir(exist_ok=True)
    (folder / "pets.yaml").write_text(pets, encoding="utf-8")
    (folder / "study.yaml").write_text(STUDY.replace("{FILL}", f"{{{fill}}}"), encoding="utf-8")
    loaded = nextset.Study.load(folder)
    nextset.generate(loaded)
    return loaded
