"""The expected number of valid units among the kept ones, as text for the terminal."""

from __future__ import annotations

from nextset.counted import counted
from nextset.records.expected_units import ExpectedValid
from nextset.study.validation_settings import ValidateSettings
from nextset.validation.verdict_model.expected_valid import SAMPLE, half_width

__all__ = ["expectation_text"]


def expectation_text(found: ExpectedValid, settings: ValidateSettings) -> str:
    """Return the expectation and its basis as text; if nothing is known, the command that changes this."""
    if found.expected is None:
        return _unknown(found, settings)
    if found.judged == found.units:
        valid = f"{found.valid:,} of {counted(found.units, 'kept units', 'kept unit')}"
        return f"{valid} {'is' if found.valid == 1 else 'are'} valid: all have a verdict"
    assert found.low is not None
    assert found.high is not None
    known = (
        f"about {found.expected:,.0f} of {counted(found.units, 'kept units', 'kept unit')} can be expected "
        f"to be valid ({found.low:,.0f} to {found.high:,.0f}, 95 %), based on"
    )
    judged = f"{found.valid:,} valid of {found.judged:,} judged"
    if found.ground == "verdict model":
        return f"{known} the verdict model, which predicts better than shares: {judged}, the others estimated"
    doubt = _not_at_random(settings) if found.queued else ""
    if doubt:
        doubt = f", but with {doubt} the judged units are not a random sample"
    return f"{known} the share of valid units: {judged}. This holds for a random sample{doubt}"


def _unknown(found: ExpectedValid, settings: ValidateSettings) -> str:
    if not found.units:
        return "no item was kept, so there is nothing to judge"
    units = counted(found.units, "kept units", "kept unit")
    unknown = f"none of {units} is judged, so the valid share is not known"
    export = "nextset validate export STUDY --for csv"
    if settings.judge == "rule":
        export = f"set validate: {{judge: people}}, then {export}"
    if found.units <= SAMPLE:
        return f"{unknown}. There are few enough to judge all of them: {export}"
    pilot = ""
    if settings.session:
        pilot = f"; or {settings.session.pilot} units in a pilot: nextset validate open STUDY --pilot"
    points = f"{half_width(SAMPLE):.0f} points"
    sample = f"{SAMPLE} units drawn at random give the share to within {points}"
    return f"{unknown}. {sample}: {export} --sample {SAMPLE}{pilot}"


def _not_at_random(settings: ValidateSettings) -> str:
    """Return the setting that keeps judged units from being a random sample; empty if there is none."""
    session = settings.session
    if session is None:
        return ""
    if session.order != "shuffled":
        return f"validate.session.order: {session.order}"
    return f"validate.session.postpone_below: {session.postpone_below:g}" if session.postpone_below else ""
