"""Open tables: parts by name, which nextset and other people's packages register in the same way."""

from __future__ import annotations

import difflib
import functools
import hashlib
import importlib.util
from collections.abc import Callable, Iterator
from importlib.metadata import Distribution, EntryPoint, entry_points
from pathlib import Path
from typing import Generic, TypeVar, cast

from nextset.errors import DependencyMissing, InputError, NextsetError
from nextset.own_code import guarded, raised

__all__ = ["FUNCTIONS", "OpenTable"]

Part = TypeVar("Part")

_OWN = "nextset"
"""The distribution whose parts come first."""


class OpenTable(Generic[Part]):
    """The parts that installed packages register as entry points of one group, each loaded when it is used.

    A package registers a part in its pyproject.toml, as nextset does::

        [project.entry-points."nextset.rules"]
        sure_and_wrong = "my_package.rules:SURE_AND_WRONG"

    A part that has a name, a text in its attribute ``name``, is registered under it.
    """

    def __init__(self, group: str, noun: str, *, by_kind: bool = False) -> None:
        self.group = group
        """The group of the entry points, such as nextset.rules."""
        self.noun = noun
        """The name of a part in error messages, such as rule."""
        self.by_kind = by_kind
        """True if a part is registered as KIND.NAME, and its own name is NAME."""

    def __repr__(self) -> str:
        return f"OpenTable({self.group!r}: {', '.join(self.names)})"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parts: nextset's own, then those of other packages, each in alphabetical order."""
        return tuple(_registered(self.group))

    @property
    def own_names(self) -> tuple[str, ...]:
        """The names of nextset's own parts, in alphabetical order."""
        return tuple(name for name, point in _registered(self.group).items() if _owner(point) == _OWN)

    def __contains__(self, name: object) -> bool:
        return name in _registered(self.group)

    def __iter__(self) -> Iterator[Part]:
        return (self[name] for name in self.names)

    def __getitem__(self, name: str) -> Part:
        """Return the part ``name``.

        Raises InputError if no installed package registers it or if its own name differs, and
        DependencyMissing if its module cannot be imported.
        """
        registered = _registered(self.group)
        if name not in registered:
            near = difflib.get_close_matches(name, registered, n=1)
            raise InputError(
                f"no installed package has a {self.noun} {name!r}",
                remedy=(f"did you mean {near[0]!r}? if not, " if near else "")
                + f"use one of {', '.join(registered)}, or install the package that registers it",
            )
        part, own_name = _loaded(self.group, name)
        kind = name.partition(".")[0] + "." if self.by_kind else ""
        if own_name is not None and name != kind + own_name:
            raise InputError(
                f"{self.package(name)} registers the {self.noun} {own_name} as {name} in {self.group}",
                remedy=f"register it as {kind}{own_name}, or uninstall the package",
            )
        return cast("Part", part)

    def package(self, name: str) -> str:
        """Return the name and the version of the distribution that registers ``name``, such as toy 0.1."""
        distribution = _registered(self.group)[name].dist
        return f"{distribution.name} {distribution.version}" if distribution is not None else ""

    def module_digest(self, name: str) -> str:
        """Return the sha256 of the file of the module that defines the part ``name``, in hex.

        It changes with the file of an editable installation, whose version stays the same. It is empty if the
        module has no source file. The module is not imported, but the packages that contain it are.
        """
        return _module_digest(self.group, name)


FUNCTIONS: OpenTable[Callable[..., object]] = OpenTable("nextset.functions", "function")
"""The functions of extensions that `import nextset` offers, by name."""


@functools.cache
def _registered(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of ``group`` by name; raises InputError if two packages register one name."""
    points = sorted(_points().get(group, ()), key=lambda p: (_owner(p) != _OWN, p.name, _owner(p)))
    registered: dict[str, EntryPoint] = {}
    for point in points:
        other = registered.setdefault(point.name, point)
        if _owner(other) != _owner(point):
            raise InputError(
                f"{_owner(other)} and {_owner(point)} both register {point.name!r} in {group}",
                remedy=f"uninstall one of them: `pip uninstall {_owner(point)}`",
            )
    return registered


@functools.cache
def _points() -> dict[str, tuple[EntryPoint, ...]]:
    """Return the entry points of all installed packages by group; they are read once for all groups."""
    points = entry_points()
    return {
        group: tuple(points.select(group=group)) for group in points.groups if group.startswith(f"{_OWN}.")
    }


@functools.cache
def _loaded(group: str, name: str) -> tuple[object, str | None]:
    """Return the part ``name`` of ``group``, and the name that it has itself; None if it has none."""
    point = _registered(group)[name]

    def wrong(error: BaseException) -> NextsetError:
        if isinstance(error, NextsetError):
            return error
        return DependencyMissing(
            f"{point.value}, which {_owner(point)} registers as {name!r} in {group}, cannot be imported: "
            f"{raised(error)}",
            remedy=f"reinstall it with `pip install --force-reinstall {_owner(point)}`, or uninstall it",
        )

    with guarded(wrong):
        part = point.load()
        own_name = getattr(part, "name", None)
        return part, own_name if isinstance(own_name, str) else None


@functools.cache
def _module_digest(group: str, name: str) -> str:
    try:
        spec = importlib.util.find_spec(_registered(group)[name].module)
        file = Path(spec.origin) if spec is not None and spec.has_location and spec.origin else None
        return hashlib.sha256(file.read_bytes()).hexdigest() if file is not None else ""
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 -- a package can raise anything; an error of its import is shown later
        return ""


def _owner(point: EntryPoint) -> str:
    return _distribution_name(point.dist) if point.dist is not None else "an unknown package"


@functools.cache
def _distribution_name(distribution: Distribution) -> str:
    return distribution.name  # which reads its metadata anew each time
