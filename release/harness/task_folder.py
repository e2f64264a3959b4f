"""Task folders for harnesses: the files that the folders of all harnesses share, and writing a folder."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from nextset.errors import ArtifactError
from nextset.files.atomic_files import write_atomically
from nextset.release.harness.release_source import ReleaseSource
from nextset.release.markdown_escape import markdown_environment

__all__ = [
    "HarnessPrompts",
    "HarnessWording",
    "common_files",
    "exported_text",
    "task_name",
    "write_task_folder",
]

TASK_FILES = Path(__file__).parent / "task_files"
"""The files that are copied into task folders."""
SETTINGS = "task.json"
"""The file with the dataset, the prompts and the folder's files, which every task folder has."""
_SCRATCH = ".nextset-export."
_LOCK = ".lock"


@dataclass(frozen=True, slots=True)
class HarnessWording:
    """One way to ask about a row."""

    prompt: str
    """The prompt, with placeholders such as {premise} and {hypothesis}."""
    choices: tuple[str, ...]
    """The answers that mean entailment, neutral and contradiction; empty if each row has its own."""


@dataclass(frozen=True, slots=True)
class HarnessPrompts:
    """The texts that a harness sends to models."""

    wordings: tuple[HarnessWording, ...]
    """The prompts, at least one; all are asked."""
    answer_tokens: int
    """The most tokens of a written answer."""
    answer_parsing: str
    """The Python module that reads written answers: `choice_of`, `answer_schema`, `REMINDER`."""
    abstentions: tuple[str, ...] = ()
    """The sentences that say that the answer cannot be known; … stands for any other words."""
    refusals: tuple[str, ...] = ()
    """The sentences that say that the model does not want to answer."""


def task_name(source: ReleaseSource) -> str:
    """Return the task's name, nextset_ and the dataset's name, in a form that both harnesses accept."""
    return "nextset_" + re.sub(r"[^a-z0-9]+", "_", source.manifest.name.lower()).strip("_")


def exported_text(name: str) -> bytes:
    """Return a Python file that is copied into task folders unchanged."""
    return (TASK_FILES / f"{name}.txt").read_bytes()


def common_files(source: ReleaseSource, prompts: HarnessPrompts, harness: str) -> dict[str, bytes]:
    """Return README.md, task.json and the measures of a task folder.

    Raises ArtifactError if there are no prompts.
    """
    if not prompts.wordings:
        raise ArtifactError(
            f"there are no prompts that ask about {source.task.rows}",
            remedy="add prompts under nli to the file, or remove --prompts",
        )
    settings = {
        "name": task_name(source),
        "version": source.manifest.version,
        "dataset": {"path": source.path, "name": source.config, "kwargs": source.arguments},
        "wordings": [asdict(wording) for wording in prompts.wordings],
        "answer_tokens": prompts.answer_tokens,
        **({} if source.task.choices else _phrases(prompts)),
    }
    return {
        "README.md": _readme(source, prompts, harness).encode(),
        SETTINGS: json.dumps(settings).encode(),
        source.task.measures: exported_text(source.task.measures),
    }


def _phrases(prompts: HarnessPrompts) -> dict[str, tuple[str, ...]]:
    return {"abstentions": prompts.abstentions, "refusals": prompts.refusals}


def write_task_folder(out: Path, files: Mapping[str, bytes]) -> tuple[Path, ...]:
    """Write ``files`` into the folder ``out`` completely or not at all, and return their paths.

    task.json, which is among ``files``, gets the list of their names. An earlier export for the same harness
    is replaced only if ``out`` holds nothing but the files that it wrote. Raises ArtifactError if ``out`` is
    not a folder, or holds anything else.
    """
    out = out.resolve()
    if out.exists() and not out.is_dir():
        raise ArtifactError(f"{out} is not a folder", remedy="name a new or empty folder after --to")
    if out.exists() and not _replaceable(out, files):
        raise ArtifactError(
            f"{out} holds other files, which the export would delete",
            remedy="name a new or empty folder after --to",
        )
    settings = {**json.loads(files[SETTINGS]), "files": sorted(files)}
    files = {**files, SETTINGS: (json.dumps(settings, indent=1, ensure_ascii=False) + "\n").encode()}
    out.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(out.parent)
    with (
        tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=out.parent) as scratch,
        FileLock(Path(scratch) / _LOCK),
    ):
        work = Path(scratch) / "task"
        for name, content in sorted(files.items()):
            write_atomically(work / name, content)
        if out.exists():
            out.rename(Path(scratch) / "replaced")
        work.rename(out)
    return tuple(out / name for name in sorted(files))


def _remove_abandoned(folder: Path) -> None:
    """Remove the files of killed exports in ``folder``. A running export holds its lock, so it is skipped."""
    for left in folder.glob(f"{_SCRATCH}*"):
        try:
            with FileLock(left / _LOCK, timeout=0):
                shutil.rmtree(left, ignore_errors=True)
        except Timeout:
            continue


def _replaceable(out: Path, files: Collection[str]) -> bool:
    """Return whether the folder ``out`` is empty, or holds only an earlier export for the same harness."""
    entries = [path for path in out.iterdir() if path.name != "__pycache__"]
    if not entries:
        return True
    written = _written(out / SETTINGS)
    return (
        _fixed(written) == _fixed(files)
        and {path.name for path in entries} <= set(written)
        and all(path.is_file() for path in entries)
    )


def _fixed(names: Collection[str]) -> set[str]:
    """Return the ``names`` that every export for the harness has; the others name the dataset."""
    return {name for name in names if not name.startswith("nextset_")}


def _written(settings: Path) -> list[str]:
    """Return the files that an earlier export wrote, as listed in its ``settings``; empty without a list."""
    try:
        written = json.loads(settings.read_bytes())["files"] if settings.is_file() else []
    except (ValueError, TypeError, KeyError, RecursionError):
        return []
    return [name for name in written if isinstance(name, str)] if isinstance(written, list) else []


def _readme(source: ReleaseSource, prompts: HarnessPrompts, harness: str) -> str:
    from markupsafe import Markup

    environment = markdown_environment(TASK_FILES)
    environment.filters["code"] = lambda text: Markup("".join(_plain(text)))
    return environment.get_template(source.task.readme).render(
        source=source,
        harness=Markup(harness),
        task=Markup(task_name(source)),
        wordings=len(prompts.wordings),
    )


def _plain(text: str) -> Sequence[str]:
    """Return the characters of ``text`` that may be inside backticks."""
    return [c for c in text if c.isprintable() and c not in "`<>&"]
