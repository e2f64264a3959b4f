"""Whole hypotheses that a model proposes: the request, and the reader of the answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from nextset.generation.templates.placeholders import GROUPS, names, render
from nextset.generation.templates.template import Template
from nextset.generation.writers.answer_entries import answer_entries, composed
from nextset.generation.writers.writer_prompts import WriterPrompt
from nextset.letter_case import capitalised, folded
from nextset.scoring.masks.word_pattern import words_in
from nextset.scoring.model_server.completion import Completion
from nextset.scoring.prompts.prompt_placeholders import filled_prompt
from nextset.word_lists.protected_groups import protected_groups

__all__ = ["ProposalStance", "ProposedHypothesis", "proposed_hypotheses", "request_for_hypotheses"]

ProposalStance = Literal["pro", "anti"]

_LONGEST = 300
"""The most characters of a hypothesis or question."""
_REFUSED = re.compile(r"[{}<>\[\]|\\`_#*=~]")
"""Characters of markup, which no sentence needs."""
_ENDS, _ASKS = (".", "!", "。", "।"), ("?", "？", "؟")
_INSIDE = re.compile(r"[.!?。।？؟]\s")
"""The end of a sentence that is followed by another sentence."""
_PRONOUNS = {"en": frozenset({"he", "she", "him", "her", "his", "hers", "himself", "herself"})}
"""Gendered pronouns, in lower case: a swap of the groups would not change them."""


@dataclass(frozen=True)
class ProposedHypothesis:
    """A hypothesis that a writer proposed, with placeholders for the groups."""

    language: str
    """BCP 47 tag of its template."""
    stereotype: str
    """The stereotype's name."""
    stance: ProposalStance
    """The stance that was asked for; for anti, the groups are swapped here."""
    rank: int
    """The place in the answer, from 1, among kept proposals."""
    hypothesis: str
    """The hypothesis, with placeholders; without swapping it states the stereotype."""
    question: str
    """The hypothesis as a yes/no question."""


def request_for_hypotheses(template: Template, wording: WriterPrompt, number: int) -> str:
    """Return the text that asks for ``number`` hypotheses for ``template``."""
    texts = {
        "number": str(number),
        "stereotype": template.stereotype,
        "about": _one_line(template.about) or template.stereotype,
        "source": _one_line(template.source),
        "group1": template.groups[0],
        "group2": template.groups[1],
    }
    return filled_prompt(wording.text, texts)


def proposed_hypotheses(
    template: Template, stance: ProposalStance, completion: Completion, number: int, counts: Counter[str]
) -> list[ProposedHypothesis]:
    """Return the first ``number`` hypotheses in ``completion``, with their questions.

    These entries are dropped, and their reasons are added to ``counts``: entries that are not one sentence
    and one question; hypotheses that do not name a group as the template writes it; hypotheses that name a
    group in another way (by another form, a pronoun, or another word for a group), since a counterpart would
    keep that word; questions with different groups from the hypothesis; and repetitions, also of the
    template's own hypotheses.
    """
    groups = template.groups if stance == "pro" else (template.groups[1], template.groups[0])
    seen = {folded(statement.text, template.language) for statement in template.statements}
    hypotheses: list[ProposedHypothesis] = []
    for entry in answer_entries(completion):
        texts = tuple(_sentences(entry))
        if len(texts) != 2 or not (_is_sentence(texts[0], _ENDS) and _is_sentence(texts[1], _ASKS)):
            counts["proposals that are not a sentence and its question, dropped"] += 1
            continue
        hypothesis, question = (_with_placeholders(text, groups, template) for text in texts)
        if not names(hypothesis):
            counts["hypotheses that name no group as the template does, dropped"] += 1
        elif _other_mention(template, hypothesis) or _other_mention(template, question):
            counts["hypotheses that name a group in another way, dropped"] += 1
        elif names(hypothesis) != names(question):
            counts["hypotheses with different groups in their question, dropped"] += 1
        elif folded(hypothesis, template.language) in seen:
            counts["proposals that repeat another, dropped"] += 1
        elif len(hypotheses) == number:
            counts["proposals beyond the number requested, dropped"] += 1
        else:
            seen.add(folded(hypothesis, template.language))
            rank = len(hypotheses) + 1
            hypotheses.append(
                ProposedHypothesis(template.language, template.stereotype, stance, rank, hypothesis, question)
            )
    return hypotheses


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _sentences(entry: Any) -> Iterator[str]:
    """Yield the texts of an entry: ``a | b``, a list, or an object with hypothesis and question."""
    if isinstance(entry, str):
        entry = entry.split("|")
    elif isinstance(entry, Mapping) and set(entry) == {"hypothesis", "question"}:
        entry = [entry["hypothesis"], entry["question"]]
    for text in entry if isinstance(entry, Sequence) else ():
        yield composed(text.strip(), _LONGEST) if isinstance(text, str) else ""


def _is_sentence(text: str, ends: tuple[str, ...]) -> bool:
    """Return whether ``text`` is one sentence of printable characters with one of ``ends``."""
    return (
        len(text) <= _LONGEST
        and text.endswith(ends)
        and text.isprintable()
        and len(words_in(text)) > 1
        and not _REFUSED.search(text)
        and not _INSIDE.search(text)
    )


def _with_placeholders(text: str, groups: tuple[str, str], template: Template) -> str:
    """Return ``text`` with placeholders for the groups, which rendering turns into the same text again.

    A group is found as the template writes it, and also with a capital at the beginning of the sentence if
    the template's placeholders get one there. It is not found inside a word or before an apostrophe.
    """
    values = dict(zip(GROUPS, groups, strict=True))
    forms = {group: f"{{{{{name}}}}}" for name, group in values.items()}
    if template.capitalise:
        forms |= {capitalised(group, template.language): f"{{{{{name}}}}}" for name, group in values.items()}
    longest = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    placed = re.sub(rf"(?<![\w'’-])(?:{longest})(?![\w'’-])", lambda m: forms[m[0]], text)
    capitalise, language, rules = template.capitalise, template.language, template.sound_rules
    again = render(placed, values, capitalise=capitalise, language=language, rules=rules)
    return placed if again == text else text


def _other_mention(template: Template, text: str) -> bool:
    """Return whether ``text``, apart from its placeholders, names any group, of the template or not."""
    rest = re.sub(r"\{\{GROUP[12]\}\}", " ", text)
    own = {word for group in template.groups for word in words_in(group)}
    pronouns = _PRONOUNS.get(template.language.partition("-")[0].lower(), frozenset())
    if words_in(rest) & (own | pronouns):
        return True
    others = protected_groups(template.language)
    return others is not None and any(map(others.named_by, re.findall(r"[\w'’-]+", rest)))
