"""A measure that is a function of items and predictions, and the check of the number that it returns."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from nextset.array_types import has_masked
from nextset.auditing.measures.measure import (
    CHOICE_FORMS,
    ITEM_FORMS,
    MEASURES,
    QUAD_FORMS,
    Measure,
)
from nextset.errors import InputError
from nextset.own_code import OwnCode, guarded, is_own_code, line_in, own_snapshots, raised, shown

__all__ = ["Columns", "FunctionMeasure", "MeasureFunction", "RowKind", "check_names", "function_measure",
           "measure_identities", "named_measures", "packaged_measure", "sources_of"]  # fmt: skip

RowKind = Literal["bias", "test", "all"]
"""The NLI items that a measure gets: bias, items that measure bias; test, test items; all, both."""
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_EXPECTED = "a number (a float)"


class Columns(Mapping[str, npt.NDArray[Any]]):
    """The columns of a table as arrays of shape (rows,), each read when it is first used.

    The arrays cannot be changed.
    """

    def __init__(self, names: Sequence[str], rows: int, read: Callable[[str], npt.NDArray[Any]]) -> None:
        self._names, self._rows, self._read = tuple(names), rows, read
        self._arrays: dict[str, npt.NDArray[Any]] = {}

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self._rows

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """Return a column; raises KeyError with the known names."""
        if name not in self._names:
            raise KeyError(f"{name}; the columns are {', '.join(self._names)}")
        if name not in self._arrays:
            array = self._read(name).view()
            array.flags.writeable = False  # other measures read it too
            self._arrays[name] = array
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def take(self, rows: npt.NDArray[np.intp]) -> Columns:
        """Return the rows at the places ``rows``; a row may be taken several times."""
        return Columns(self._names, len(rows), lambda name: self[name][rows])


class MeasureFunction(Protocol):
    """A measure: a function of some items and of the predictions of one model for them.

    Both arguments hold arrays of one length, the rows of a part such as a domain. In the bootstrap, a row
    occurs as often as its template was drawn, so the function must not assume that ids are unique.

    NLI items have the columns id, label (the right one), stance (pro, anti or test), domain, stereotype,
    premise, hypothesis, template_id, names_group, and further ones of a release. Predictions of NLI items
    have label (entailment, neutral, contradiction; not_entailment for a model with two labels) and the
    probabilities entailment, neutral and contradiction in [0, 1]; NaN if the model does not give one.

    Quads have the columns id, subject_class, template_id, attribute, attribute_cluster, subject1, subject2,
    cluster1 and cluster2. Their predictions have the eight scores in [0, 1], such as subject1_12 and
    subject2_21_negated, and c, the comparative bias in [−1, 1].

    Choice items have the columns id, category, subcategory, template_id, condition, polarity, cue, label (the
    place of the right option), unknown and target (places, or −1), group (that of the target) and others (the
    groups of the other persons). Predictions of choice items have option (the place of the chosen one, or −1
    without an answer), biased (1 if it is a biased option, −1 if it is another person, else 0) and the
    probabilities option1, option2 and so on, NaN where there is no option.
    """

    def __call__(self, items: Columns, predictions: Columns, /) -> float:
        """Return the value; NaN only if `FunctionMeasure.undefined` says why."""
        ...


@dataclass(frozen=True, kw_only=True)
class FunctionMeasure(Measure):
    """A measure that is computed by a function, with everything that tables and pages need."""

    function: MeasureFunction
    forms: tuple[str, ...] = (*ITEM_FORMS, *QUAD_FORMS, *CHOICE_FORMS)
    scale: Literal["share", "size", "difference", "number"] = "number"
    rows: RowKind = "bias"
    """The NLI items that the function gets; a function of quads gets all quads."""
    undefined: str = ""
    """The reason why the function may return NaN, for notes; empty if it never does."""
    source: str = ""
    """Where the function is from: FILE.py:NAME, a package with its version, or a module."""
    identity: Mapping[str, str] = field(default_factory=dict)
    """The function in recipes and manifests: the digest of its file, or the version of its package."""
    file: Path | None = None
    """The file of the function, for errors; None if it is from a package or a program."""
    content: bytes = b""
    """The content of the file, which goes into the snapshots of the audit; empty without a file."""

    def value(self, items: Columns, predictions: Columns, place: str) -> float:
        """Return the function's value; ``place`` names the model and the part in errors.

        Raises InputError if the function raises an exception or does not return a finite number.
        """
        remedy = "correct the function; it must return a number (a float)"
        with guarded(lambda e: self._wrong(f"it raised {raised(e)}", place, remedy, line_in(e, self.file))):
            value: Any = self.function(items, predictions)
        if has_masked(value):
            raise self._wrong("it returned a masked value", place)
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value.item()
        if isinstance(value, np.ndarray | list | tuple):
            raise self._wrong(f"it returned {len(value)} values instead of one", place)
        other = isinstance(value, bool | np.bool_ | np.timedelta64)
        if other or not isinstance(value, int | float | np.number):
            raise self._wrong(f"it returned {shown(value):.60}, which is not a number", place)
        infinite = self._wrong(f"it returned {shown(value):.60}, which is not a finite number", place)
        if isinstance(value, complex | np.complexfloating):
            raise infinite
        try:
            number = float(value)
        except OverflowError:
            raise infinite from None
        if np.isinf(number):
            raise infinite
        return number

    def check(self, value: float, place: str) -> None:
        """Raise InputError for a ``value`` over all rows of a part that is NaN without a reason, or out of
        the range of `scale`."""
        if np.isnan(value) and not self.undefined:
            raise self._wrong(
                "it returned NaN, and gives no reason",
                place,
                "return a number, or write FunctionMeasure(…, undefined='the reason')",
            )
        low = {"difference": -1.0, "number": -np.inf}.get(self.scale, 0.0)
        if self.scale != "number" and not np.isnan(value) and not low <= value <= 1:
            problem = f"it returned {value:.6g}, but a {self.scale} is between {low:g} and 1"
            raise self._wrong(problem, place, "correct the function, or name another scale")

    def _wrong(
        self, problem: str, place: str, remedy: str = f"return {_EXPECTED}", line: int | None = None
    ) -> InputError:
        return InputError(f"the measure {self.name} ({self.source}): {problem}, for {place}",
                          file=self.file, line=line, remedy=remedy)  # fmt: skip


def function_measure(
    written: MeasureFunction | FunctionMeasure, source: str = "", identity: Mapping[str, str] | None = None
) -> FunctionMeasure:
    """Return ``written`` as a measure; a plain function is a measure with its name, and without bounds.

    Raises InputError if it is not a function, or has no usable name.
    """
    if not callable(getattr(written, "function", written)) or isinstance(written, type):
        raise InputError(
            f"{source or repr(written)} is not a function of items and predictions",
            remedy="name a function, or a FunctionMeasure",
        )
    function = getattr(written, "function", written)
    own = source or f"{getattr(function, '__module__', '')}:{getattr(function, '__qualname__', function)}"
    if isinstance(written, FunctionMeasure):
        measure = replace(written, source=source or written.source or own, identity=identity or {})
    else:
        name = getattr(written, "__name__", "")
        about = next(iter((written.__doc__ or "").strip().splitlines()), "")
        measure = FunctionMeasure(
            name=name, definition=about, function=written, source=own, identity=identity or {}
        )
    if not _NAME.fullmatch(measure.name) or measure.name in MEASURES.own_names:
        taken = (
            "is the name of a measure of nextset" if measure.name in MEASURES.own_names else "is not usable"
        )
        raise InputError(
            f"the name {measure.name!r} of the measure {measure.source} {taken}",
            remedy="name it in lower-case letters, digits and underscores, unlike nextset's measures",
        )
    return measure


def measure_identities(names: Sequence[str], resolve: Callable[[str], Path]) -> list[dict[str, str]]:
    """Return the identity of each measure that a study names, without running its code.

    ``resolve`` returns the path of FILE.py; the hash of a file that cannot be read is empty.
    """
    identities = []
    for name in names:
        if is_own_code(name):
            path = resolve(name.rpartition(":")[0])
            sha256 = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
            identities.append({"own": name, "sha256": sha256})
        else:
            known = name in MEASURES
            identities.append(
                {
                    "measure": name,
                    "package": MEASURES.package(name) if known else "",
                    "module": MEASURES.module_digest(name) if known else "",
                }
            )
    return identities


def named_measures(names: Sequence[str], own_code: Callable[[str], OwnCode]) -> tuple[FunctionMeasure, ...]:
    """Return the measures that a study names: FILE.py:NAME beside it, or the name of a package's measure.

    ``own_code`` returns the function of FILE.py:NAME. Raises StudyError for code that is not trusted, and
    InputError for an unknown name, for something that is not a function, and for a repeated name.
    """
    measures = []
    for name in names:
        if is_own_code(name):
            own = own_code(name)
            measure = function_measure(own.function, own.reference, own.identity)
            measures.append(replace(measure, file=own.file, content=own.source))
            continue
        measures.append(packaged_measure(name))
    check_names(measures)
    return tuple(measures)


def packaged_measure(name: str) -> FunctionMeasure:
    """Return the measure that a package registers as ``name``.

    Raises InputError if no package registers it, or if it is not a function: nextset's own measures are not.
    """
    part = MEASURES[name]
    package = MEASURES.package(name)
    if not isinstance(part, FunctionMeasure) and not callable(part):
        raise InputError(
            f"the measure {name!r} of {package} is not a function",
            remedy="omit it; every audit computes nextset's own measures",
        )
    return function_measure(part, package, {"measure": name, "package": package})


def check_names(measures: Sequence[FunctionMeasure]) -> None:
    """Raise InputError if two of ``measures`` have the same name."""
    names = [m.name for m in measures]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise InputError(
            f"two measures are named {repeated!r}", remedy="name each measure once, or rename a function"
        )


def sources_of(measures: Sequence[FunctionMeasure]) -> dict[str, bytes]:
    """Return the content of the files of ``measures``, by its name among an artifact's snapshots."""
    return own_snapshots({str(m.file): m.content for m in measures if m.file is not None})
