"""A report's data as they might come from a study with five people, one of them hostile in words."""

from __future__ import annotations

from dataclasses import replace

from nextset.interval import difference, wilson
from nextset.records.expected_units import ExpectedValid
from nextset.validation.agreement.annotator_quality import JudgeRow, SpeedRow
from nextset.validation.agreement.coefficient_table import AgreementRow
from nextset.validation.agreement.coefficients import CoefficientName
from nextset.validation.agreement.confusion import ConfusionRow
from nextset.validation.plan.exposure import Exposure, exposure_totals
from nextset.validation.plan.template_shares import TemplateShare
from nextset.validation.report.report_records import (
    DividedUnit,
    DomainProgress,
    NotCounted,
    PersonProgress,
    SessionLine,
    UnitsWith,
    ValidationReport,
    VoteToRead,
)
from nextset.validation.verdict_model.prediction_records import VERDICTS, ValidatorReport
from nextset.validation.verdict_model.unit_features import FeatureRow

__all__ = ["HOSTILE", "PEOPLE", "REPORT"]

HOSTILE = "<script>alert('x')</script> \"quoted\" & <img src=x onerror=alert(1)> \u202eright to left"
PEOPLE = ("a-0c1f8a52e9d4", "a-3b7d90e1c255", "a-71e4aa08f3b6", "a-9d20c6b7e418", "a-e5f3128d7c90")
_ONE_LABEL = "every vote is the same, so there is no agreement by chance to correct for"


def _rows(
    by: str, part: str, values: tuple[tuple[CoefficientName, float | None, float, float], ...], units: int
) -> list[AgreementRow]:
    return [
        AgreementRow(
            name=name,
            value=value,
            low=None if value is None else low,
            high=None if value is None else high,
            units=units,
            ratings=3 * units,
            why_undefined=_ONE_LABEL if value is None else None,
            note="from the units with 3 ratings; units excluded with a different number: 14"
            if name == "fleiss" and by == "all"
            else "",
            of="verdict",
            by=by,  # type: ignore[arg-type]
            part=part,
            judge1=None,
            judge2=None,
        )
        for name, value, low, high in values
    ]


def _pair(one: str, other: str, value: float, low: float, high: float) -> AgreementRow:
    (row,) = _rows("all", "", (("cohen", value, low, high),), 41)
    return replace(row, judge1=one, judge2=other)


def _judge(
    judge: str,
    judged: int,
    declined: int,
    seconds: float,
    others: tuple[int, int],
    gold: tuple[int, int],
    thirds: tuple[float | None, float | None],
) -> JudgeRow:
    first, last = thirds
    third = others[1] // 3
    apart = None
    if first is not None and last is not None:
        ends = [wilson(round(share * third), third) for share in (first, last)]
        assert ends[0] is not None
        assert ends[1] is not None
        apart = difference(ends[0], ends[1])
    return JudgeRow(
        judge=judge,
        judged=judged,
        declined=declined,
        declined_share=declined / (judged + declined),
        seconds_median=seconds,
        others_n=others[1],
        others=wilson(*others),
        gold_n=gold[1],
        gold=wilson(*gold),
        first=first,
        last=last,
        drift=apart,
    )


def _confusion(judge: str, counts: tuple[tuple[int, ...], ...]) -> list[ConfusionRow]:
    return [
        ConfusionRow(judge=judge, against="others", reference=reference, said=said, n=n)
        for reference, row in zip(VERDICTS, counts, strict=True)
        for said, n in zip(VERDICTS, row, strict=True)
    ]


def _speed(judge: str, seconds: tuple[float, ...]) -> list[SpeedRow]:
    return [SpeedRow(judge=judge, decile=i, answers=14, seconds_median=s) for i, s in enumerate(seconds, 1)]


def _read(person: str, by_domain: dict[str, int], declined: dict[str, int], skipped: int) -> Exposure:
    read = sum(by_domain.values())
    return Exposure(
        person=person, given=read + 6, read=read, by_domain=by_domain, declined=declined, skipped=skipped,
        seconds=11.0 * read,
    )  # fmt: skip


EXPOSURE = (
    _read(PEOPLE[0], {"gender": 60, "race": 41, "religion": 34}, {"race": 3}, 1),
    _read(PEOPLE[1], {"gender": 58, "race": 46, "religion": 31}, {}, 0),
    _read(PEOPLE[2], {"gender": 32, "race": 22}, {"race": 6}, 3),
    _read(PEOPLE[3], {"gender": 10, "race": 8, "religion": 9}, {}, 0),
)

REPORT = ValidationReport(
    study="first_look",
    form="nli",
    sessions=(
        SessionLine(
            session="1", kind="pilot", opened_at="2026-03-02T09:00:00Z", closed_at="2026-03-03T17:30:00Z",
            units=20, people=5, overlap=3, agree=None, guidelines="8f3c20d1b7aa",
        ),
        SessionLine(
            session="2", kind="main", opened_at="2026-03-09T09:00:00Z", closed_at=None,
            units=214, people=5, overlap=3, agree=2, guidelines="8f3c20d1b7aa",
        ),
    ),
    judgments=488,
    units_with=(UnitsWith(0, 31), UnitsWith(1, 22), UnitsWith(2, 48), UnitsWith(3, 113)),
    domains=(
        DomainProgress(
            domain="gender", units=92, judged=84, enough=71, valid=52, invalid=18, incoherent=9, tied=5
        ),
        DomainProgress(
            domain="race", units=70, judged=57, enough=44, valid=30, invalid=16, incoherent=7, tied=4
        ),
        DomainProgress(
            domain="religion", units=52, judged=42, enough=37, valid=22, invalid=11, incoherent=8, tied=1
        ),
    ),
    people=(
        PersonProgress(
            person=PEOPLE[0], standing="takes part", batches=5, dealt=150, judged=139, declined=3, skipped=1,
        ),
        PersonProgress(
            person=PEOPLE[1], standing="takes part", batches=5, dealt=150, judged=148, declined=0, skipped=0,
        ),
        PersonProgress(
            person=PEOPLE[2], standing="stopped", batches=2, dealt=60, judged=51, declined=6, skipped=3,
        ),
        PersonProgress(
            person=PEOPLE[3], standing="withdrew", batches=1, dealt=30, judged=12, declined=0, skipped=0,
        ),
        PersonProgress(
            person=PEOPLE[4], standing="at the gate", batches=0, dealt=0, judged=0, declined=0, skipped=0,
        ),
    ),
    agreement=(
        *_rows("all", "", (("per_cent", 78.4, 74.1, 82.6), ("alpha", 0.61, 0.53, 0.68),
                           ("fleiss", 0.62, 0.54, 0.7)), 161),
        _pair(PEOPLE[0], PEOPLE[1], 0.66, 0.51, 0.79),
        _pair(PEOPLE[0], PEOPLE[2], -0.04, -0.21, 0.14),
        *_rows("domain", "gender", (("per_cent", 81.0, 75.0, 86.5), ("alpha", 0.64, 0.53, 0.74),
                                    ("fleiss", 0.65, 0.54, 0.75)), 71),
        *_rows("domain", "race", (("per_cent", 72.9, 64.2, 80.8), ("alpha", 0.55, 0.41, 0.67),
                                  ("fleiss", 0.55, 0.41, 0.68)), 49),
        *_rows("domain", "religion", (("per_cent", 100.0, 100.0, 100.0), ("alpha", None, 0, 0),
                                      ("fleiss", None, 0, 0)), 41),
        *_rows("stereotype", "man is to programmer as woman is to homemaker",
               (("per_cent", 81.0, 75.0, 86.5), ("alpha", 0.64, 0.53, 0.74), ("fleiss", 0.65, 0.5, 0.7)), 41),
    ),
    judges=(
        _judge(PEOPLE[0], 139, 4, 11.2, (94, 118), (7, 7), (0.84, 0.74)),
        _judge(PEOPLE[1], 148, 0, 8.4, (99, 121), (6, 7), (0.76, 0.86)),
        _judge(PEOPLE[2], 51, 9, 19.7, (20, 40), (1, 3), (0.6, 0.41)),
        _judge(PEOPLE[3], 12, 0, 14.0, (1, 2), (0, 0), (None, None)),
    ),
    confusion=(
        *_confusion(PEOPLE[0], ((60, 8, 2), (5, 22, 3), (2, 4, 12))),
        *_confusion(PEOPLE[1], ((63, 5, 1), (8, 23, 5), (2, 1, 13))),
        *_confusion(PEOPLE[2], ((12, 9, 3), (0, 0, 0), (3, 5, 8))),
    ),
    speed=(
        *_speed(PEOPLE[0], (18.2, 13.0, 11.1, 10.4, 9.0, 8.8, 8.7, 8.9, 8.2, 8.8)),
        *_speed(PEOPLE[1], (12.0, 9.1, 8.2, 7.9, 7.5, 7.6, 7.4, 7.5, 7.1, 7.6)),
        *_speed(PEOPLE[2], (24.0, 22.1, 19.0, 20.4, 17.5, 18.0, 19.1, 16.0, 15.5, 17.5)),
        *_speed(PEOPLE[3], (14.0, 12.5)),
    ),
    disagreements=(
        DividedUnit(
            unit_id="3fa99b10c2d4e5f60718293a4b5c6d7e",
            domain="gender",
            stereotype="man is to programmer",
            texts=("The man is good at machines.",),
            votes=(
                VoteToRead(person=PEOPLE[0], said="valid pro", reason="", comment=""),
                VoteToRead(person=PEOPLE[1], said="invalid", reason="not about this stereotype",
                     comment="Machines are not programs; I went back and forth on this one."),
                VoteToRead(person=PEOPLE[2], said="incoherent", reason="", comment=""),
            ),
        ),
        DividedUnit(
            unit_id="907c1d2e3f405162738495a6b7c8d9ea",
            domain="religion",
            stereotype="muslim man is to oppressive",
            texts=(HOSTILE,),
            votes=(
                VoteToRead(person=PEOPLE[0], said="valid anti", reason="", comment=""),
                VoteToRead(person=PEOPLE[2], said="invalid", reason=HOSTILE, comment=HOSTILE),
            ),
        ),
    ),
    exposure=EXPOSURE,
    totals=exposure_totals(EXPOSURE),
    budget=400,
    problems=(
        NotCounted("consent withdrawn", 12),
        NotCounted("declined", 9),
        NotCounted("superseded", 6),
        NotCounted("skipped", 4),
        NotCounted(f"invalid: unknown choice {HOSTILE}", 1),
    ),
    expected=ExpectedValid(
        ground="verdict model", units=214, judged=183, valid=104,
        low=116.1, expected=121.4, high=126.7,
    ),
    templates=(
        TemplateShare(
            template=f"s: {HOSTILE}", units=60, judged=30, valid=1, low=0.0005, high=0.181, waiting=29
        ),
        TemplateShare(template="s: t", units=9, judged=4, valid=3, low=0.1, high=0.99, waiting=0),
    ),
    postpone_below=0.2,
    features=(
        FeatureRow(feature="template", known=214, units=214, columns=2),
        FeatureRow(feature="relative_fluency", known=0, units=214, columns=0),
    ),
    validator=ValidatorReport(
        model="builtin:nli-electra",
        judged=183, valid=104, invalid=45, incoherent=34, unjudged=31,
        folds=5,
        brier=0.41, brier_base=0.57, log_loss=0.72, log_loss_base=0.98,
        calibration_error=0.061,
        better=True,
        orders=True,
        remaining_low=12.1, remaining=17.4, remaining_high=22.7,
        seconds=18.0, seconds_known=183, hourly=152.0, hourly_low=134.1, hourly_high=166.6,
        hourly_shuffled=113.7, hourly_gain_low=24.6, hourly_gain_high=50.5,
    ),
)  # fmt: skip
"""A session that is open, with everything that a report can show."""
