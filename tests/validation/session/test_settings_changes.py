"""Changes of study.yaml while a session is open: what is said of each setting."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nextset.study.validation_settings import SessionSettings
from nextset.validation.plan.state import Session
from nextset.validation.session.settings_changes import recorded_settings, settings_changes
from tests.validation.plan.sample_plans import opened, settings

BATCH, NEW = "from the next batch on", "needs a new session"
PAGE, FORM, GATE = "next loaded", "keep the old form", "at the gate"
CHANGES = {
    "overlap": (2, NEW), "agree": (2, NEW), "order": ("fluent_first", NEW), "postpone_below": (0.5, NEW),
    "premise": (True, FORM),
    "gold": ("gold.yaml", BATCH), "gold_every": (5, BATCH), "rest_every": (7, BATCH),
    "run": (9, BATCH), "mistakes": (0, GATE), "submit": ("explicit", PAGE), "pilot": (7, NEW),
    "seed": (9, NEW),
    "pause_seat": ({"seconds": 2.0}, BATCH),
}  # fmt: skip
"""A new value of each setting that the guidelines do not cover, and from when it applies."""
TEXTS = {"consent", "support", "warning", "wording", "comprehension"}


def changed(**new: object) -> tuple[str, ...]:
    session = Session(replace(opened(["u1", "u2"]), settings=recorded_settings(settings())))
    now = SessionSettings.model_validate({**settings().model_dump(), **new})
    return settings_changes(session, now, ["u1", "u2"])


def test_each_setting_has_its_sentence() -> None:
    assert changed() == ()
    assert set(SessionSettings.model_fields) == {*CHANGES, *TEXTS, "budget"}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_setting_is_named_with_when_it_applies(name: str) -> None:
    value, when = CHANGES[name]
    (line,) = changed(**{name: value})
    assert line.startswith(f"validate.session.{name}")
    assert when in line


def test_a_session_recorded_under_an_earlier_name_of_a_setting_has_not_changed() -> None:
    now = settings(postpone_below=0.5)
    recorded = recorded_settings(now).replace("postpone_below", "stop_below")
    assert settings_changes(Session(replace(opened(["u1"]), settings=recorded)), now, ["u1"]) == ()


def test_of_the_budget_each_part_is_named() -> None:
    budget = settings().budget.model_dump() | {"batch": 7, "pause": 77}
    batch, pause = changed(budget=budget)
    old = settings().budget
    assert batch.startswith(
        f"validate.session.budget.batch was {old.batch} when the session was opened and is 7 "
    )
    assert pause.startswith(
        f"validate.session.budget.pause was {old.pause} when the session was opened and is 77 "
    )
    assert BATCH in batch
    assert BATCH in pause


def test_a_section_that_is_gone_other_units_and_a_session_of_an_earlier_version() -> None:
    session = Session(opened(["u1", "u2", "u3"]))
    assert settings_changes(session, None, ["u1"])[0].startswith(
        "validate.session is no longer in study.yaml"
    )
    gone, new = settings_changes(session, settings(), ["u1", "u4", "u5"])
    assert gone.startswith("2 units of the session are no longer kept")
    assert new == "2 units are kept that are not in the session: this needs a new session"
    assert settings_changes(session, settings(), ["u1", "u2", "u3"]) == (), "it recorded no settings"
