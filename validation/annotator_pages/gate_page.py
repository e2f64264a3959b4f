"""The gate: one page with warning, consent, guidelines, comprehension check; and its answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nextset.errors import StudyError
from nextset.validation.annotator_pages.briefing import Briefing
from nextset.validation.annotator_pages.guidelines_html import html_of
from nextset.validation.annotator_pages.label_studio_xml import (
    Option,
    choices,
    finished,
    heading,
    note,
    page,
    shown,
    view,
    when,
)
from nextset.validation.annotator_pages.page_wording import KnownQuestion, KnownSentence
from nextset.validation.annotator_pages.unsafe_text import check_texts
from nextset.validation.judgment_choices import VERDICTS, YES_NO
from nextset.validation.judgments.annotation import NotAnAnswer, choices_of, single_choice

__all__ = ["GateAnswer", "gate_config", "gate_task", "read_gate"]

_KEYS = "123456789qwertasdfgzcvbhjklopinm"
"""Keys of comprehension and domains, in this order; Label Studio itself uses u."""
_AGREE, _DISAGREE = "y", "x"


@dataclass(frozen=True, slots=True)
class GateAnswer:
    """What a person answered at the gate."""

    consent: bool
    """Whether the person agrees."""
    declined: tuple[str, ...]
    """Domains that the person does not want to read about."""
    wrong: tuple[str, ...]
    """Comprehension items answered incorrectly, or not at all: check_1, and so on."""
    passed: bool
    """Whether the person agrees and made no more mistakes than are allowed."""
    problem: str
    """Why the answer cannot be read; empty if it can."""


def gate_config(briefing: Briefing, domains: Sequence[str]) -> str:
    """The gate's labelling configuration, XML, for a study with items of ``domains``.

    Raises StudyError if there are more choices than keys.
    """
    words, keys = briefing.wording, _keys(briefing, domains)
    root = page(words, "gate")
    shown(root, "guidelines", name="guidelines", html=True)
    heading(root, words.gate.consent)
    agree = Option.of("agree", _AGREE, words.gate.agree)
    disagree = Option.of("disagree", _DISAGREE, words.gate.disagree)
    choices(root, "consent", "guidelines", [agree, disagree], required=words.required)
    # Annotators who disagree are asked nothing more: a block is required only while it is shown.
    more = when(root, "then", "consent", "agree")
    heading(more, words.gate.check)
    for i, item in enumerate(briefing.comprehension, 1):
        card = view(more, "check")
        if isinstance(item, KnownSentence):
            shown(card, f"stereotype_{i}", words.headings.stereotype)
            shown(card, f"text_{i}", words.headings.sentence)
            options = [Option(v, next(keys), getattr(words.choices, v).label) for v in VERDICTS]
        else:
            shown(card, f"context_{i}", words.headings.context)
            shown(card, f"question_{i}", words.headings.question)
            ask = getattr(words.questions, item.asks)
            heading(card, ask.ask)
            options = [Option(answer, next(keys), getattr(ask, answer).label) for answer in YES_NO]
        choices(view(card, "small"), f"check_{i}", "guidelines", options, required=words.required)
    heading(more, words.gate.domains)
    note(more, "hint", words.gate.domains_hint)
    small = view(more, "small")
    choices(
        small, "decline_domains", "guidelines", [Option(d, next(keys), d) for d in domains], multiple=True
    )
    note(root, "submit", words.headings.submit)
    return finished(root)


def gate_task(briefing: Briefing) -> dict[str, str]:
    """The data of the gate's one task; it holds no answer.

    Raises JudgmentError on a text that cannot be shown.
    """
    texts: dict[str, str] = {}
    for i, item in enumerate(briefing.comprehension, 1):
        if isinstance(item, KnownSentence):
            texts |= {f"stereotype_{i}": item.stereotype, f"text_{i}": item.text}
        else:
            texts |= {f"context_{i}": item.context, f"question_{i}": item.question}
    check_texts([{"unit_id": "gate", **texts}])
    return {"unit_id": "gate", "guidelines": html_of(briefing.guidelines), **texts}


def read_gate(annotation: object, briefing: Briefing, domains: Sequence[str], mistakes: int) -> GateAnswer:
    """Return the answer in an annotation of the gate page; accepts any JSON and never raises.

    ``mistakes`` are allowed in the comprehension check. An answer that cannot be read is not consent.
    """
    if not isinstance(annotation, dict):
        return _unread("not an annotation")
    if annotation.get("was_cancelled"):
        return _unread("skipped")
    try:
        consent = single_choice(annotation, "consent", ("agree", "disagree"))
        if consent == "disagree":
            # Whatever else is there, such as a domain that the study no longer has: this is heard.
            return GateAnswer(consent=False, declined=(), wrong=(), passed=False, problem="")
        declined = set(choices_of(annotation, "decline_domains", domains))
        wrong = [
            f"check_{i}"
            for i, item in enumerate(briefing.comprehension, 1)
            if single_choice(annotation, f"check_{i}", _asked(item)) != _right(item)
        ]
    except NotAnAnswer as e:
        return _unread(str(e))
    if consent is None:
        return _unread("neither agreed nor disagreed")
    return GateAnswer(
        consent=True,
        declined=tuple(d for d in domains if d in declined),
        wrong=tuple(wrong),
        passed=len(wrong) <= mistakes,
        problem="",
    )


def _unread(problem: str) -> GateAnswer:
    return GateAnswer(consent=False, declined=(), wrong=(), passed=False, problem=problem)


def _asked(item: KnownSentence | KnownQuestion) -> tuple[str, ...]:
    return VERDICTS if isinstance(item, KnownSentence) else YES_NO


def _right(item: KnownSentence | KnownQuestion) -> str:
    return item.verdict if isinstance(item, KnownSentence) else item.answer


def _keys(briefing: Briefing, domains: Sequence[str]) -> Iterator[str]:
    needed = len(domains) + sum(len(_asked(item)) for item in briefing.comprehension)
    if needed > len(_KEYS):
        raise StudyError(
            f"the gate needs {needed} keys for its choices, and only {len(_KEYS)} are available",
            remedy="use fewer comprehension items (validate.session.comprehension), or fewer domains",
        )
    return iter(_KEYS)
