"""The warnings on counts of the stage validate that are not 0."""

from __future__ import annotations

from nextset.study.validation_settings import FEWER_JUDGMENTS
from nextset.validation.agreement.counted_answers import LOST

__all__ = ["WARNINGS"]

_UNIT, _SESSION = LOST["unknown unit"], LOST["unknown session"]

WARNINGS = {
    "units unjudged": (
        "units have no judgment yet, and their items are not released",
        "unit has no judgment yet, and its items are not released",
    ),
    "units with too few judgments": (
        f"judged units have {FEWER_JUDGMENTS} (overlap, agree); their verdicts still count",
        f"judged unit has {FEWER_JUDGMENTS} (overlap, agree); its verdict still counts",
    ),
    _UNIT: (
        f"{_UNIT} do not count: their sentences were changed or are no longer kept; undo the change, or have "
        "the new units judged",
        f"{_UNIT.replace('judgments', 'judgment', 1)} does not count: its sentence was changed or is no "
        "longer kept; undo the change, or have the new units judged",
    ),
    _SESSION: (
        f"{_SESSION} do not count: restore judgments/plan.jsonl from its backup",
        f"{_SESSION.replace('judgments', 'judgment', 1)} does not count: restore judgments/plan.jsonl from "
        "its backup",
    ),
}
"""By count: the text after a number of several, and the text after 1."""
