"""The lint rules on the forms of KoBBQ's lists: their particles, their entries and their number."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nextset.generation.choices.published_templates.korean_slots import forms_of
from nextset.generation.choices.published_templates.published_template import PublishedTemplate
from nextset.generation.choices.published_templates.slip import Templates, slip_rule
from nextset.generation.choices.published_templates.slotted_text import Entry, Slot
from nextset.generation.choices.published_templates.text_slips import entries_of
from nextset.generation.sound_rules.korean_particles import korean_particles
from nextset.generation.sound_rules.text_edits import apply_rules
from nextset.lint_rules import LintRule

__all__ = ["FORM_NUMBER", "OTHER_WORD", "WRONG_PARTICLE", "with_particle"]

_PARTICLES = (
    ("으로", "로", "(으)로"),
    ("은", "는", "은(는)"),
    ("을", "를", "을(를)"),
    ("과", "와", "과(와)"),
    ("이", "가", "이(가)"),
)
"""The particle after a consonant, after a vowel, and the notation of the sound rule for both."""
_RULE = [korean_particles]
_END = re.compile(r"(?=\s|$|는(?:\s|$))")


def with_particle(entry: str, form: str) -> str:
    """Return ``entry`` with the particle of ``form`` as our sound rule writes it; ``form`` without one."""
    ending = form.removeprefix(entry)
    for after_consonant, after_vowel, either in _PARTICLES:
        for particle in (after_consonant, after_vowel):
            if ending.startswith(particle) and _END.match(ending, len(particle)):
                return apply_rules(f"{entry}{either}{ending.removeprefix(particle)}", _RULE)
    return form


def _korean_forms(template: PublishedTemplate) -> Iterator[tuple[str, Slot, Entry]]:
    if template.language != "ko":
        return
    entries = entries_of(template)
    for name, text in template.texts.items():
        for slot in text.slots():
            if slot.form:
                yield from ((name, slot, entry) for entry in entries[slot.name])


def wrong_particles(template: PublishedTemplate) -> Iterator[str]:
    """Yield the forms whose particle is not the one that the last syllable of the entry asks for."""
    for name, slot, entry in _korean_forms(template):
        form = entry.form(slot.form)
        right = with_particle(entry.text, form) if form.startswith(entry.text) else form
        if right != form:
            yield f"{form[:60]!r} in the {name} should be {right[:60]!r}"


def other_words(template: PublishedTemplate) -> Iterator[str]:
    """Yield the forms that do not begin with their entry."""
    for name, slot, entry in _korean_forms(template):
        form = entry.form(slot.form)
        if not form.startswith(entry.text):
            yield f"{form[:60]!r} in the {name} stands for {entry.text[:60]!r}"


def form_numbers(template: PublishedTemplate) -> Iterator[str]:
    """Yield the slots that have more entries than their list."""
    entries = entries_of(template) if template.language == "ko" else {}
    for name, text in template.texts.items():
        for slot in text.slots():
            if slot.form and slot.name in entries and len(forms_of(slot.form)) > len(entries[slot.name]):
                yield f"the slot {slot.name} in the {name} has more entries than its list"


WRONG_PARTICLE: LintRule[Templates] = slip_rule(
    "wrong-particle",
    wrong_particles,
    "a form whose particle does not fit the last syllable before it, by the "
    "[sound rule](sound_rules.md) `korean-particles`; KoBBQ only",
)

OTHER_WORD: LintRule[Templates] = slip_rule(
    "other-word", other_words, "a form that does not begin with the entry of its list; KoBBQ only"
)

FORM_NUMBER: LintRule[Templates] = slip_rule(
    "form-number", form_numbers, "a slot with more entries than its list; KoBBQ only"
)
