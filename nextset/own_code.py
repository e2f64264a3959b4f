"""Own code: a function in a file beside a study, FILE.py:NAME, which runs only if it is trusted."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import Any

from nextset.errors import InputError, NextsetError, StudyError
from nextset.folded_names import folded_name

__all__ = [
    "OWN_CODE",
    "OwnCode",
    "guarded",
    "is_own_code",
    "line_in",
    "own_code",
    "own_file_content",
    "own_snapshots",
    "raised",
    "shown",
    "wrong_result",
]

OWN_CODE = r"[^:\x00-\x1f]+\.py:[^\W\d]\w*"
"""The pattern of FILE.py:NAME."""


@dataclass(frozen=True)
class OwnCode:
    """A function of a user, with the file that it was read from."""

    reference: str
    """The function as it is written in study.yaml, such as rules.py:sure_and_wrong."""
    file: Path
    name: str
    """The function's name in the file."""
    source: bytes
    """The file's content, which was executed."""
    function: Any
    """The function, or another object with that name."""

    @property
    def digest(self) -> str:
        """The sha256 of the file, in hex: it enters the recipes of the stages that use the function."""
        return hashlib.sha256(self.source).hexdigest()

    @property
    def identity(self) -> dict[str, str]:
        """The function for recipes and manifests: its reference and the digest of its file."""
        return {"own": self.reference, "sha256": self.digest}

    def wrong(self, problem: str, expected: str) -> InputError:
        """Return the error of the function with a ``problem``; ``expected`` says what it must return."""
        return wrong_result(self.name, problem, expected, self.file)


def wrong_result(name: str, problem: str, expected: str, file: Path | None) -> InputError:
    """Return the error of the function ``name`` with a ``problem``; ``expected`` says what it must return."""
    return InputError(f"{name}: {problem}", file=file, remedy=f"return {expected}")


def is_own_code(written: str) -> bool:
    """Return True if ``written`` has the form FILE.py:NAME."""
    return re.fullmatch(OWN_CODE, written) is not None


def own_code(
    written: str, resolve: Callable[[str], Path], study_file: Path | None, *, trusted: bool
) -> OwnCode:
    """Return the function ``written``, FILE.py:NAME; ``resolve`` returns the path of FILE.

    The file is executed once for each content. Raises StudyError if the code is not ``trusted``, if there is
    no such file or name, and InputError if the file raises an exception.
    """
    path, name = _file_and_name(written, resolve, study_file)
    if not trusted:
        raise StudyError(
            f"{written}: this study runs the function {name} of the file {path}, and its code is not trusted",
            file=study_file,
            remedy="read the file; if you trust it, add `--trust-code` (in Python, trust_code=True)",
        )
    source = own_file_content(written, resolve, study_file)
    names = _executed(path, source)
    if name not in names:
        known = ", ".join(n for n in names if not n.startswith("_") and callable(names[n])) or "none"
        raise StudyError(
            f"{written}: {path} defines no {name}",
            file=study_file,
            remedy=f"use one of the names that it defines: {known}",
        )
    return OwnCode(written, path, name, source, names[name])


def own_file_content(written: str, resolve: Callable[[str], Path], study_file: Path | None) -> bytes:
    """Return the content of the file of ``written``, FILE.py:NAME, without executing it.

    ``resolve`` returns the path of FILE. Raises StudyError if the file cannot be read.
    """
    path, _ = _file_and_name(written, resolve, study_file)
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise OSError("it is not a file")  # reading a pipe or a device need not end
        return path.read_bytes()
    except OSError as e:
        raise StudyError(
            f"{written}: {path} cannot be read: {e.strerror or e}",
            file=study_file,
            remedy="write the path relative to study.yaml",
        ) from None


def own_snapshots(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the contents of ``files`` with own code, by path, by the names of their snapshots, own/FILE.

    A name has no folders, which could name a user. Files of one name get a part of their hash in theirs.
    """
    contents = {hashlib.sha256(raw).hexdigest(): raw for raw in files.values()}
    names = {hashlib.sha256(raw).hexdigest(): PurePosixPath(file).name for file, raw in files.items()}
    used = [folded_name(name) for name in names.values()]
    snapshots = {}
    for digest, name in names.items():
        alone = used.count(folded_name(name)) == 1
        snapshots[f"own/{name if alone else f'{name[:-3]}-{digest[:12]}.py'}"] = contents[digest]
    return snapshots


_PRINTING = Lock()
_printed: list[Any] = []
"""stdout while own code runs, once for each running function."""


@contextmanager
def guarded(wrong: Callable[[BaseException], NextsetError]) -> Iterator[None]:
    """Run other people's code: every exception, also of sys.exit, becomes the error that ``wrong`` returns.

    Ctrl+C still interrupts. What the code prints goes to stderr, because stdout is nextset's result.
    """
    with _PRINTING:
        _printed.append(_printed[0] if _printed else sys.stdout)
        sys.stdout = sys.stderr
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as e:
        error = wrong(e)
        if error is e:
            raise
        raise error from None
    finally:
        with _PRINTING:
            stdout = _printed.pop()
            if not _printed:
                sys.stdout = stdout


def line_in(error: BaseException, file: Path | None) -> int | None:
    """Return the last line of ``file`` that ``error`` passed through, or that Python cannot read.

    None if there is no file, or if the line is not known.
    """
    line, traceback = None, error.__traceback__
    while traceback is not None and file is not None:
        if traceback.tb_frame.f_code.co_filename == str(file):
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    if line is None and isinstance(error, SyntaxError) and error.filename == str(file):
        return error.lineno
    return line


def raised(error: BaseException) -> str:
    """Return the type and the text of ``error`` in one line."""
    text = _in_one_line(error, str)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def shown(value: object) -> str:
    """Return the repr of a ``value`` of other people's code in one line, shortened."""
    return _in_one_line(value, repr)[:300]


def _in_one_line(value: object, text: Callable[[object], str]) -> str:
    try:
        return " ".join(text(value).split())
    except Exception:  # noqa: BLE001 -- other people's code can raise anything
        return f"a {type(value).__name__}"


def _file_and_name(written: str, resolve: Callable[[str], Path], study_file: Path | None) -> tuple[Path, str]:
    if not is_own_code(written):
        raise StudyError(
            f"{written!r} is not a function in a file", file=study_file, remedy="write it as rules.py:my_rule"
        )
    file, _, name = written.partition(":")
    if file.startswith("/"):
        raise StudyError(
            f"{written} has an absolute path, which would go into results",
            file=study_file,
            remedy="write the path relative to study.yaml, or beginning with $VARIABLE",
        )
    return resolve(file), name


_EXECUTED: dict[tuple[Path, bytes], dict[str, Any]] = {}
"""The names that each file defines, by its path and content."""


def _executed(path: Path, source: bytes) -> dict[str, Any]:
    key = (path.resolve(), source)
    if key not in _EXECUTED:
        module_name = f"nextset_own_code_{hashlib.sha256(source).hexdigest()[:16]}"
        spec = importlib.util.spec_from_file_location(module_name, path)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module  # dataclasses and pickle look a class's module up
        with guarded(
            lambda e: InputError(
                f"the file cannot be executed: {raised(e)}",
                file=path,
                line=line_in(e, path),
                remedy="correct it; `python FILE` shows the same error",
            )
        ):
            exec(compile(source, str(path), "exec"), vars(module))
        _EXECUTED[key] = vars(module)
    return _EXECUTED[key]
