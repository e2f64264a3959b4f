"""How many of the kept units can be expected to be valid, as text for the terminal."""

from __future__ import annotations

from nextset.study.validation_settings import ValidateSettings
from nextset.validation.verdict_model.expected_valid import SAMPLE, ExpectedValid, half_width

__all__ = ["expectation_text"]


def expectation_text(found: ExpectedValid, settings: ValidateSettings) -> str:
    """Return the expectation and its ground as text; if nothing is known, the command that changes this."""
    if found.expected is None:
        return _unknown(found, settings)
    if found.judged == found.units:
        return f"of {found.units:,} kept units {found.valid:,} are valid: all have a verdict"
    assert found.low is not None
    assert found.high is not None
    known = (
        f"of {found.units:,} kept units about {found.expected:,.0f} can be expected to be valid "
        f"({found.low:,.0f} to {found.high:,.0f}, 95 %), going by"
    )
    judged = f"{found.valid:,} valid of {found.judged:,} judged"
    if found.ground == "verdict model":
        return f"{known} the verdict model, which is better than shares: {judged}, the others estimated"
    doubt = _not_at_random(settings) if found.queued else ""
    held = f", which {doubt} does not give" if doubt else ""
    return f"{known} the share of the units judged: {judged}. This holds of a random sample{held}"


def _unknown(found: ExpectedValid, settings: ValidateSettings) -> str:
    if not found.units:
        return "no item was kept, so there is nothing to judge"
    unknown = f"how many of the {found.units:,} kept units are valid is not known: none is judged"
    export = "nextset validate export STUDY --for csv"
    if settings.judge == "rule":
        export = f"set validate: {{judge: people}}, then {export}"
    if found.units <= SAMPLE:
        return f"{unknown}. They are few enough to be judged all: {export}"
    pilot = ""
    if settings.session:
        pilot = f"; or {settings.session.pilot} units in a pilot: nextset validate open STUDY --pilot"
    points = f"{half_width(SAMPLE):.0f} points"
    return (
        f"{unknown}. {SAMPLE} units drawn at random give it to ±{points}: {export} --sample {SAMPLE}{pilot}"
    )


def _not_at_random(settings: ValidateSettings) -> str:
    """Return the setting by which judged units are no random sample; empty if there is none."""
    session = settings.session
    if session is None:
        return ""
    if session.order != "shuffled":
        return f"validate.session.order: {session.order}"
    return f"validate.session.stop_below: {session.stop_below:g}" if session.stop_below else ""
