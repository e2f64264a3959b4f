"""The annotators' texts: wording, guidelines, warning, consent, support and comprehension items."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import StudyError
from nextset.files.yaml_model import read_model
from nextset.files.yaml_reader import read_text
from nextset.records.content_ids import content_id
from nextset.study.validation_settings import SessionSettings
from nextset.validation.annotator_pages.guideline_parts import Topic, passage, without_quotations
from nextset.validation.annotator_pages.guideline_routes import (
    Route,
    answer_values,
    lines_for,
    without_marks,
)
from nextset.validation.annotator_pages.page_form import KnownItems, PageForm
from nextset.validation.annotator_pages.page_wording import Wording, load_wording, wording_file
from nextset.validation.judgments.unsafe_text import text_problem

__all__ = ["Briefing", "briefing"]

_NEEDED = ("warning", "consent", "support")
_PLACE = re.compile(r"\{\{([^{}\n]*)(\}\}|)")


@dataclass(frozen=True)
class Briefing:
    """The texts that annotators see, from which the pages are made."""

    form: PageForm
    """The form of the units that are judged."""
    wording: Wording
    """The texts of the page."""
    warning: str
    """The content warning: the study's own, or else the one of the wording."""
    consent: str
    """The text that people agree to."""
    support: str
    """The contact for people who need support."""
    guidelines: str
    """The guidelines of one route, in Markdown, with warning, consent, support and keys filled in."""
    comprehension: KnownItems
    """The items of the comprehension check."""
    again: KnownItems
    """The items of the second try."""
    template: str
    """The guidelines with their placeholders."""
    values: Mapping[str, str]
    """The text for each placeholder."""

    @property
    def version(self) -> str:
        """The first 12 hex digits of a hash over all texts that people judge by."""
        known = [item.model_dump_json() for item in (*self.comprehension, *self.again)]
        texts = (self.form.kind, self.warning, self.consent, self.support, self.guidelines)
        # no one judges by these
        unread = {"judging", "pages", *(() if self.form.reads_choices else ("choice_items",))}
        wording = self.wording.model_dump_json(exclude=unread)
        return content_id("guidelines", *texts, wording, *known)[:12]

    @property
    def without_quotations(self) -> str:
        """The guidelines without the quotations of warning and consent, which the gate shows separately."""
        return _filled(without_quotations(self.template), self.values)

    def passage(self, topics: Collection[Topic]) -> str:
        """Return the part of the guidelines about ``topics``, for a second try; all if there are none."""
        return _filled(passage(self.template, topics), self.values)

    @property
    def unchecked(self) -> bool:
        """True if no native speaker has checked the wording."""
        return self.wording.checked_by is None


def briefing(
    form: PageForm,
    language: str,
    session: SessionSettings | None,
    place: Callable[[str], Path],
    route: Route = "session",
) -> Briefing:
    """Return the texts for annotators of items in ``language``; ``place`` resolves paths of study.yaml.

    The guidelines are those of ``route``. Raises StudyError, naming the file, if wording, guidelines or
    comprehension items are missing or wrong.
    """
    own = place(session.wording) if session and session.wording else None
    if own is not None and not own.is_dir():
        raise StudyError(
            "validate.session.wording does not name a folder",
            file=own,
            remedy="create it, or correct the path",
        )
    wording = load_wording(language, own)
    consent = session.consent if session else wording.without_session.consent
    support = session.support if session else wording.without_session.support
    warning = (session.warning if session else "") or wording.warning
    for name, text in (("consent", consent), ("support", support), ("warning", warning)):
        if wrong := text_problem(text):
            raise StudyError(f"validate.session.{name} {wrong}", file=place("study.yaml"), remedy="remove it")
    # one line, for a quotation in Markdown; no-break spaces, which French has before a colon, are kept
    texts = {
        "warning": re.sub(r"[ \t\r\n]+", " ", warning).strip(" "),
        "consent": consent,
        "support": support,
        "skip": wording.judging.skip if route == "session" else "Skip",  # Label Studio's own button
    }
    path = wording_file(language, form.guidelines, own)
    own_items = place(session.comprehension) if session and session.comprehension else None
    known, again = _comprehension(form, wording, own_items)
    _check_mistakes(min(known, again, key=len), session, place)
    values = {**texts, **answer_values(route)}
    template = _template(path, values, route, pairs=form.pairs)
    return Briefing(
        form=form,
        wording=wording,
        warning=warning,
        consent=consent,
        support=support,
        guidelines=_filled(template, values),
        comprehension=known,
        again=again,
        template=template,
        values=values,
    )


def _template(path: Path, values: Mapping[str, str], route: Route, *, pairs: bool) -> str:
    """Return the guidelines in ``path`` with the lines of ``route``, checked, with their placeholders."""
    written = read_text(path, StudyError)
    text = without_marks(written)
    for match in _PLACE.finditer(text):
        if match[1] not in values or not match[2]:
            line = text[: match.start()].count("\n") + 1
            shown = repr(match[0][:40])
            raise StudyError(
                f"unknown placeholder {shown}" if match[2] else f"{shown} is not closed by }}}}",
                file=path,
                line=line,
                remedy=f"use one of these: {', '.join(values)}",
            )
    text = lines_for(route, written, pairs=pairs)
    for name in _NEEDED:
        if f"{{{{{name}}}}}" not in text:
            raise StudyError(
                f"the guidelines do not contain {{{{{name}}}}}",
                file=path,
                remedy="add it where the guidelines should show it",
            )
    return text


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda match: values[match[1]], text)


def _comprehension(form: PageForm, wording: Wording, path: Path | None) -> tuple[KnownItems, KnownItems]:
    """Return the items for the first and the second try: the study's own, or those of the wording.

    The study's file is YAML with lists under ``items`` and ``again``; without ``again``, the second try has
    the same items.
    """
    if path is None:
        return form.known_items(wording)
    written, located = read_model(path, form.own_items, StudyError)
    items: KnownItems = written.items
    again: KnownItems = written.again
    for key, i, item in (
        (key, i, item) for key, known in (("items", items), ("again", again)) for i, item in enumerate(known)
    ):
        for name, text in item.model_dump().items():
            if isinstance(text, str) and (wrong := text_problem(text)):
                raise StudyError(
                    f"{key}.{i}.{name} {wrong} ({text[:40]!a})",
                    file=path,
                    line=located.line((key, i, name)),
                    remedy="remove it",
                )
    return written.items, written.again or written.items


def _check_mistakes(
    known: Sequence[object], session: SessionSettings | None, place: Callable[[str], Path]
) -> None:
    if session and session.mistakes >= len(known):
        raise StudyError(
            f"validate.session.mistakes ({session.mistakes}) is not less than the number of comprehension "
            f"items ({len(known)}), so every annotator passes",
            file=place("study.yaml"),
            remedy=f"set it to at most {len(known) - 1}",
        )
