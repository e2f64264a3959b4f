"""A study whose filter kept some made-up hypotheses, for tests of what comes after."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import nextset
from nextset.artifacts.artifact import Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.records.arrow_schema import table_of
from nextset.records.content_ids import content_id
from nextset.records.nli_items import Bindings, NliItem
from tests.records import ITEM

__all__ = ["kept_study"]


def kept_study(
    folder: Path,
    hypotheses: list[str],
    domains: tuple[str, ...] = ("gender",),
    premises: tuple[str, ...] = (ITEM.premise,),
) -> nextset.Study:
    """A study in ``folder``, judged by people, whose filter kept ``hypotheses``, of the domains in turn.

    Each has all ``premises``.
    """
    nextset.new_study(folder)
    file = folder / "study.yaml"
    file.write_text(file.read_text().replace("judge: rule", "judge: people"))
    study = nextset.Study.load(folder)
    kept = [
        replace(
            ITEM,
            id=content_id("item", text, *premises[:p]),
            premise=premise,
            hypothesis=text,
            bindings=Bindings("men", "women"),
            domain=domains[i % len(domains)],
        )
        for i, text in enumerate(hypotheses)
        for p, premise in enumerate(premises)
    ]
    build(
        study.out / "filter",
        Recipe("filter", 1),
        lambda: [Part("kept", lambda: PartResult(table_of(kept, NliItem)))],
    )
    return study
