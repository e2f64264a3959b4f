"""The groups that a template names: clusters, names of people, and patterns of crossed groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nextset.errors import examples
from nextset.generation.questions.pack_choices.choice_schema import ChoiceTemplate, NeutralTemplate
from nextset.generation.questions.pack_text_check import Place
from nextset.generation.questions.question_set import Subject

__all__ = ["NamedGroups", "named_groups"]


@dataclass(frozen=True)
class NamedGroups:
    """The people whom a template compares."""

    target: tuple[str, ...]
    """The groups that the stereotype is about; empty for a control."""
    targets: tuple[str, ...]
    """The names of the people in them."""
    against: tuple[str, ...]
    """The names of the people with whom they are compared."""
    along: frozenset[frozenset[int]]
    """The sets of parts of crossed groups in which two people differ; empty for any."""


def named_groups(
    template: ChoiceTemplate | NeutralTemplate,
    people: Sequence[Subject],
    crossed: Sequence[str],
    place: Place,
) -> NamedGroups:
    """Return the groups of ``template``; raises WordListError for one that ``people`` do not have."""
    if isinstance(template, NeutralTemplate):
        return NamedGroups((), (), (), frozenset())
    targets = _members(template.target, people, place.inside("target"))
    others = tuple(s.name for s in people if s.name not in targets)
    against = _members(template.against, people, place.inside("against")) if template.against else others
    both = [name for name in targets if name in against]
    if both:
        raise place.inside("against").error(
            f"{both[0]!r} is in target and in against", "name each group in one of the two"
        )
    if not against:
        raise place.inside("target").error(
            "everyone in the lists is in the target", "name the groups that the stereotype is about"
        )
    return NamedGroups(template.target, targets, against, _along(template.along, crossed, place))


def _members(groups: Sequence[str], people: Sequence[Subject], place: Place) -> tuple[str, ...]:
    """Return the names of the ``people`` in ``groups``, in the order of the lists."""
    named: set[str] = set()
    for group in groups:
        members = [s.name for s in people if _is_of(s, group)]
        if not members:
            known = examples(dict.fromkeys(s.cluster for s in people), 12)
            raise place.error(f"no one in the lists is of the group {group!r}", f"use one of {known}")
        named.update(members)
    return tuple(s.name for s in people if s.name in named)


def _is_of(subject: Subject, group: str) -> bool:
    """Return whether ``group`` is the subject's cluster, its name, or a pattern of its crossed group."""
    if group in (subject.cluster, subject.name):
        return True
    wanted, parts = group.split("/"), subject.cluster.split("/")
    return len(wanted) == len(parts) > 1 and all(
        w in ("*", part) for w, part in zip(wanted, parts, strict=True)
    )


def _along(along: Sequence[str], crossed: Sequence[str], place: Place) -> frozenset[frozenset[int]]:
    wanted = set()
    for written in along:
        names = written.split("+")
        for name in names:
            if name not in crossed or names.count(name) > 1:
                known = examples(crossed, 12) if crossed else "none, since groups.crossed is missing"
                raise place.inside("along").error(
                    f"{written!r} is not a crossed attribute, nor several with +", f"use {known}"
                )
        wanted.add(frozenset(crossed.index(name) for name in names))
    return frozenset(wanted)
