"""The check of templates from a filled-in sheet: the pack must have the forms that their slots name."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence

from nextset.generation.pack_sheets.incomplete_pack import IncompletePack, template_names
from nextset.generation.pack_sheets.pack_cells import PackCell
from nextset.generation.slots import (
    GRAMMAR,
    Features,
    Piece,
    Run,
    Slot,
    SlotError,
    features,
    genders,
    parse,
)

__all__ = ["slot_problems"]

_GENDERS = frozenset({"m", "f", "n", "c"})
"""The usual names of genders."""


def slot_problems(
    pack: IncompletePack, cells: Mapping[str, PackCell], taken: Mapping[str, str]
) -> dict[str, str]:
    """Return the problems with templates among the new texts ``taken``, by place.

    A slot may name the features of forms in the pack or in the English example, and grammatical features. All
    texts of a template must have the same genders.
    """
    forms: dict[str, set[str]] = {}
    templates: dict[tuple[str | int, ...], list[PackCell]] = {}
    for cell in cells.values():
        if cell.kind in ("subject", "attribute"):
            forms.setdefault(cell.group, set()).update(_features(cell.form))
        elif cell.kind == "template":
            templates.setdefault((cell.classes[0], *cell.at[:2]), []).append(cell)
    takes = {
        (of_class, section, name): kind
        for of_class, part in pack.templates.items()
        for section, name, kind in template_names(part.model)
    }
    problems: dict[str, str] = {}
    for key, texts in templates.items():
        new = [cell for cell in texts if cell.place in taken]
        if not new:
            continue
        of_class = pack.head.model.classes[str(key[0])]
        subjects = {f for listed in of_class.subjects for f in forms.get(listed, ())}
        kind = takes[str(key[0]), str(key[1]), str(key[2])]
        attributes = {"neg", *forms.get(f"{kind} attributes", ())}
        for cell in new:
            problem = next(
                _unknown(_parsed(taken[cell.place]), _parsed(cell.english), subjects, attributes, kind), ""
            )
            if problem:
                problems[cell.place] = problem
        try:
            genders(_parsed(taken.get(cell.place, cell.text)) for cell in texts)
        except SlotError as e:
            for cell in new:
                if any(isinstance(p, Run) and not p.subject for p in _parsed(taken[cell.place])):
                    problems.setdefault(cell.place, f"{e}; write the same genders in all its texts")
    return problems


def _unknown(
    text: Sequence[Piece], english: Sequence[Piece], subjects: set[str], attributes: set[str], kind: str
) -> Iterator[str]:
    """Yield a problem for each slot or feature that no form of the pack has."""
    act = "l_act" if kind == "place" else "p_act"
    for piece in text:
        if isinstance(piece, Run):
            for gender, _ in piece.values:
                if gender not in _GENDERS | subjects:
                    yield f"[g?{gender}=…]: no form of the pack has {gender!r}; write m and f, as in English"
        elif isinstance(piece, Slot):
            if piece.name in ("p_act", "l_act") and piece.name != act:
                yield f"the template does not take [{piece.name}]; write [{act}]"
            known = attributes if piece.name == act else subjects
            example = {f for p in english if isinstance(p, Slot) for f in p.features or ()}
            for feature in sorted((piece.features or frozenset()) - known - GRAMMAR - example):
                near = difflib.get_close_matches(feature, sorted(known | example), 1, 0.5)
                slot = f"[{piece.name}:{'.'.join(sorted(piece.features or ()))}]"
                yield (
                    f"{slot}: no form of the pack has {feature!r}"
                    + (f"; did you mean {near[0]!r}?" if near else "; see the English example")
                )


def _features(key: str) -> Features:
    try:
        return features(key)
    except SlotError:
        return frozenset()


def _parsed(text: str) -> tuple[Piece, ...]:
    """Return the pieces of a text; none if it is damaged, which is reported separately."""
    try:
        return parse(text)
    except SlotError:
        return ()
