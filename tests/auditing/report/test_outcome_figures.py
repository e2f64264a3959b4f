"""The section of the report on answers that are no choice, its findings, and the explorer's notes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from benchmarks.planted_refusals import SIMULATED, Model, audited, scores_of, simulated_items
from nextset.auditing.audit_form import AUDIT_FORMS
from nextset.auditing.audit_page import findings
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.report.answer_definitions import definitions
from nextset.auditing.report.explorer_payload import outcome_notes, scores_by_model
from nextset.auditing.report.result_tables import comparison_table
from nextset.records.nli_items import LABELS
from nextset.records.prompt_outcomes import OUTCOMES

ITEMS = simulated_items(pairs=100, templates=10)


def tables(*names: str) -> AuditTables:
    models: dict[str, tuple[Model, int]] = {name: (SIMULATED[name], 1) for name in names}
    audit = audited(ITEMS, models)
    return AuditTables(measures=audit.measures, comparisons=audit.comparisons)


def test_the_section_has_rates_asymmetry_bounds_and_groups() -> None:
    sections = list(AUDIT_FORMS["nli"].sections(tables("chooses", "refuses one group")))
    assert [s.name for s in sections] == ["accuracy-and-bias-nli", "no-choice-nli"]
    assert [f.table.name for f in sections[1].figures] == ["no-choice-rates-nli", "no-choice-asymmetry-nli"]
    by_name = {t.name: t for t in sections[1].tables}
    assert list(by_name) == [
        "bounds-nli", "no-choice-nli-domain", "no-choice-nli-stereotype", "no-choice-nli-group",
    ]  # fmt: skip
    assert {row[0] for row in by_name["no-choice-nli-group"].rows} == {"women", "men"}
    assert {row[0] for row in by_name["bounds-nli"].rows} == {"refuses one group (audit only)"}
    (first,) = (t for t in sections[0].tables if t.name.endswith("-all"))
    assert "Refusals" not in [c.name for c in first.columns]


def test_the_rates_of_several_domains_are_drawn() -> None:
    """Items 0 to 99 are of one domain, the others of two more; the models keep their order in each."""
    domains = pa.array(["gender"] * 100 + ["age"] * 60 + ["work"] * 40)
    items = ITEMS.set_column(ITEMS.column_names.index("domain"), "domain", domains)
    models: dict[str, tuple[Model, int]] = {m: (SIMULATED[m], 1) for m in ("chooses", "refuses one group")}
    measures = audited(items, models).measures
    section = list(AUDIT_FORMS["nli"].sections(AuditTables(measures=measures)))[1]
    assert [f.table.name for f in section.figures] == [
        "no-choice-rates-nli", "no-choice-nli-domain", "no-choice-asymmetry-nli",
    ]  # fmt: skip
    rows = section.figures[1].table.rows
    assert {(row[0], row[-1]) for row in rows} == {("gender", 100), ("age", 60), ("work", 40)}
    assert "gender: refuses one group" in section.figures[1].svg
    assert "no-choice-nli-domain" not in [t.name for t in section.tables]


def test_the_comparisons_say_once_per_pair_what_was_not_answered() -> None:
    audit = tables("chooses", "refuses one group", "mumbles")
    table = comparison_table(audit, "models")
    assert table is not None
    assert table.columns[-1].name == "Not answered"
    notes = [(row[:2], str(row[-1])) for row in table.rows if row[-1]]
    pairs = {(r.first_model, r.second_model) for r in audit.comparisons if r.note}
    assert sorted(pair for pair, _ in notes) == sorted(pairs)
    assert all("% were not (Accuracy" in note for _, note in notes)
    alone = comparison_table(tables("chooses", "answers in another language"), "sets")
    assert alone is None
    two: dict[str, tuple[Model, int]] = {name: (SIMULATED["chooses"], i) for i, name in enumerate("ab")}
    whole = comparison_table(AuditTables(comparisons=audited(ITEMS, two).comparisons), "models")
    assert whole is not None
    assert [c.name for c in whole.columns][-1] == "p, corrected"


def test_without_such_answers_there_is_no_section_and_no_word() -> None:
    audit = tables("chooses")
    assert [s.name for s in AUDIT_FORMS["nli"].sections(audit)] == ["accuracy-and-bias-nli"]
    assert not [s for s in findings(audit) if "either way" in s or "refuses" in s]


def test_the_finding_says_how_far_refusals_could_move_the_lean() -> None:
    """Three of ten answers are abstentions: the bounds are wider than the interval."""
    audit = tables("answers in another language")
    row = next(r for r in audit.measures if (r.measure, r.by) == ("aggregate", "all"))
    ends = [f"{100 * (end or 0.0):.1f}".replace("-", "−") for end in (row.bound_low, row.bound_high)]
    told = f"counted either way, the lean lies between {ends[0]} and {ends[1]} points."
    assert any(told in sentence for sentence in findings(audit))


def test_a_clear_asymmetry_of_refusals_is_a_finding() -> None:
    found = findings(tables("refuses one group"))
    assert any(s.startswith("It refuses items that state the stereotype") for s in found)


def test_the_explorer_says_what_the_model_did_instead() -> None:
    shares = dict.fromkeys((*LABELS, *OUTCOMES), 0.0)
    rows = [
        shares | {"item_id": "a00000", "neutral": 1.0},
        shares | {"item_id": "b00000", "refused": 2 / 3, "cut_off": 1 / 3},
    ]
    same = {"model": "m", "revision": "r", "role": "audit"}
    table = pa.Table.from_pylist([row | same for row in rows])
    payload = AUDIT_FORMS["nli"].payload(_whole(ITEMS.slice(0, 2)), [table], None)
    assert payload["without_choice"] == [{"1": "refused 2/3, cut off 1/3"}]
    outcome = payload["outcome"]
    assert [outcome["values"][code] for code in outcome["codes"][0]] == ["neutral", "unanswered"]
    whole = scores_of(ITEMS, SIMULATED["chooses"](np.random.default_rng(0), ITEMS), "m")
    assert outcome_notes(scores_by_model(ITEMS, [whole])) == {}


def _whole(items: pa.Table) -> pa.Table:
    return items.append_column("language", pa.array(["en"] * items.num_rows))


def test_what_is_on_the_page_is_defined() -> None:
    defined = dict(definitions(tables("chooses", "refuses one group").measures))
    assert defined["Refusals"] == (
        "Mean share of prompts that the model or its server refused, over all rows."
    )
    assert "Refusal asymmetry" in defined
    assert list(defined)[-1] == "Bounds: lowest and highest"
    assert not {"Refusals", "Bounds: lowest and highest"} & dict(definitions(())).keys()
