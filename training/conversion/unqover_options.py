"""The options of UnQover's training, which it writes next to a checkpoint as NAME.opt."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path

from nextset.errors import InputError
from nextset.files.regular_file import has_file

__all__ = ["options_file", "read_pipeline_options"]

MOST_BYTES = 20_000
"""The most bytes of the file."""
REMEDY = "restore the file, or move it away; the checkpoint can be converted without it"
Value = str | int | float | bool | None


def options_file(checkpoint: Path) -> Path:
    """Return the path of the options of ``checkpoint``, NAME.opt next to NAME.hdf5."""
    return checkpoint.with_suffix(".opt")


def read_pipeline_options(file: Path) -> dict[str, Value]:
    """Return the options in ``file``, by name; empty if there is no such file.

    The file has the parsed command line in the form that Python prints: ``Namespace(name='value', …)``. It is
    read as values and never run. Raises InputError for anything else.
    """
    if not has_file(file, InputError, REMEDY):
        return {}
    try:
        raw = file.read_bytes()
        if len(raw) > MOST_BYTES:
            raise ValueError(f"the file has more than {MOST_BYTES:,} bytes")
        return _values(raw.decode("utf-8-sig").strip())
    except OSError as e:
        problem = str(e.strerror)
    except (ValueError, SyntaxError, RecursionError, MemoryError) as e:
        problem = str(e).splitlines()[0] if str(e) else "the file is nested too deeply"
    raise InputError(f"the options cannot be read: {problem:.200}", file=file, remedy=REMEDY)


def _values(text: str) -> dict[str, Value]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a needless backslash before a letter
        call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call) or call.args:
        raise ValueError("the file does not have the form Namespace(name='value', …)")
    if not isinstance(call.func, ast.Name) or call.func.id != "Namespace":
        raise ValueError("the file does not have the form Namespace(name='value', …)")
    values: dict[str, Value] = {}
    for option in call.keywords:
        value = ast.literal_eval(option.value)
        if option.arg in values:
            raise ValueError(f"the option {option.arg} is repeated")
        if option.arg is None or not isinstance(value, str | int | float | bool | None):
            raise ValueError(f"the option {option.arg} is neither a text nor a number")
        values[option.arg] = value
    return values
