"""The journal of a search: each step is on disk before the next one begins, so a search can resume."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from nextset.errors import ArtifactError, InputError
from nextset.extensions.interventions.triggers.trigger_records import SearchStep
from nextset.files.json_lines import append_lines, read_lines
from nextset.files.json_records import DamagedJson, dataclass_of
from nextset.records.content_ids import content_id

__all__ = ["SearchJournal"]

_DIGEST = "digest"


@dataclass(frozen=True)
class SearchJournal:
    """The steps of one search, in its own file.

    The file's name identifies the search, and it is part of the digest of each line, so steps of a different
    search are never read.
    """

    file: Path
    """The file; it need not exist."""

    def steps(self, restart: int) -> list[SearchStep]:
        """Return the recorded steps of a ``restart``, up to the first one that is missing or damaged.

        Raises ArtifactError if the path is something other than a regular file.
        """
        recorded: list[SearchStep] = []
        try:
            for line in read_lines(self.file, InputError):
                step = None if line.fields is None else self._step(line.fields)
                if step is not None and (step.restart, step.step) == (restart, len(recorded) + 1):
                    recorded.append(step)
        except InputError as e:
            raise ArtifactError(str(e), remedy=f"remove {self.file}, and run this again") from None
        return recorded

    def record(self, step: SearchStep) -> None:
        """Append ``step``; it is on disk when this returns."""
        fields = asdict(step)
        append_lines(self.file, [{**fields, _DIGEST: self._digest(fields)}])

    def _step(self, fields: dict[str, object]) -> SearchStep | None:
        """Return the step of a line; None if the line was changed."""
        rest = {name: value for name, value in fields.items() if name != _DIGEST}
        try:
            step = dataclass_of(rest, SearchStep)
        except DamagedJson:
            return None
        return step if fields.get(_DIGEST) == self._digest(asdict(step)) else None

    def _digest(self, fields: dict[str, object]) -> str:
        return content_id("search step", self.file.stem, json.dumps(fields, sort_keys=True))
