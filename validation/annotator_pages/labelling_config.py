"""The labelling page: the Label Studio configuration that shows an item and takes a judgment."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from nextset.validation.annotator_pages.briefing import Briefing
from nextset.validation.annotator_pages.label_studio_xml import (
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
from nextset.validation.annotator_pages.page_form import ChoiceBlock, PageForm
from nextset.validation.annotator_pages.page_wording import Wording
from nextset.validation.judgment_choices import COMMENT_KEY
from nextset.validation.judgments.unsafe_text import MAX_CHARACTERS

__all__ = ["labelling_config"]


def labelling_config(
    briefing: Briefing, *, premise: bool = False, votes: bool = False, sentences: bool = False
) -> str:
    """Return the labelling configuration as XML.

    Its fields are those of `nextset.validation.annotator_pages.tasks.task`. With ``premise`` it also shows
    the field of that name, with ``votes`` the earlier judgments, for adjudication. With ``sentences``, the
    stereotype and its opposite are shown as sentences, without the stereotype's name. Texts come from the
    task's data, which Label Studio shows as plain text, never as HTML.
    """
    form, words = briefing.form, briefing.wording
    root = page(words, form.kind)
    if "stereotype" in form.fields(premise=premise):
        _about(briefing, root, sentences)
    form.add_before_item(root, words.headings, premise=premise)
    form.add_item(_item(briefing, root, votes), words)
    first, *others = form.blocks(words)
    _add_block(root, first, form, words)
    place = view(root, form.follow_ups) if form.follow_ups else root
    for block in others:
        _add_block(place, block, form, words)
    _rest_of_page(briefing, root)
    return finished(root)


def _add_block(parent: Element, block: ChoiceBlock, form: PageForm, words: Wording) -> None:
    """Add a block of choices to ``parent``; the reasons are in small letters, and need no answer."""
    judged_text = form.judged_texts[0]
    if not block.heading_inside:
        heading(parent, block.ask)
    place = when(parent, block.place, block.after, *block.when) if block.after else view(parent, block.place)
    if block.heading_inside:
        heading(place, block.ask)
    if block.name == "reason":
        choices(view(place, "small"), block.name, judged_text, block.options)
    else:
        choices(place, block.name, judged_text, block.options, required=words.required)


def _item(briefing: Briefing, root: Element, votes: bool) -> Element:
    """Add the place of the item: the full width of the page, or with ``votes`` the part next to them."""
    if not votes:
        return root
    both = view(root, "beside")
    item = view(both, "item")
    shown(both, "votes", briefing.wording.headings.votes, "votes")
    return item


def _about(briefing: Briefing, root: Element, sentences: bool) -> None:
    """Add the stereotype (as a name, or it and its opposite as sentences), groups and domain of the item."""
    heads = briefing.wording.headings
    if sentences:
        directions = view(root, "directions")
        shown(directions, "pro_sentence", heads.stereotype, "fact")
        shown(directions, "anti_sentence", heads.opposite, "fact")
    about = view(root, "about")
    if not sentences:
        shown(about, "stereotype", briefing.form.about_heading(heads), "fact")
    groups = view(about, "fact")
    heading(groups, heads.groups)
    # Each group is a separate block: a direction mark in one does not affect the other.
    shown(groups, "group1", name="group")
    shown(groups, "group2", name="group")
    shown(about, "domain", heads.domain, "fact")


def _rest_of_page(briefing: Briefing, root: Element) -> None:
    heads = briefing.wording.headings
    foot = view(root, "foot")
    comment = view(foot, "comment")
    # In Label Studio a text field has no key but a filter has one: it comes before the field, and Tab goes
    # there.
    SubElement(
        view(comment, "jump"),
        "Filter",
        name="jump",
        toName=briefing.form.answer_blocks[0],
        hotkey=COMMENT_KEY,
        minlength=str(MAX_CHARACTERS),
        placeholder="Tab ⇥",
    )
    SubElement(
        comment,
        "TextArea",
        name="comment",
        toName=briefing.form.judged_texts[0],
        rows="1",
        maxSubmissions="1",
        showSubmitButton="false",
        placeholder=plain(heads.comment),
    )
    note(comment, "keys", heads.comment_keys)
    note(foot, "support", f"{heads.support} {briefing.support}")
    note(foot, "submit", heads.submit)
