"""Parts of guidelines, ours and those that a study wrote in its own way."""

from __future__ import annotations

import pytest

from nextset.validation.annotator_pages.guideline_parts import passage, without_quotations
from nextset.validation.annotator_pages.guidelines_html import html_of

OWN = """# Consignes

> {{warning}}

Bonjour.

## Accord

> {{consent}}
> Encore une ligne.

## Deux choses

> Une citation qui reste.

### Les jugements

**valide** ({{key:valid}})

#### Exemples

Le chat.

### La position

**pour** ({{key:pro}}), « je préfère ne pas juger » ({{key:declined}}) : {{support}}
"""


def test_quotations_of_warning_and_consent_go_with_headings_that_have_nothing_else() -> None:
    left = without_quotations(OWN)
    assert "{{warning}}" not in left
    assert "{{consent}}" not in left
    assert "Encore une ligne" not in left
    assert "## Accord" not in left
    assert [line for line in left.splitlines() if line.startswith(("#", ">"))] == [
        "# Consignes",
        "## Deux choses",
        "> Une citation qui reste.",
        "### Les jugements",
        "#### Exemples",
        "### La position",
    ]
    assert "Bonjour." in left


@pytest.mark.parametrize("text", ["Pas de titre : {{consent}}\n", "## Vide\n\n## Texte\nA {{warning}}\n", ""])
def test_what_is_not_a_quotation_stays(text: str) -> None:
    assert without_quotations(text) == text


def test_a_passage_is_the_section_of_its_keys_with_the_sections_inside_it() -> None:
    assert passage(OWN, ["verdict"]).splitlines() == [
        "### Les jugements",
        "",
        "**valide** ({{key:valid}})",
        "",
        "#### Exemples",
        "",
        "Le chat.",
        "",
    ]
    assert passage(OWN, ["stance"]).startswith("### La position")
    assert passage(OWN, ["stance", "verdict"]) == passage(OWN, ["verdict"]) + passage(OWN, ["stance"])


def test_guidelines_without_the_keys_are_shown_whole() -> None:
    assert passage(OWN, ["grammatical"]) == passage(OWN, []) == without_quotations(OWN)
    flat = "Valide : {{key:valid}}. Pour : {{key:pro}}.\nSupport.\n"
    assert passage(flat, ["stance"]) == flat


def test_cells_of_a_table_carry_the_headings_of_their_columns() -> None:
    table = "| a | **b** | |\n|---|---|---|\n| 1 | 2 | 3 |\n| 4 | <i> | |\n"
    plain = html_of(table)
    headed = html_of(table, headed_cells=True)
    assert "<small>" not in plain
    assert headed.count("<small><strong>b</strong></small> ") == 2
    assert headed.replace("<small><strong>b</strong></small> ", "") == plain
    assert "<i>" not in headed
