"""The labelling page: the Label Studio configuration that shows an item and takes a judgment."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree.ElementTree import Element, SubElement

from nextset.validation.annotator_pages.briefing import Briefing
from nextset.validation.annotator_pages.label_studio_xml import (
    Option,
    choices,
    finished,
    heading,
    note,
    page,
    plain,
    shown,
    view,
    when,
)
from nextset.validation.judgment_choices import (
    COMMENT_KEY,
    DECLINED,
    QUESTION_BLOCKS,
    QUESTION_KEYS,
    QUESTION_REASONS,
    REASON_KEYS,
    REASONS,
    STANCE_KEYS,
    STANCES,
    VERDICT_KEYS,
    VERDICTS,
    YES_NO,
)
from nextset.validation.judgments.unsafe_text import MAX_CHARACTERS

__all__ = ["labelling_config"]


def labelling_config(briefing: Briefing, *, premise: bool = False, votes: bool = False) -> str:
    """Return the labelling configuration as XML.

    Its fields are those of `nextset.validation.annotator_pages.tasks.task`. With ``premise`` it also shows
    the field of that name, with ``votes`` the earlier judgments, for adjudication. Texts come from the task's
    data, which Label Studio shows as plain text, never as HTML.
    """
    pages: dict[str, Callable[[Briefing, Element, bool, bool], None]] = {
        "nli": _sentence,
        "question": _question,
    }
    root = page(briefing.wording, briefing.kind)
    pages[briefing.kind](briefing, root, premise, votes)
    _rest_of_page(briefing, root)
    return finished(root)


def _sentence(briefing: Briefing, root: Element, premise: bool, votes: bool) -> None:
    words = briefing.wording
    _about(briefing, root, words.headings.stereotype)
    if premise:
        shown(root, "premise", words.headings.premise, "premise")
    shown(_item(briefing, root, votes), "hypothesis", name="sentence")
    heading(root, words.headings.verdict)
    verdicts = [Option.of(v, VERDICT_KEYS[v], getattr(words.choices, v)) for v in (*VERDICTS, DECLINED)]
    choices(view(root, "first"), "verdict", "hypothesis", verdicts, required=words.required)
    more = view(root, "more")
    valid = when(more, "then", "verdict", "valid")
    heading(valid, words.headings.stance)
    stances = [Option.of(s, STANCE_KEYS[s], getattr(words.choices, s)) for s in STANCES]
    choices(valid, "stance", "hypothesis", stances, required=words.required)
    wrong = when(more, "then", "verdict", "invalid", "incoherent")
    _reasons(wrong, briefing, "hypothesis")


def _question(briefing: Briefing, root: Element, premise: bool, votes: bool) -> None:
    words = briefing.wording
    _about(briefing, root, words.headings.attribute)
    item = _item(briefing, root, votes)
    shown(item, "context", name="sentence")
    both = view(item, "questions")
    shown(both, "question", words.headings.question)
    shown(both, "question_negated", words.headings.question_negated)
    for block in QUESTION_BLOCKS:
        ask = getattr(words.questions, block)
        first = block == QUESTION_BLOCKS[0]
        place = view(root, "first") if first else when(root, "ask", QUESTION_BLOCKS[0], *YES_NO)
        heading(place, ask.ask)
        options = [Option.of(answer, QUESTION_KEYS[block][answer], getattr(ask, answer)) for answer in YES_NO]
        if first:
            options.append(Option.of(DECLINED, QUESTION_KEYS[block][DECLINED], words.choices.declined))
        choices(place, block, "context", options, required=words.required)
    _reasons(when(root, "then", QUESTION_BLOCKS[0], *YES_NO), briefing, "context")


def _item(briefing: Briefing, root: Element, votes: bool) -> Element:
    """Add the place of the item: the full width of the page, or with ``votes`` the part next to them."""
    if not votes:
        return root
    both = view(root, "beside")
    item = view(both, "item")
    shown(both, "votes", briefing.wording.headings.votes, "votes")
    return item


def _about(briefing: Briefing, root: Element, stereotype: str) -> None:
    """Add the stereotype, groups and domain of the item, in small letters."""
    heads = briefing.wording.headings
    about = view(root, "about")
    shown(about, "stereotype", stereotype, "fact")
    groups = view(about, "fact")
    heading(groups, heads.groups)
    # Each group is a separate block: a direction mark in one does not affect the other.
    shown(groups, "group1", name="group")
    shown(groups, "group2", name="group")
    shown(about, "domain", heads.domain, "fact")


def _reasons(parent: Element, briefing: Briefing, of: str) -> None:
    words = briefing.wording
    heading(parent, words.headings.reason)
    names, labels = (
        (REASONS, words.reasons) if briefing.kind == "nli" else (QUESTION_REASONS, words.questions.reasons)
    )
    small = view(parent, "small")
    choices(
        small,
        "reason",
        of,
        [Option(n, k, getattr(labels, n)) for n, k in zip(names, REASON_KEYS, strict=False)],
    )


def _rest_of_page(briefing: Briefing, root: Element) -> None:
    heads = briefing.wording.headings
    foot = view(root, "foot")
    comment = view(foot, "comment")
    # In Label Studio a text field has no key but a filter has one: it comes before the field, and Tab goes
    # there.
    first = "verdict" if briefing.kind == "nli" else QUESTION_BLOCKS[0]
    SubElement(
        view(comment, "jump"),
        "Filter",
        name="jump",
        toName=first,
        hotkey=COMMENT_KEY,
        minlength=str(MAX_CHARACTERS),
        placeholder="Tab ⇥",
    )
    SubElement(
        comment,
        "TextArea",
        name="comment",
        toName="hypothesis" if briefing.kind == "nli" else "context",
        rows="1",
        maxSubmissions="1",
        showSubmitButton="false",
        placeholder=plain(heads.comment),
    )
    note(comment, "keys", heads.comment_keys)
    note(foot, "support", f"{heads.support} {briefing.support}")
    note(foot, "submit", heads.submit)
