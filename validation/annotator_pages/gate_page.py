"""The gate: warning, guidelines, consent and comprehension check; the page for a second try; the answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from xml.etree.ElementTree import Element

from nextset.errors import StudyError
from nextset.validation.annotator_pages.briefing import Briefing
from nextset.validation.annotator_pages.guideline_parts import Topic
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
from nextset.validation.annotator_pages.page_form import KnownItem, KnownItems
from nextset.validation.annotator_pages.page_wording import (
    Ask,
    KnownChoice,
    KnownQuestion,
    KnownSentence,
    Wording,
)
from nextset.validation.judgment_choices import STANCES, VERDICTS, YES_NO
from nextset.validation.judgments.annotation import choices_of, single_choice
from nextset.validation.judgments.answer import NotAnAnswer
from nextset.validation.judgments.unsafe_text import check_texts

__all__ = ["GateAnswer", "GatePage", "gate_config", "gate_task", "read_gate"]

GatePage = Literal["gate", "retry"]
"""The pages. gate: everyone answers it first. retry: the second try, after too many mistakes."""

_KEYS = "123456789qwertasdfgzcvbhjklopinm"
"""The keys for comprehension items and domains, in this order; Label Studio itself uses u."""
_AGREE, _DISAGREE = "y", "x"


@dataclass(frozen=True, slots=True)
class GateAnswer:
    """A person's answer on a page of the gate."""

    consent: bool
    """True if the person agrees."""
    declined: tuple[str, ...]
    """The domains that the person does not want to read about; the page for the second try does not ask."""
    wrong: tuple[str, ...]
    """The comprehension items without a right answer: check_1, and so on; stance_1 if only the stance is
    wrong."""
    passed: bool
    """True if the person agrees and made no more mistakes than allowed."""
    problem: str
    """The reason why the answer cannot be read; empty if it can."""


def gate_config(briefing: Briefing, domains: Sequence[str], at: GatePage = "gate") -> str:
    """Return the labelling configuration, as XML, of a page of the gate; the study has items of ``domains``.

    Raises StudyError if there are more choices than keys.
    """
    words, items = briefing.wording, _items(briefing, at)
    topics = domains if at == "gate" else ()
    keys, stances_too = _keys(items, topics)
    root = page(words, "gate")
    if at == "gate":
        shown(root, "warning", f"⚠ {words.gate.warning}", "warning")
    else:
        note(root, "again", words.gate.again)
    shown(root, "guidelines", name="guidelines", html=True)
    shown(root, "agreement", words.gate.agreement, "agreement")
    heading(root, words.gate.consent)
    agree = Option.of("agree", _AGREE, words.gate.agree)
    disagree = Option.of("disagree", _DISAGREE, words.gate.disagree)
    choices(root, "consent", "guidelines", [agree, disagree], required=words.gate.required)
    # Annotators who disagree are asked nothing more: a block is required only while it is shown.
    more = when(root, "then", "consent", "agree")
    heading(more, words.gate.check)
    for i, item in enumerate(items, 1):
        card = view(more, "check")
        if isinstance(item, KnownSentence):
            _sentence(briefing, card, i, item, keys, stances_too)
        else:
            _question(briefing, card, i, item, keys)
    if topics:
        heading(more, words.gate.domains)
        note(more, "hint", words.gate.domains_hint)
        ticks = [Option(d, next(keys), d) for d in topics]
        choices(view(more, "small"), "decline_domains", "guidelines", ticks, multiple=True)
    note(root, "submit", words.headings.submit)
    return finished(root)


def _sentence(
    briefing: Briefing, card: Element, i: int, item: KnownSentence, keys: Iterator[str], stances_too: bool
) -> None:
    words = briefing.wording
    shown(card, f"stereotype_{i}", words.headings.stereotype)
    shown(card, f"opposite_{i}", words.headings.opposite)
    shown(card, f"text_{i}", words.headings.sentence)
    verdicts = [Option(v, next(keys), getattr(words.choices, v).label) for v in VERDICTS]
    choices(view(card, "small"), f"check_{i}", "guidelines", verdicts, required=words.gate.required)
    valid = when(card, "stance", f"check_{i}", "valid")
    heading(valid, words.headings.stance)
    stances = [Option(s, next(keys) if stances_too else "", getattr(words.choices, s).label) for s in STANCES]
    choices(view(valid, "small"), f"stance_{i}", "guidelines", stances, required=words.gate.required)


def _question(
    briefing: Briefing, card: Element, i: int, item: KnownQuestion | KnownChoice, keys: Iterator[str]
) -> None:
    words = briefing.wording
    shown(card, f"context_{i}", words.headings.context)
    shown(card, f"question_{i}", words.headings.question)
    asked, ask = _asked(words, item)
    if isinstance(item, KnownChoice):
        shown(card, f"marked_{i}", words.choice_items.right)
    heading(card, asked)
    options = [Option(answer, next(keys), getattr(ask, answer).label) for answer in YES_NO]
    choices(view(card, "small"), f"check_{i}", "guidelines", options, required=words.gate.required)


def _asked(words: Wording, item: KnownQuestion | KnownChoice) -> tuple[str, Ask]:
    """Return the question about an item, and the labels of its answers yes and no."""
    if isinstance(item, KnownChoice):
        return words.choice_items.verdict, words.choice_items.known
    ask: Ask = getattr(words.questions, item.asks)
    return ask.ask, ask


def gate_task(briefing: Briefing, missed: Sequence[str] | None = None) -> dict[str, str]:
    """Return the data of the only task of the gate, without the correct answers.

    With ``missed``, items as in `GateAnswer.wrong`, return the data of the second try, with the passages of
    the guidelines about these items. Raises JudgmentError if a text cannot be shown.
    """
    texts: dict[str, str] = {"agreement": briefing.consent.strip()}
    if missed is None:
        texts["warning"] = briefing.warning.strip()
    for i, item in enumerate(_items(briefing, "gate" if missed is None else "retry"), 1):
        if isinstance(item, KnownSentence):
            opposite = item.opposite or briefing.wording.choices.anti.hint
            texts |= {f"stereotype_{i}": item.stereotype, f"opposite_{i}": opposite, f"text_{i}": item.text}
        else:
            texts |= {f"context_{i}": item.context, f"question_{i}": item.question}
            if isinstance(item, KnownChoice):
                texts[f"marked_{i}"] = item.marked
    unit_id = "gate" if missed is None else "retry"
    check_texts([{"unit_id": unit_id, **texts}])
    about = briefing.without_quotations if missed is None else _passages(briefing, missed)
    return {"unit_id": unit_id, "guidelines": html_of(about, headed_cells=True), **texts}


def _passages(briefing: Briefing, missed: Iterable[str]) -> str:
    """Return the passages of the guidelines about ``missed`` items."""
    topics: set[Topic] = set()
    for name in missed:
        block, _, number = name.rpartition("_")
        if not number.isdecimal() or not 0 < int(number) <= len(briefing.comprehension):
            continue
        item = briefing.comprehension[int(number) - 1]
        if isinstance(item, KnownQuestion):
            topics.add(item.asks)
        else:
            topics.add("stance" if block == "stance" else "verdict")
    return briefing.passage(topics)


def read_gate(
    annotation: object, briefing: Briefing, domains: Sequence[str], mistakes: int, at: GatePage = "gate"
) -> GateAnswer:
    """Return the answer in an annotation of a page of the gate; accepts any JSON and never raises.

    ``mistakes`` are allowed in the comprehension check. An answer that cannot be read is not consent.
    """
    if not isinstance(annotation, dict):
        return _unread("not an annotation")
    if annotation.get("was_cancelled"):
        return _unread("skipped")
    try:
        consent = single_choice(annotation, "consent", ("agree", "disagree"))
        if consent == "disagree":
            # This counts regardless of the other answers, such as a domain that the study no longer has.
            return GateAnswer(consent=False, declined=(), wrong=(), passed=False, problem="")
        declined = set(choices_of(annotation, "decline_domains", domains)) if at == "gate" else set()
        missed = [_missed(annotation, i, item) for i, item in enumerate(_items(briefing, at), 1)]
    except NotAnAnswer as e:
        return _unread(str(e))
    if consent is None:
        return _unread("neither agreed nor disagreed")
    wrong = tuple(filter(None, missed))
    return GateAnswer(
        consent=True,
        declined=tuple(d for d in domains if d in declined),
        wrong=wrong,
        passed=len(wrong) <= mistakes,
        problem="",
    )


def _missed(annotation: Mapping[str, Any], i: int, item: KnownItem) -> str:
    """Return the name of the block of an item that was answered incorrectly; empty if there is none."""
    if isinstance(item, KnownQuestion | KnownChoice):
        return "" if single_choice(annotation, f"check_{i}", YES_NO) == item.answer else f"check_{i}"
    if single_choice(annotation, f"check_{i}", VERDICTS) != item.verdict:
        return f"check_{i}"
    if item.stance is None or single_choice(annotation, f"stance_{i}", STANCES) == item.stance:
        return ""
    return f"stance_{i}"


def _unread(problem: str) -> GateAnswer:
    return GateAnswer(consent=False, declined=(), wrong=(), passed=False, problem=problem)


def _items(briefing: Briefing, at: GatePage) -> KnownItems:
    return briefing.comprehension if at == "gate" else briefing.again


def _keys(items: KnownItems, domains: Sequence[str]) -> tuple[Iterator[str], bool]:
    """Return the keys in the order of the page, and whether they are enough for the stances too."""
    needed = len(domains)
    needed += sum(len(VERDICTS if isinstance(item, KnownSentence) else YES_NO) for item in items)
    stances = len(STANCES) * sum(isinstance(item, KnownSentence) for item in items)
    if needed > len(_KEYS):
        raise StudyError(
            f"the gate needs {needed} keys for its choices, but only {len(_KEYS)} are available",
            remedy="use fewer comprehension items (validate.session.comprehension), or fewer domains",
        )
    return iter(_KEYS), needed + stances <= len(_KEYS)
