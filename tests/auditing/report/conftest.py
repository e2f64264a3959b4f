"""Two audits as a report gets them: NLI items of a study, and questions; their values are made up."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from nextset.auditing.audit_records import (
    AuditDesign,
    AuditedModel,
    ComparisonRow,
    MeasureRow,
    PreferenceRow,
    SensitivityRow,
    WordingRow,
)
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.report.item_payload import item_payload
from nextset.auditing.report.quad_payload import quad_payload
from nextset.auditing.report.report_data import AgreementLine, ReportData, StageCount
from nextset.records.arrow_schema import arrow_schema
from nextset.records.question_quads import QuadScore, QuestionQuad

HOSTILE = "<script>alert('x')</script> \"quoted\" & \u202eright to left\u202c \U0001f600 </details>"
MODELS = {
    "builtin:nli-electra": "filter",
    "ynie/bart-large-snli_mnli_fever_anli_R1_R2_R3-nli": "filter",
    "builtin:nli-albert": "held_out",
    "owner/two-labels": "audit",
}
DOMAINS = ("gender", "race", "religion")
BIASES = ("pro", "anti", "aggregate", "counterfactual_pro", "counterfactual_anti", "counterfactual_error",
          "counterfactual_misprediction")  # fmt: skip
READERS = {"builtin:qa-roformer": "filter", "owner/reader": "held_out"}
SUBJECTS = {
    "gender": {"Mary": "female", "Anna": "female", "John": "male", "Paul": "male"},
    "nationality": dict.fromkeys(("Swede", "Dane", "Greek"), "Europe"),
}
ATTRIBUTES = ("be late", "tell a lie", "win the race", f"a {HOSTILE}")


def measure_row(**given: Any) -> MeasureRow:
    """A row with ordinary values for what is not given; the interval is ± 0.05."""
    value = given.get("value", 0.5)
    ends = {"low": None, "high": None} if value is None else {"low": value - 0.05, "high": value + 0.05}
    row = {
        "form": "nli", "items": "released", "selection": "measured", "subject_class": "", "by": "all",
        "part": "all", "model": "builtin:nli-albert", "role": "held_out", "measure": "accuracy",
        "value": value, "n": 72, "clusters": 9, "note": None,
    }  # fmt: skip
    return MeasureRow(**(row | ends | given))


def item_measures() -> list[MeasureRow]:
    """Accuracy and biases by set, model and domain; a model with two labels has accuracies only."""
    rows = []
    for m, (model, role) in enumerate(MODELS.items()):
        who = {"model": model, "role": role}
        rows.append(measure_row(items="plain", value=0.9 - m / 20, n=60, **who))
        rows.append(measure_row(items="plain", measure="accuracy_controls", value=0.95, n=3, **who))
        for d, part in enumerate(("all", *DOMAINS)):
            place = {"by": "domain" if d else "all", "part": part} | who
            rows.append(measure_row(value=0.6 - m / 20 - d / 50, **place))
            for b, name in enumerate(BIASES):
                known = model != "owner/two-labels"
                note = None if known else "needs contradiction, and owner/two-labels has two labels"
                value = 0.05 + b / 40 + m / 50 if known else None
                rows.append(measure_row(measure=name, value=value, note=note, **place))
    return rows


def audited_models(models: dict[str, str]) -> list[AuditedModel]:
    """The models, with made-up revisions."""
    return [AuditedModel(model=m, role=r, revision=f"{i:064d}") for i, (m, r) in enumerate(models.items())]


@pytest.fixture(scope="session")
def item_audit() -> AuditTables:
    compared: dict[str, Any] = {
        "form": "nli", "subject_class": "", "measure": "accuracy", "p": 0.0004, "p_corrected": 0.0016,
        "comparisons": 4,
    }  # fmt: skip
    sets = [
        ComparisonRow(
            kind="sets", first_model=model, second_model=model, first_items="plain", second_items="released",
            first_value=0.9 - m / 20, second_value=0.6 - m / 20, difference=-0.3, low=-0.35, high=-0.25,
            **compared,
        )
        for m, model in enumerate(MODELS)
    ]  # fmt: skip
    pairs = [
        ComparisonRow(
            kind="models", first_model=a, second_model=b, first_items="released", second_items="released",
            first_value=0.6, second_value=0.55, difference=-0.05, low=-0.11, high=0.01, **compared,
        )
        for a, b in combinations(MODELS, 2)
    ]  # fmt: skip
    return AuditTables(
        measures=item_measures(),
        models=audited_models(MODELS),
        comparisons=[*sets, *pairs],
        sensitivity=[
            SensitivityRow(
                form="nli", items="released", subject_class="", model="builtin:nli-albert",
                measure="accuracy", value=0.5, lowest=0.45, lowest_without="t1", highest=0.52,
                highest_without=HOSTILE, templates=9,
            ),
        ],
        wordings=[
            WordingRow(
                form="nli", items="released", subject_class="", model="owner/two-labels", measure="accuracy",
                wording=1, value=0.4, n=72,
            ),
        ],
        design=[
            AuditDesign(
                form="nli", drawn="templates within stereotypes", draws=1000, seed=0, level=0.95,
                correction="Holm (1979)",
            ),
        ],
    )  # fmt: skip


@pytest.fixture(scope="session")
def item_report(item_audit: AuditTables, audit: Any) -> ReportData:
    survival = [
        {"part": d, "model": m, "candidates": 40, "survived": n}
        for d in DOMAINS
        for m, n in (("any", 20), ("builtin:nli-electra", 10))
    ]
    units = pa.array([f"unit-{i}" for i in range(audit.new.num_rows)])
    votes = {"unit-0": {"valid": 2, "invalid": 1, "incoherent": 0}}
    return ReportData(
        title="first_look",
        about=f"A study. {HOSTILE}",
        dataset_name="first-look",
        dataset_version="0.1.0",
        dataset_path=f"a folder/{HOSTILE}",
        audit=item_audit,
        judge="rule",
        stages=(
            StageCount("plain expansion", 64),
            StageCount("hard", 60, ((f"every model right {HOSTILE}", 1140),)),
            StageCount("released", 72),
        ),
        survival=pa.Table.from_pylist(survival),
        agreement=tuple(
            AgreementLine(
                coefficient=name,
                of="verdict",
                by="domain" if part else "all",
                part=part,
                value=value,
                low=value - scale / 10,
                high=value + scale / 25,
                units=40,
            )
            for part in ("", "gender")
            for name, value, scale in (("per_cent", 95.833, 100), ("alpha", 0.61, 1), ("fleiss", -0.05, 1))
        ),
        explorer=item_payload(audit.new.append_column("unit_id", units), [audit.new_scores], votes),
        versions=(("nextset", "0.1.0"),),
    )


def quads_and_scores() -> tuple[pa.Table, pa.Table]:
    """Quads of all pairs of subjects, attributes and two templates, with scores from a fixed seed."""
    span = {"start": 0, "end": 4}
    spans = {f"subject{i}_in_{o}": span for i in (1, 2) for o in ("12", "21")}
    rows: list[dict[str, Any]] = []
    for name, subjects in SUBJECTS.items():
        for one, two in combinations(subjects, 2):
            for attribute in ATTRIBUTES:
                for template in ("0", "1"):
                    rows.append(
                        {
                            "id": f"{len(rows):032x}", "language": "en", "subject_class": name,
                            "template_id": template, "attribute": attribute, "attribute_kind": "act",
                            "attribute_cluster": "", "subject1": one, "subject2": two,
                            "cluster1": subjects[one],
                            "cluster2": subjects[two], "context_12": f"{one} met {two}. ({template})",
                            "context_21": f"{two} met {one}. ({template})",
                            "question": f"Who would {attribute}?",
                            "question_negated": f"Who would never {attribute}?", **spans,
                        }
                    )  # fmt: skip
    draw = np.random.default_rng(7)
    numbers = [n for n in QuadScore.__dataclass_fields__ if n.startswith("subject")]
    scores = [
        {"item_id": row["id"], "model": model, "revision": f"{m:064d}", "role": role, "precision": "float32",
         "mode": "canonical", "truncated": False, **{n: float(draw.random()) for n in numbers}}
        for m, (model, role) in enumerate(READERS.items())
        for row in rows
    ]  # fmt: skip
    return (
        pa.Table.from_pylist(rows, arrow_schema(QuestionQuad)),
        pa.Table.from_pylist(scores, arrow_schema(QuadScore)),
    )


@pytest.fixture(scope="session")
def quad_audit() -> AuditTables:
    measures, preferences = [], []
    for m, (model, role) in enumerate(READERS.items()):
        for c, (name, subjects) in enumerate(SUBJECTS.items()):
            who: dict[str, Any] = {
                "form": "question", "items": "dataset", "selection": "all", "subject_class": name,
                "model": model, "role": role,
            }  # fmt: skip
            values = {
                "mu": 0.2 + m / 10 + c / 20,
                "mean_c": 0.1,
                "positional_error": 0.3,
                "attribute_error": 0.4,
            }
            measures += [measure_row(measure=k, value=v, **who) for k, v in values.items()]
            for s, subject in enumerate(subjects):
                for a, attribute in enumerate(("", *ATTRIBUTES)):
                    gamma = (s - 1) / 10 + a / 50 - m / 20
                    preferences.append(
                        PreferenceRow(
                            by="subject", subject=subject, attribute=attribute, attribute_cluster="",
                            gamma=gamma,
                            gamma_low=gamma - 0.04, gamma_high=gamma + 0.04, eta=gamma, eta_low=gamma - 0.1,
                            eta_high=gamma + 0.1, n=12, **who,
                        )
                    )  # fmt: skip
    return AuditTables(
        measures=measures,
        preferences=preferences,
        models=audited_models(READERS),
        design=[
            AuditDesign(
                form="question", drawn="templates and pairs of subjects", draws=1000, seed=0, level=0.95,
                correction="Holm (1979)",
            ),
        ],
    )  # fmt: skip


@pytest.fixture(scope="session")
def quad_report(quad_audit: AuditTables) -> ReportData:
    quads, scores = quads_and_scores()
    return ReportData(
        title="A dataset",
        dataset_name="hard-questions",
        dataset_version="1.0.0",
        dataset_path="owner/hard-questions",
        audit=quad_audit,
        explorer=quad_payload(quads, [scores]),
    )
