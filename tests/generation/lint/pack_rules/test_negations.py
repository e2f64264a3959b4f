"""Negations and opposites that are right are not found, in any language."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.generation.lint.pack_rules.negations import partial_negations
from tests.generation.lint.mini_pack import acts, mini_pack

RIGHT = {
    "en": [
        ("was lazy", "was hard-working"),
        ("tricked people with flattery", "dealt honestly with people"),
        ("took revenge for every insult", "forgave every insult"),
        ("acted without thinking", "thought before acting"),
        ("had no job", "had a job"),
        ("always lied to friends", "never lied to friends"),
        ("never paid the rent", "paid the rent"),
        ("stole from shops", "did not steal from shops"),
        ("denied everything", "denied nothing"),
        ("would speed when driving", "never speed when driving"),
        ("was full of thieves", "had no thieves"),
        ("refused to learn the local language", "learned the local language"),
        ("spent the day napping at work", "spent the day working diligently"),
    ],
    "de": [
        ("hat nie gearbeitet", "hat gearbeitet"),
        ("hat oft gelogen", "hat nie gelogen"),
        ("half nur den Nachbarn", "half auch den Nachbarn"),
        ("hatte ein Messer", "hatte kein Messer"),
        ("zahlte keine Steuern", "zahlte Steuern"),
        ("kam ohne Einladung", "kam mit Einladung"),
    ],
    "fr": [
        ("avait de la drogue", "n’avait pas de drogue"),
        ("a volé de l’argent", "n’a jamais volé d’argent"),
        ("ne payait pas son loyer", "payait son loyer"),
    ],
    "es": [("no tenía trabajo", "tenía trabajo"), ("robaba en tiendas", "nunca robaba en tiendas")],
    "ru": [("не платил налоги", "платил налоги"), ("воровал в магазинах", "никогда не воровал в магазинах")],
    "tr": [("dükkânlardan hırsızlık yaptı", "dükkânlardan hiç hırsızlık yapmadı")],
    "ar": [("سرق من المتاجر", "لم يسرق من المتاجر قط")],
    "hi": [("दुकानों से चोरी करता है", "दुकानों से कभी चोरी नहीं करता")],
    "zh": [("偷了东西", "没有偷东西"), ("不付房租", "付房租"), ("偷过东西", "从来没有偷过东西")],
    "nb": [("stjal ofte penger", "stjal aldri penger"), ("vasket seg aldri", "vasket seg")],
}


@pytest.mark.parametrize(
    ("language", "text", "negated"),
    [(language, *pair) for language, pairs in RIGHT.items() for pair in pairs],
)
def test_a_right_negation_is_not_found(tmp_path: Path, language: str, text: str, negated: str) -> None:
    pack = mini_pack(tmp_path, language, attributes=acts({"": text, "neg": negated}))
    assert list(partial_negations(pack.sets)) == []
