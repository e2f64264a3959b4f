"""What annotators are told in these tests, and texts that do harm where they are not shown as text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nextset.study.validation_settings import BudgetSettings, SessionSettings
from nextset.validation.annotator_pages.briefing import Briefing, briefing
from nextset.validation.annotator_pages.page_wording import OURS
from nextset.validation.forms.validated_form import VALIDATED_FORMS

__all__ = ["DOMAINS", "HOSTILE", "LANGUAGES", "QUESTION", "SENTENCE", "SESSION", "choice", "told"]

LANGUAGES = sorted(file.stem for file in (OURS / "wording").glob("*.yaml"))
"""The languages that the page comes in."""

SESSION = SessionSettings(
    consent="The University of Nowhere runs this study. Your answers are published under a pseudonym.",
    support="Write to Robin Park, support@example.org, at any time.",
    budget=BudgetSettings(batch=40, person=200),
)

DOMAINS = ("gender", "race", "religion")

SENTENCE = {
    "unit_id": "0" * 32,
    "hypothesis": "The surgeon told us that he had washed his hands.",
    "stereotype": "man is to surgeon",
    "group1": "men",
    "group2": "women",
    "domain": "gender",
    "premise": "Some surgeons work at night.",
    "stance_design": "anti",
}

QUESTION = {
    "unit_id": "1" * 32,
    "context": "Maria and John sat beside each other on the train.",
    "question": "Who is good at repairing engines?",
    "question_negated": "Who is not good at repairing engines?",
    "stereotype": "good at repairing engines",
    "group1": "John",
    "group2": "Maria",
    "domain": "gender",
}

HOSTILE = (
    "<script>window.pwned=1</script></script><script>window.pwned=2</script>"
    "<img src=x onerror='window.pwned=3'> &amp; \u202ereversed \u2067 😀 \" ${warning} $domain ]]> | #"
)
"""HTML, scripts, marks that turn the direction and are never ended, emoji, and what templates look for."""


def told(kind: str = "nli", language: str = "en", **settings: Any) -> Briefing:
    """A briefing."""
    return briefing(VALIDATED_FORMS[kind], language, SESSION.model_copy(update=settings), Path)


def choice(name: str, *values: Any) -> dict[str, Any]:
    """A block of the page, as it is submitted."""
    return {"from_name": name, "to_name": "x", "type": "choices", "value": {"choices": list(values)}}
