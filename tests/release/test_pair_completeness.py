from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.auditing.nli.population import pairs
from nextset.errors import ArtifactError
from nextset.generation.template_expansion import TemplateRow
from nextset.records.arrow_schema import table_of
from nextset.records.nli_items import Bindings, NliItem
from nextset.release.counterfactuals.counterfactual_items import (
    Counterfactuals,
    is_counterfactual,
    with_counterfactuals,
)
from nextset.release.counterfactuals.counterpart_rendering import text_renderer
from nextset.release.counterfactuals.group_terms import read_group_terms
from nextset.release.counterfactuals.pair_completeness import pair_findings
from nextset.release.counterfactuals.pair_minimality import Minimality
from nextset.release.counterfactuals.pair_records import PairFinding, PairSummary, refuse_pairs
from nextset.study.item_tables import with_ids
from nextset.study.release_settings import Waivers
from tests.records import ITEM

ENGLISH = read_group_terms("builtin:en", lambda name: pytest.fail(name))
RENDER = text_renderer(table_of([], TemplateRow), ENGLISH)


def item(hypothesis: str, **other: Any) -> NliItem:
    """An imported item, which does not say that it names a group."""
    plain = replace(ITEM, premise="Ten people met.", hypothesis=hypothesis, question="", names_group=False)
    return replace(plain, **other)


def made(*items: NliItem) -> Counterfactuals:
    return with_counterfactuals(with_ids(table_of(items, NliItem)), RENDER)


def religion(hypothesis: str, **other: Any) -> NliItem:
    return item(hypothesis, domain="religion", **other)


def changed(table: pa.Table, of: str, **values: Any) -> pa.Table:
    """The table with other values in the row of one hypothesis; its id stays."""
    rows = [r | values if r["hypothesis"] == of else r for r in table.to_pylist()]
    return pa.Table.from_pylist(rows, schema=table.schema)


def test_items_without_bindings_get_their_counterpart_from_the_lexicon() -> None:
    found = made(item("A man's work"), item("Women cook.", stance_design="anti"), item("They met."))
    rows = {row["hypothesis"]: row for row in found.items.to_pylist()}
    assert list(rows) == ["A man's work", "Women cook.", "They met.", "A woman's work", "Men cook."]
    assert [row["stance_design"] for row in rows.values()] == ["pro", "anti", "pro", "anti", "pro"]
    assert [row["names_group"] for row in rows.values()] == [True, True, False, True, True]
    assert rows["Men cook."]["counterpart_id"] == rows["Women cook."]["id"]
    assert rows["They met."]["counterfactual_set"] is None
    report = pair_findings(found.items, ENGLISH, found.flags)
    assert report.findings == ()
    assert report.summary == PairSummary(sets=2, complete=2, minimal=2)
    refuse_pairs(report.summary, Waivers())


def test_a_flagged_item_is_incomplete_only_if_its_hypothesis_names_a_group() -> None:
    sikhs, men = Bindings("Sikhs", "Hindus"), Bindings("men", "women")
    third = religion("Sikhs and Hindus fast with Jews.", bindings=sikhs, names_group=True)
    premise = item("They met.", premise="Ten men met.", bindings=men, names_group=True)
    for row, reason, rows, incomplete in (
        (third, "third group in the text", 2, 0),
        (premise, "groups not in the hypothesis", 1, 0),
        (replace(premise, premise="Omens."), "groups not in the hypothesis", 1, 1),
        (item("Her hats."), "ambiguous term", 1, 1),
    ):
        found = made(row)
        assert ({flag.reason for flag in found.flags}, found.items.num_rows) == ({reason}, rows)
        summary = pair_findings(found.items, ENGLISH, found.flags).summary
        assert (summary.flagged, summary.incomplete) == (1, incomplete)


def test_one_group_of_a_larger_set_gives_a_full_set() -> None:
    found = made(religion("Hindus sing."), religion("Sikhs sing.", stance_design="anti"))
    rows = found.items.to_pylist()
    groups = ENGLISH.sets["religion"].groups
    # one item per group: Sikhs was there, so 7 are new
    assert len(rows) == len(groups) == 9
    assert sum(row["parent_id"] == rows[0]["id"] for row in rows) == 7
    kept = pa.array(["own"] * 2 + [None] * 7, pa.string())
    assert sum(is_counterfactual(found.items.append_column("kept_because", kept))) == 7
    assert len({row["counterfactual_set"] for row in rows}) == 1
    # the audit's pair: the item and the member with the smallest id
    others = sorted(row["id"] for row in rows if row["stance_design"] == "anti")
    assert [rows[0]["counterpart_id"], len(pairs(found.items).stereotype)] == [others[0], 1]
    assert found.flags == ()
    report = pair_findings(found.items, ENGLISH, found.flags)
    assert report.summary == PairSummary(sets=1, complete=1, minimal=1)
    # applied again, also in another order, nothing is added and nothing changes
    again = with_counterfactuals(found.items, RENDER)
    assert again.items.equals(found.items)
    turned = with_counterfactuals(found.items.take(list(range(8, -1, -1))), RENDER).items
    assert turned.sort_by("id").equals(found.items.sort_by("id"))
    without = found.items.filter(pa.array([r["hypothesis"] != "Mormons sing." for r in rows]))
    (missing,) = pair_findings(without, ENGLISH).findings
    assert (missing.kind, missing.item_id, missing.detail) == (
        "missing",
        rows[0]["id"],
        "no member for 'Mormon'",
    )


def test_of_an_anti_item_alone_the_stereotyped_group_is_not_known() -> None:
    found = made(religion("Hindus sing.", stance_design="anti"))
    assert found.items.num_rows == 1
    (flag,) = found.flags
    assert flag.reason == "stereotyped group unknown"
    report = pair_findings(found.items, ENGLISH, found.flags)
    assert [f.kind for f in report.findings] == ["missing", "flagged"]
    assert report.summary.incomplete == report.summary.flagged == 1


def test_an_ambiguous_item_is_flagged_until_its_counterpart_is_imported() -> None:
    found = made(item("She sold her car."))
    assert found.items.num_rows == 1
    report = pair_findings(found.items, ENGLISH, found.flags)
    assert [(f.kind, f.detail) for f in report.findings] == [
        ("missing", "no counterpart"),
        ("flagged", "ambiguous term: 'her' (no counterpart with 'men')"),
    ]
    found = made(item("She sold her car."), item("He sold his car.", stance_design="anti"))
    assert found.items.num_rows == 2
    assert found.flags == ()
    assert pair_findings(found.items, ENGLISH, found.flags).findings == ()


def test_a_doubtful_item_gets_the_counterpart_that_was_imported() -> None:
    bound = Bindings("Black", "White")
    one = item("Black owners met.", domain="race", bindings=bound)
    other = item("White owners met.", domain="race", bindings=bound, stance_design="anti")
    assert [(f.reason, f.term) for f in made(one).flags] == [("may be a noun", "Black")]
    both = made(one, other)
    assert (both.items.num_rows, both.flags) == (2, ())
    assert pair_findings(both.items, ENGLISH, both.flags).findings == ()
    # it was imported, but the filter rejected it
    alone = with_counterfactuals(
        with_ids(table_of([one], NliItem)), RENDER, both.items["id"].combine_chunks()
    )
    assert alone.items["id"].to_pylist() == both.items["id"].to_pylist()
    assert pair_findings(alone.items, ENGLISH, alone.flags).findings == ()


def test_a_counterpart_that_begins_with_a_small_letter_is_found() -> None:
    bound = Bindings("Black", "white")
    one = item("Black people met.", domain="race", bindings=bound)
    other = item(
        "white people met.", domain="race", bindings=Bindings("white", "Black"), stance_design="anti"
    )
    found = made(one, other)
    assert (found.items.num_rows, found.flags) == (2, ())
    assert pair_findings(found.items, ENGLISH, found.flags).findings == ()


def test_groups_of_two_words_in_one_text_alone_are_no_difference() -> None:
    found = made(item("White Americans met.", domain="race"))
    assert found.items.num_rows == 4  # Black, Asian and Hispanic Americans
    report = pair_findings(found.items, ENGLISH, found.flags)
    assert (report.findings, report.summary.minimal) == ((), 1)


def test_a_term_without_a_form_for_one_group_leaves_the_set_incomplete() -> None:
    found = made(religion("The Muslim sings."))
    assert [(f.reason, f.term, f.group) for f in found.flags] == [("ambiguous term", "Muslim", "Jewish")]
    report = pair_findings(found.items, ENGLISH, found.flags)
    assert [(f.kind, f.detail) for f in report.findings if f.kind == "missing"] == [
        ("missing", "no member for 'Jewish'")
    ]
    assert (report.summary.sets, report.summary.incomplete, report.summary.minimal) == (1, 1, 1)


def test_what_cannot_measure_bias_is_not_looked_at() -> None:
    test = item("Men met.", stance_design="test", names_group=True)
    premise = item("They met.", premise="Men met.", names_group=True, bindings=Bindings("men", "women"))
    template = item("Fathers met.", names_group=True, template_id="t", bindings=Bindings("men", "women"))
    found = with_counterfactuals(with_ids(table_of([test, premise, template], NliItem)), lambda row: None)
    assert pair_findings(found.items, ENGLISH) == pair_findings(found.items.slice(0, 0), ENGLISH)


@pytest.mark.parametrize(
    ("first", "second", "tokens"),
    [
        ("Men met.", "Women met.", ([], [])),
        ("An aunt's hour", "A man's hour", (["An aunt's"], ["A man's"])),
        ("A man, the ladies' BOSS", "A woman, the gentlemen's BOSS", ([], [])),
        ("A man met.", "Women met.", (["A man"], ["Women"])),
        ("A man met.", "The woman met.", (["A man"], ["The", " ", "woman"])),
        ("Men met.", "Women  met.", ([" "], ["  "])),
        ("Men meet.", "Women never meet.", ([], ["never", " "])),
        ("Men's work", "Women work", (["Men's"], ["Women"])),
        ("Men met boys.", "Women met girls.", ([], [])),
        ("Men met boys.", "Women met women.", (["boys"], ["women"])),
        ("He sold his car.", "She sold her car.", ([], [])),
        ("He sold it!", "She sold it.", (["!"], ["."])),
        ("Men met people.", "Women met women.", (["people"], ["women"])),
        ("", "Men", ([], ["Men"])),
    ],
)
def test_tokens_that_differ_beyond_the_group(
    first: str, second: str, tokens: tuple[list[str], list[str]]
) -> None:
    for groups in (None, ("men", "women")):
        found = Minimality(ENGLISH).differences(first, second, groups)
        assert (list(found.first), list(found.second)) == tokens
        turned = Minimality(ENGLISH).differences(second, first, groups)
        assert (list(turned.second), list(turned.first)) == tokens


def test_two_groups_of_a_set_differ_and_no_others() -> None:
    terms = Minimality(ENGLISH)
    assert not terms.differences("Jews met a Sikh.", "Hindus met a Sikh.", None)
    # the pair is Jewish and Hindu, so Sikh and Mormon differ beyond it
    found = terms.differences("Jews met a Sikh.", "Hindus met a Mormon.", None)
    assert (found.first, found.second) == (("a Sikh",), ("a Mormon",))
    assert terms.differences("Jews met.", "Hindus met.", ("Sikh", "Mormon"))
    assert not Minimality(None).differences("LEFTIES met.", "RIGHTIES met.", ("lefties", "righties"))


def planted(text: str, other: str, *, domain: str = "gender", **values: Any) -> list[tuple[str, ...]]:
    """The findings, by kind and detail, if the counterpart of ``text`` has ``values`` in place of its own."""
    bindings = values.pop("bindings", None)
    question = values.pop("own_question", "")
    found = made(item(text, domain=domain, bindings=bindings, question=question)).items
    ids = found["id"].to_pylist()
    report = pair_findings(changed(found, other, **values), ENGLISH)
    return [
        (f.kind, f.detail.replace(ids[0], "ITEM").replace(ids[1], "OTHER"), *f.tokens, *f.other_tokens)
        for f in report.findings
    ]


HYPOTHESIS = ("not_minimal", "the hypothesis differs from that of OTHER")


@pytest.mark.parametrize("bindings", [None, Bindings("White", "Asian")])
def test_a_half_swap_is_found(bindings: Bindings | None) -> None:
    text, other = "White men met more Asian men.", "Asian men met more White men."
    assert planted(text, other, domain="race", bindings=bindings) == []
    half = "Asian men met more Asian men."
    assert planted(text, other, domain="race", bindings=bindings, hypothesis=half) == [
        (*HYPOTHESIS, "Asian", "Asian")
    ]
    assert planted(text, other, domain="race", bindings=bindings, hypothesis=text) == [
        ("not_minimal", "the hypothesis is the same as that of OTHER: no group is swapped")
    ]


@pytest.mark.parametrize("bindings", [None, Bindings("men", "women")])
def test_what_a_pair_must_differ_in_is_checked(bindings: Bindings | None) -> None:
    def check(**values: Any) -> list[tuple[str, ...]]:
        question = {"own_question": "Do men cook?"}
        return planted("Today men cook.", "Today women cook.", bindings=bindings, **question, **values)

    assert check() == []
    assert check(hypothesis="Today WOMEN cook.") == [(*HYPOTHESIS, "men", "WOMEN")]
    assert check(hypothesis="Today Women cook.") == [(*HYPOTHESIS, "men", "Women")]
    same = ("not_minimal", "the question is the same as that of OTHER: no group is swapped")
    assert check(question="Do men cook?") == [same]
    assert check(stance_design="pro") == [
        ("not_minimal", "the stance is the same as that of OTHER, not the opposite")
    ]
    one = ("missing", "the counterpart OTHER has a different counterpart: None")
    assert check(counterpart_id=None) == [one]


def test_the_question_of_a_member_has_the_group_of_its_hypothesis() -> None:
    found = made(religion("Hindus sing.", question="Do Hindus sing?")).items
    assert pair_findings(found, ENGLISH).findings == ()
    table = changed(found, "Sikhs sing.", question="Do Mormons sing?")
    (finding,) = pair_findings(table, ENGLISH).findings
    assert (finding.kind, sorted((*finding.tokens, *finding.other_tokens))) == (
        "not_minimal",
        ["Hindus", "Mormons"],
    )


def test_an_item_whose_group_is_not_found_is_missing() -> None:
    found = made(item("Blacks sing.", domain="race", names_group=True))
    report = pair_findings(found.items, ENGLISH, found.flags)
    assert [(f.kind, f.detail) for f in report.findings] == [
        ("missing", "no counterpart; no term of the groups was found"),
        ("flagged", "no term of the lexicon found: 'Blacks'"),
    ]


def test_a_quotation_mark_is_not_a_possessive() -> None:
    terms = Minimality(ENGLISH)
    assert not terms.differences("An 'actress' came.", "An 'actor' came.", None)
    assert terms.differences("An 'actress' came.", "An 'actor's came.", None)
    assert not terms.differences("A 'man' or an (aunt)", "A 'woman' or an (uncle)", None)
    assert not terms.differences("A 'White' man", "An 'Asian' man", None)


WORDS = ["stone", "lamp", "rows", "to", "a", "an", "her", "Tree", "7", ";"]
sentences = st.lists(st.sampled_from([*WORDS, "men", "A woman", "boys'", "Muslims"]), min_size=1, max_size=12)


@pytest.mark.slow
@settings(deadline=None)
@given(sentences, st.data())
def test_every_planted_token_is_found(words: list[str], data: st.DataObject) -> None:
    text = " ".join([*words, "Men."])
    (other,) = (g.texts for g in RENDER(row(text)).groups)  # type: ignore[union-attr]
    for made_text in other:
        assert not Minimality(ENGLISH).differences(text, made_text.hypothesis, None)
        tokens = made_text.hypothesis.split(" ")
        at = data.draw(st.integers(0, len(tokens)))
        planted = " ".join([*tokens[:at], "quokka", *tokens[at:]])
        found = Minimality(ENGLISH).differences(text, planted, None)
        assert "quokka" in found.second
        assert "quokka" not in found.first
        # nothing but the token, its space, and an article that it separates from its term is reported
        assert len(found.second) <= 6


def row(hypothesis: str) -> dict[str, Any]:
    (found,) = table_of([item(hypothesis)], NliItem).to_pylist()
    return dict(found)


def test_the_report_names_both_sides_of_what_differs() -> None:
    found = made(item("Men cook.", question="Do men cook?", bindings=Bindings("men", "women"))).items
    table = changed(found, "Women cook.", hypothesis="Women cook slowly.", premise="Nine people met.")
    (premise, hypothesis) = pair_findings(table, ENGLISH).findings
    assert (premise.tokens, premise.other_tokens) == (("Ten",), ("Nine",))
    assert hypothesis == PairFinding(
        kind="not_minimal",
        item_id=found["id"][0].as_py(),
        counterfactual_set=found["counterfactual_set"][0].as_py(),
        detail=f"the hypothesis differs from that of {found['id'][1].as_py()}",
        other_tokens=(" ", "slowly"),
    )
    # without its counterpart the item is alone in its set
    alone = pair_findings(table.slice(0, 1), ENGLISH)
    assert [f.kind for f in alone.findings] == ["missing"]
    assert alone.summary.incomplete == 1


def test_a_release_is_refused_unless_the_authors_say_why() -> None:
    items = [item(f"She sold her {thing}.") for thing in ("car", "boat", "hat", "pen")]
    found = made(item("Men cook."), *items)
    table = changed(found.items, "Women cook.", hypothesis="Women cook slowly.")
    summary = pair_findings(table, ENGLISH, found.flags).summary
    assert summary.sets == 5
    with pytest.raises(ArtifactError) as caught:
        refuse_pairs(summary, Waivers())
    ids = found.items["id"].to_pylist()
    assert "pairs and sets of counterparts that lack a member: 4 of 5 (" in str(caught.value)
    assert all(id_ in str(caught.value) for id_ in ids[:4])
    assert ids[4] not in str(caught.value)  # three examples
    assert "pairs and sets of counterparts that differ in more than the group: 1 of 5 (" in str(caught.value)
    assert "slowly" in str(caught.value)
    assert 'release.waivers.incomplete: "why" and release.waivers.not_minimal: "why"' in caught.value.remedy
    with pytest.raises(ArtifactError, match="slowly") as caught:
        refuse_pairs(summary, Waivers(incomplete="the texts are quotations"))
    assert "waivers.incomplete" not in caught.value.remedy
    refuse_pairs(summary, Waivers(incomplete="the texts are quotations", not_minimal="so are these"))


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.sampled_from("abc"), sentences, st.sampled_from(["pro", "anti", "test"]))))
def test_the_parts_of_a_table_give_what_the_table_gives(given_: list[tuple[str, list[str], Any]]) -> None:
    items = with_ids(table_of((item(" ".join(w), premise=p, stance_design=s) for p, w, s in given_), NliItem))
    whole = with_counterfactuals(items, RENDER)
    report = pair_findings(whole.items, ENGLISH, whole.flags)
    rows: list[dict[str, Any]] = []
    summary = PairSummary()
    findings: list[PairFinding] = []
    for premise in "abc":
        part = with_counterfactuals(
            items.filter(pa.array([p == premise for p in items["premise"].to_pylist()], pa.bool_())), RENDER
        )
        rows += part.items.to_pylist()
        of_part = pair_findings(part.items, ENGLISH, part.flags)
        findings += of_part.findings
        summary += of_part.summary
    assert sorted(rows, key=lambda r: r["id"]) == whole.items.sort_by("id").to_pylist()
    assert sorted(map(repr, findings)) == sorted(map(repr, report.findings))
    assert replace(summary, incomplete_examples=(), not_minimal_examples=()) == replace(
        report.summary, incomplete_examples=(), not_minimal_examples=()
    )
    assert summary.sets == summary.complete + summary.incomplete
    # the swap makes minimal pairs only
    assert summary.not_minimal == 0
    assert with_counterfactuals(whole.items, RENDER).items.equals(whole.items)
