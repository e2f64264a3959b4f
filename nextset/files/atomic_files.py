"""Atomic writes: a file or folder is written completely or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from nextset.errors import ArtifactError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "check_folder_places",
    "other_files",
    "parquet_bytes",
    "remove_temporary",
    "replace_folder",
    "write_atomically",
    "write_together",
]

TEMPORARY = ".tmp"


def write_atomically(path: Path, raw: bytes) -> None:
    """Write a file completely or not at all, even after a crash or if two processes write it at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{secrets.token_hex(8)}{TEMPORARY}")
    try:
        with temporary.open("xb") as f:
            f.write(raw)
            f.flush()
            os.fsync(f.fileno())
        temporary.replace(path)
    except OSError as e:
        e.filename = str(path)  # if the disk is full, the error names no file
        raise
    finally:
        temporary.unlink(missing_ok=True)


def write_together(files: Mapping[Path, bytes]) -> None:
    """Write all ``files`` or none of them.

    All bytes are on disk before the first file is replaced. After an error or Ctrl-C between two
    replacements, the replaced files are restored.
    """
    made: dict[Path, Path] = {}
    replaced: dict[Path, bytes | None] = {}
    try:
        for path, raw in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            made[path] = path.with_name(f".{secrets.token_hex(8)}{TEMPORARY}")
            write_atomically(made[path], raw)
            if path.exists():
                shutil.copymode(path, made[path])
        for path, temporary in made.items():
            replaced[path] = path.read_bytes() if path.exists() else None
            temporary.replace(path)
    except BaseException as e:
        for path, old in replaced.items():
            if old is None:
                path.unlink(missing_ok=True)
            else:
                write_atomically(path, old)
        if isinstance(e, OSError):
            e.filename = str(next((p for p, t in made.items() if str(t) == e.filename), e.filename))
        raise
    finally:
        for temporary in made.values():
            temporary.unlink(missing_ok=True)


def remove_temporary(folder: Path, *, below: bool = True) -> None:
    """Remove the unfinished files of a killed process in ``folder``, and with ``below`` also below it."""
    name = f".*{TEMPORARY}"
    for left in folder.rglob(name) if below else folder.glob(name):
        left.unlink(missing_ok=True)


def other_files(folder: Path, known: Collection[str]) -> tuple[str, ...]:
    """Return the files and links below ``folder`` that are not ``known``, hidden or temporary."""
    paths = {p.relative_to(folder): p.is_symlink() or not p.is_dir() for p in folder.rglob("*")}
    return tuple(
        path.as_posix()
        for path in sorted(path for path, is_file in paths.items() if is_file)
        if path.as_posix() not in known
        and path.suffix != TEMPORARY
        and not any(part.startswith(".") for part in path.parts)
    )


def check_folder_places(folder: Path) -> None:
    """Raise ArtifactError if something that is not a folder is where `replace_folder` puts ``folder``."""
    for place in (folder, *(folder.with_name(folder.name + suffix) for suffix in (".partial", ".old"))):
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            what = "a link" if place.is_symlink() else "not a folder"
            raise ArtifactError(
                f"{place} is in the way: it is {what}, and nextset keeps its own folder there",
                remedy=f"move or remove {place}, and run this again",
            )


def parquet_bytes(table: pa.Table) -> bytes:
    """Return ``table`` as Parquet: the same rows give the same bytes, regardless of the table's chunks."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    # Dictionary columns only save memory for repeated texts: readers get the texts themselves.
    encoded = any(pa.types.is_dictionary(field.type) for field in table.schema)
    pq.write_table(table.combine_chunks(), sink, compression="zstd", store_schema=not encoded)
    return bytes(sink.getvalue().to_pybytes())


def replace_folder(folder: Path, work: Path) -> None:
    """Move the finished ``work`` to ``folder``, replacing a folder that exists.

    Raises ArtifactError if a link or a file is in its place.
    """
    check_folder_places(folder)
    old = folder.with_name(folder.name + ".old")
    if folder.exists():
        shutil.rmtree(old, ignore_errors=True)
        folder.rename(old)
    work.rename(folder)
    shutil.rmtree(old, ignore_errors=True)
