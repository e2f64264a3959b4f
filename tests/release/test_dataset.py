from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.template_expansion import TemplateRow
from nextset.html.content_warning import CONTENT_WARNING
from nextset.records.arrow_schema import table_of
from nextset.records.content_ids import item_ids
from nextset.records.nli_items import Bindings, Fill, NliItem, Stance, Word
from nextset.release.counterfactuals.counterfactual_items import with_counterfactuals
from nextset.release.counterfactuals.counterpart_rendering import text_renderer
from nextset.release.counterfactuals.group_terms import read_group_terms
from nextset.release.dataset_card.card import render_card
from nextset.release.dataset_card.card_counts import DomainCount, StereotypeCount, statistics
from nextset.release.dataset_card.card_facts import Card, CardAgreement, CardExposure, CardModel
from nextset.release.dataset_card.released_columns import columns_of
from nextset.release.forms.nli import MEANINGS
from nextset.release.markdown_escape import escaped

ENGLISH = read_group_terms("builtin:en", Path)
NASTY = "a|b <script>x</script>\n---\n# *h* [x](y) `c` & ~~s~~"


def items(stereotype: str = "s") -> pa.Table:
    def item(hypothesis: str, stance: Stance) -> NliItem:
        return NliItem(
            id="",
            language="en",
            domain="gender",
            stereotype=stereotype,
            template_id=None,
            premise="A fact.",
            hypothesis=hypothesis,
            question="",
            label="neutral",
            stance_design=stance,
            bindings=Bindings("men", "women", (Word("JOB", "cook"),), (Fill("calm", 1, 0.5),)),
            premise_swapped=stance == "anti",
            names_group=True,
            set_id=None,
            parent_id=None,
            supersedes=None,
            premise_source=None,
        )

    table = table_of([item("Men are calm.", "pro"), item("They are calm.", "anti")], NliItem)
    table = table.set_column(0, table.schema.field(0), pa.array(item_ids(table), pa.string()))
    for name, value in {"verdict": "valid", "stance_judged": "pro", "judge": "rule"}.items():
        table = table.append_column(name, pa.array([value, value]))
    table = table.append_column("n_judgments", pa.array([1, 1], pa.int32()))
    table = table.append_column("fluency", pa.array([-2.5, None], pa.float64()))
    table = table.append_column("missed_by", pa.array([["m"], ["m"]], pa.list_(pa.string())))
    table = table.append_column("kept_because", pa.array(["own", "with its pair"]))
    return with_counterfactuals(table, text_renderer(table_of([], TemplateRow), ENGLISH)).items


def card(table: pa.Table, **other: Any) -> Card:
    fields: dict[str, Any] = {
        "name": "first-look",
        "version": "0.1.0",
        "languages": ("en",),
        "license": "cc-by-4.0",
        "authors": (),
        "about": "",
        "fill_premise": False,
        "models": (
            CardModel("fill/model", "ef56", "fill"),
            CardModel("builtin:nli-electra", "ab12", "filter"),
            CardModel("some/model", "cd34", "held out"),
        ),
        "rule": "an item is kept when at least one of the models gets it wrong",
        "pairs": "whole",
        "balance": "nothing is left out for balance",
        "scored": "reckoned in float32",
        "warnings": (),
        "judge": "rule",
        "aggregate": "majority",
        "per_cent": CardAgreement(None, None, None, "there is only one judge", ""),
        "alpha": CardAgreement(None, None, None, "there is only one judge", ""),
        "exposure": (),
        "statistics": statistics(table),
        "columns": columns_of(table),
    }
    return Card(**{**fields, **other})


def test_the_card_says_what_the_masked_model_saw() -> None:
    assert "saw only the hypothesis" in render_card(card(items()))
    assert "saw premise and hypothesis" in render_card(card(items(), fill_premise=True))


def test_the_card_says_what_a_model_that_writes_proposed() -> None:
    words = render_card(card(items(), fill_proposals="words"))
    assert "a model that saw only the hypothesis proposed words for it" in words
    assert "a masked language model that saw" not in words
    assert "proposed hypotheses for each stereotype" in render_card(
        card(items(), fill_proposals="hypotheses")
    )


def test_statistics() -> None:
    found = statistics(items())
    # "Men are calm." gets a counterpart, "They are calm." names no group.
    assert (found.items, found.counterfactuals, found.premise_swapped) == (3, 1, 1)
    assert found.by_domain == (DomainCount("gender", "anti", 2), DomainCount("gender", "pro", 1))
    assert found.by_stereotype == (StereotypeCount("gender", "s", 2, 1),)


def test_every_column_has_a_meaning_here_and_in_the_docs() -> None:
    folder = Path(__file__).parents[2] / "docs" / "reference"
    pages = [
        folder / "dataset_version.md",
        folder / "tables" / "items.md",
        folder / "tables" / "judged_items.md",
    ]
    docs = "".join(page.read_text(encoding="utf-8") for page in pages)
    names = [c.name for c in columns_of(items())]
    assert set(names) <= set(MEANINGS)
    assert [name for name in names if f"| `{name}` |" not in docs] == []


def test_the_hub_reads_the_card() -> None:
    from huggingface_hub import DatasetCard

    text = render_card(card(items()))
    data = DatasetCard(text).data.to_dict()  # type: ignore[no-untyped-call]
    assert data["license"] == "cc-by-4.0"
    assert data["language"] == ["en"]
    assert data["task_categories"] == ["text-classification"]
    assert data["size_categories"] == ["n<1K"]
    body = text.split("\n---\n", 1)[1]
    assert body.index(CONTENT_WARNING) < body.index("## Description")
    assert "judge: rule" in body
    assert "| builtin:nli-electra | filter | ab12 | yes |" in body
    assert "| some/model | held out | cd34 | no |" in body
    assert "\n\n\n" not in text


def test_the_filter_is_told_in_words() -> None:
    text = render_card(card(items()))
    assert "The rule: an item is kept when at least one of the models gets it wrong." in text
    assert "Items that differ only by group were kept together." in text
    assert "For balance: nothing is left out for balance." in text
    shifted = render_card(card(items(), pairs="apart", warnings=("pro: 50.0 % of this, 70.0 % of that",)))
    assert "were filtered separately" in shifted
    assert "shifted the balance: pro: 50.0 % of this, 70.0 % of that." in shifted


def test_people_and_real_models_are_named_as_such() -> None:
    models = (CardModel("some/model", "cd34", "filter"),)
    agreement = {
        "per_cent": CardAgreement(87.25, 80.0, 93.3, None, ""),
        "alpha": CardAgreement(-0.125, -0.25, 0.0, None, ""),
    }
    text = render_card(card(items(), judge="people", models=models, **agreement))
    assert "judge: people" in text
    assert "judge: rule" not in text
    assert "toys below" not in text
    assert "Agreement: 87.2 per cent" in text
    assert "95 % interval 80.0 to 93.3" in text
    assert "α of the verdicts is -0.12 (95 % interval -0.25 to 0.00)" in text
    assert "A unit's verdict is the most frequent one." in text


def test_agreement_that_is_undefined_is_explained_in_the_card() -> None:
    alone = render_card(card(items(), judge="people", aggregate="dawid_skene"))
    assert "Agreement is undefined: there is only one judge." in alone
    assert "most probable one by Dawid–Skene" in alone
    same = CardAgreement(100.0, 100.0, 100.0, None, "from the first 2 ratings")
    why = CardAgreement(None, None, None, "every vote is the same", "")
    text = render_card(card(items(), judge="people", per_cent=same, alpha=why))
    assert "Krippendorff's α is undefined: every vote is the same." in text
    assert "Computed from the first 2 ratings." in text
    assert "Annotators judged the hypotheses (the units)" in text
    pairs = render_card(card(items(), judge="people", per_cent=same, judged_pairs=True))
    assert "Annotators judged the pairs of a premise and a hypothesis (the units)" in pairs
    assert "pairs of judgments on the same pair have the same verdict" in pairs
    unjudged = render_card(card(items(), judge="rule"))
    assert "α" not in unjudged
    assert "No one has judged these hypotheses (judge: rule)." in unjudged
    assert "Which verdicts count" not in unjudged


def test_the_card_tells_what_people_read_and_names_nobody() -> None:
    read = (CardExposure(None, 3, 120, 20, 42.5, 57, 4), CardExposure(NASTY, 2, 12, 5, 6.0, 7, 1))
    text = render_card(card(items(), judge="people", exposure=read))
    assert "| all | 3 | 120 | 20 | 42.5 | 57 | 4 |" in text
    assert f"| {escaped(NASTY)} | 2 | 12 | 5 | 6 | 7 | 1 |" in text
    assert "\n\n\n" not in text
    assert "Items that annotators read" not in render_card(card(items()))


def test_hostile_text_stays_text_in_the_card() -> None:
    table = items(NASTY)
    model = CardModel(NASTY, NASTY, "filter")
    text = render_card(card(table, name=NASTY, about=NASTY, authors=(NASTY,), license=NASTY, models=(model,)))
    front, body = text.removeprefix("---\n").split("\n---\n", 1)
    assert yaml.safe_load(front)["license"] == " ".join(NASTY.split())
    assert not any(line.strip() == "---" for line in front.splitlines())
    assert "<script>" not in body
    assert "\n---\n" not in body
    rows = [line for line in body.splitlines() if line.startswith("| gender | a")]
    assert [row.replace("\\|", "").count("|") for row in rows if "script" in row] == [5]


@given(st.text())
def test_escaped_text_is_one_line_and_shows_the_same(text: str) -> None:
    shown = escaped(text)
    assert len(shown.splitlines()) <= 1
    flat = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in text)
    plain = shown.replace("\\\\", "\0").replace("\\", "").replace("\0", "\\")
    assert plain.split() == flat.split()
    for special in "<|`*[":
        assert shown.count(special) == shown.count("\\" + special)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("- a", "\\- a"),
        ("1. a", "1\\. a"),
        ("0.1.0", "0.1.0"),
        ("---", "\\---"),
        ("a_b", "a\\_b"),
        ("a\nb", "a b"),
    ],
)
def test_escaped(text: str, shown: str) -> None:
    assert escaped(text) == shown
