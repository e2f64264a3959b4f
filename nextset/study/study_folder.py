"""A study: its folder with study.yaml, its settings and its paths."""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Concatenate, NoReturn, ParamSpec, Protocol, TypeVar, cast, overload

from nextset.errors import StudyError
from nextset.files.atomic_files import remove_temporary, write_atomically
from nextset.files.folder_lock import locked_folder
from nextset.files.yaml_model import HandWritten, read_model
from nextset.files.yaml_reader import line_of, read_yaml
from nextset.open_table import OpenTable
from nextset.own_code import OwnCode, own_code
from nextset.study.filter_settings import FilterSettings
from nextset.study.model_labels import copied_models, is_local_model, model_label, model_labels
from nextset.study.python_settings import (
    MADE_IN_PYTHON,
    changed_settings,
    checked_settings,
    settings_text,
)
from nextset.study.release_settings import ReleaseSettings
from nextset.study.scoring_settings import ModelSettings
from nextset.study.study_sections import StudyFile, study_file_model

__all__ = ["OfStudy", "Study", "of_study"]

VIEWS: OpenTable[Callable[[Study], str]] = OpenTable("nextset.study_views", "view of a study")
"""The HTML that notebooks show for a study: functions of layers above it, by name."""

P = ParamSpec("P")
Settings = TypeVar("Settings", bound=HandWritten)
R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True)
class Study:
    """A study: its settings and its folder."""

    folder: Path
    settings: StudyFile
    file: Path
    trust_code: bool = field(default=False, repr=False, compare=False)
    """True: run the Python code of files that study.yaml names, such as rules.py:my_rule."""
    in_python: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)
    """The settings as `from_settings` and `with_` got them; None if study.yaml was read."""

    def __repr__(self) -> str:
        return f"Study({str(self.file.parent)!r})"

    def _repr_html_(self) -> str:
        """Return the study as HTML for notebooks: its name and folder, the state of its stages."""
        return VIEWS["stages"](self)

    @classmethod
    def load(cls, path: Path | str, trust_code: bool = False) -> Study:
        """Load the study in folder ``path``, or the study.yaml ``path``. Raises StudyError."""
        if not isinstance(path, str | os.PathLike):
            raise StudyError(
                f"a {type(path).__name__} is not a study",
                remedy="give a study or its folder; docs/how_to/tables.md shows the functions that take "
                "tables",
            )
        path = Path(path)
        file = path / "study.yaml" if path.is_dir() else path
        if not file.is_file():
            raise StudyError(
                "no such study",
                file=file,
                remedy="name a folder with a study.yaml, or make one with `nextset new`",
            )
        settings, _ = read_model(file, study_file_model(), StudyError)
        return cls(file.parent.resolve(), settings, file, trust_code)

    @classmethod
    def from_settings(
        cls,
        name: str = "my-study",
        folder: Path | str | None = None,
        trust_code: bool = False,
        **settings: Any,
    ) -> Study:
        """Return a study with ``settings``, the keys and sections of study.yaml, such as templates=[...].

        Its folder is ``folder``, by default ``name`` in the current folder; paths in ``settings`` are
        relative to it. A filter without a section release gets one, with the version 0.1.0. The first stage
        writes the settings to study.yaml there. Raises StudyError, also if the folder has a study.yaml that a
        person wrote.
        """
        written = changed_settings({"format": 1, "name": name}, settings)
        place = Path(name if folder is None else folder)
        checked = checked_settings(written, study_file_model())
        file = place / "study.yaml"
        if file.is_file() and not _made_in_python(file):
            raise StudyError(
                "the folder has a study.yaml that a person wrote",
                file=file,
                remedy="name another folder, or load the study with nextset.Study.load",
            )
        return cls(place.resolve(), checked, file, trust_code, written)

    def with_(self, **changes: Any) -> Study:
        """Return this study with other settings, such as filter={"rule": "any_wrong"}, in the same folder.

        A section keeps the keys that are not named, and None removes a key or a section. A study.yaml that a
        person wrote is not changed. Raises StudyError.
        """
        written = self.in_python
        if written is None:
            written = read_yaml(self.file, StudyError).data
        changed = changed_settings(written, changes)
        return replace(self, settings=checked_settings(changed, study_file_model()), in_python=changed)

    @property
    def filter(self) -> FilterSettings:
        """The section filter; raises StudyError if the study has none."""
        if self.settings.filter is None:
            self._missing("filter", FilterSettings)
        return self.settings.filter

    @property
    def release(self) -> ReleaseSettings:
        """The section release; raises StudyError if the study has none."""
        if self.settings.release is None:
            self._missing("release", ReleaseSettings)
        return self.settings.release

    def section(self, name: str, settings: type[Settings]) -> Settings:
        """Return the ``settings`` of the section ``name`` of an extension, such as ambiguity.retrieval.

        Raises StudyError if the study has no such section.
        """
        section = self.settings.section(name, settings)
        if section is None:
            self._missing(name, settings)
        return section

    def _missing(self, section: str, settings: type[HandWritten]) -> NoReturn:
        needed = ", ".join(name for name, f in settings.model_fields.items() if f.is_required())
        remedy = f"add {section!r} with {needed}" if needed else f"add {section!r}"
        raise StudyError(f"{section!r} is missing", file=self.file, line=1, remedy=remedy)

    @property
    def out(self) -> Path:
        """The folder of the stages' results; can be deleted at any time."""
        return self.folder / "out"

    @property
    def judgments(self) -> Path:
        """The folder of annotators' judgments; never under ``out``, never deleted by nextset."""
        return self.folder / "judgments"

    @property
    def withdrawn(self) -> Path:
        """The file of withdrawn items, which `nextset release withdraw` writes; never under ``out``."""
        return self.folder / "withdrawn.jsonl"

    @property
    def imported(self) -> Path:
        """The folder that ``nextset import`` writes to."""
        return self.folder / "imported"

    def path(self, written: str) -> Path:
        """Return the path ``written`` in study.yaml: relative to the study, or beginning with $VARIABLE."""
        match = re.match(r"\$([A-Z][A-Z0-9_]*)(?=/|$)", written)
        if match:
            name = match[1]
            value = os.environ.get(name)
            if not value:
                raise StudyError(
                    f"{written} needs the environment variable {name}, which is not set",
                    file=self.file,
                    line=line_of(self.file, value=written),
                    remedy=f"run `export {name}=FOLDER`, then run this again",
                )
            written = value + written[match.end() :]
        return self.folder / written

    def own_code(self, written: str) -> OwnCode:
        """Return the function ``written``, FILE.py:NAME, of a file beside the study.

        Raises StudyError if the study's code is not trusted or there is no such function, and InputError if
        the file raises an exception.
        """
        try:
            return own_code(written, self.path, self.file, trusted=self.trust_code)
        except StudyError as e:
            e.line = e.line or line_of(self.file, value=written)
            raise

    def model_label(self, name: str) -> str:
        """Return the published name of the model ``name``.

        Raises StudyError if two models of the study would have the same published name.
        """
        known = model_labels(self.settings, self.file)
        return known[name] if name in known else model_label(name, self.settings, self.file)

    def model_copies(self, section: str) -> dict[str, str]:
        """Return the names of the copies that ``section`` makes of models, each with its original model."""
        copies = copied_models(self.settings, self.file)
        return {name: copy.original for name, copy in copies.items() if copy.section == section}

    def model_settings(self, name: str) -> ModelSettings:
        """Return the settings of the model ``name``; a tuned copy has the settings of its original model.

        A copy has no canaries; the section that makes it gives the reason.
        """
        copy = copied_models(self.settings, self.file).get(name)
        if copy is None:
            return self.settings.models.get(name, ModelSettings())
        own = self.settings.models.get(copy.original, ModelSettings())
        return own.model_copy(update={"canaries": (), "canaries_waived": copy.canaries_waived})

    @property
    def local_models(self) -> frozenset[str]:
        """The published names of the models that are folders on this machine."""
        labels = model_labels(self.settings, self.file)
        return frozenset(label for name, label in labels.items() if is_local_model(name, self.folder))

    @contextmanager
    def held(self, command: str) -> Iterator[None]:
        """Lock the study while ``command`` works on it; raises StudyHeld if another process has locked it."""
        with locked_folder(self.out, command):
            remove_temporary(self.out, below=False)
            if self.in_python is not None and (not self.file.is_file() or _made_in_python(self.file)):
                write_atomically(self.file, settings_text(self.in_python).encode())
            yield


def _made_in_python(file: Path) -> bool:
    """Return whether ``file`` is a study.yaml that a study made in Python may replace."""
    return file.read_text(encoding="utf-8", errors="replace").startswith(MADE_IN_PYTHON)


class OfStudy(Protocol[P, R_co]):
    """A function whose first argument is a study or its folder, with the keyword ``trust_code``."""

    @overload
    def __call__(self, study: Study | Path | str, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
    @overload
    def __call__(self, study: Study | Path | str, *args: Any, trust_code: bool, **kwargs: Any) -> R_co: ...


def of_study(function: Callable[Concatenate[Study, P], R_co]) -> OfStudy[P, R_co]:
    """Let ``function``, whose first argument is a study, also take the study's folder and ``trust_code``.

    ``trust_code=True`` lets the study run the Python code of files that it names; without it, a `Study` keeps
    its own ``trust_code``.
    """

    @functools.wraps(function)
    def from_folder(study: Study | Path | str, *args: Any, trust_code: bool = False, **kwargs: Any) -> R_co:
        if not isinstance(study, Study):
            study = Study.load(study, trust_code)
        elif trust_code and not study.trust_code:
            study = replace(study, trust_code=True)
        return function(study, *args, **kwargs)

    from_folder.__signature__ = _with_trust(function)  # type: ignore[attr-defined]
    return cast("OfStudy[P, R_co]", from_folder)


def _with_trust(function: Callable[..., Any]) -> inspect.Signature:
    signature = inspect.signature(function)
    study, *others = signature.parameters.values()
    study = study.replace(annotation="Study | Path | str")
    trust = inspect.Parameter("trust_code", inspect.Parameter.KEYWORD_ONLY, default=False, annotation="bool")
    return signature.replace(parameters=[study, *others, trust])
