"""Copies of both logs, made before a session ends and before another copy of the study is merged."""

from __future__ import annotations

from pathlib import Path

from nextset.files.atomic_files import write_atomically
from nextset.records.judgment import LOG_NAME
from nextset.validation.judgments.judgment_log import END_NAME
from nextset.validation.plan.event_log import PLAN_NAME

__all__ = ["back_up_logs"]


def back_up_logs(folder: Path, what: str, at: str) -> Path:
    """Copy both logs to ``folder``/backup, into a new folder named after ``what`` and the time ``at``."""
    backup = folder / "backup" / f"{what}-{at.replace(':', '').replace('+0000', 'Z')}"
    backup.mkdir(parents=True, exist_ok=True)
    for name in (LOG_NAME, END_NAME, PLAN_NAME):
        if (folder / name).is_file():
            write_atomically(backup / name, (folder / name).read_bytes())
    return backup
