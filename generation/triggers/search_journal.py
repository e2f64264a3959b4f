"""The journal of a search: every step is a line on disk before the next one begins, so a killed search goes
on."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from nextset.errors import ArtifactError, InputError
from nextset.files.json_lines import append_lines, read_lines
from nextset.files.json_records import DamagedJson, dataclass_of
from nextset.generation.triggers.trigger_records import SearchStep
from nextset.records.content_ids import content_id

__all__ = ["SearchJournal"]

_DIGEST = "digest"


@dataclass(frozen=True)
class SearchJournal:
    """The steps of one search in a file, which only this search has.

    The file's name says which search it is, and the digest of each line holds it: the steps of another search
    are not taken for those of this one.
    """

    file: Path
    """The file; it need not exist."""

    def steps(self, restart: int) -> list[SearchStep]:
        """Return the recorded steps of a ``restart``, from the first one up to one that is missing or
        damaged.

        Raises ArtifactError if something other than a regular file is there.
        """
        found: list[SearchStep] = []
        try:
            for line in read_lines(self.file, InputError):
                step = None if line.fields is None else self._step(line.fields)
                if step is not None and (step.restart, step.step) == (restart, len(found) + 1):
                    found.append(step)
        except InputError as e:
            raise ArtifactError(str(e), remedy=f"remove {self.file}, and run this again") from None
        return found

    def record(self, step: SearchStep) -> None:
        """Append ``step``; it is on disk when this returns."""
        fields = asdict(step)
        append_lines(self.file, [{**fields, _DIGEST: self._digest(fields)}])

    def _step(self, fields: dict[str, object]) -> SearchStep | None:
        """The step of a line; None if it is not as it was written."""
        rest = {name: value for name, value in fields.items() if name != _DIGEST}
        try:
            step = dataclass_of(rest, SearchStep)
        except DamagedJson:
            return None
        return step if fields.get(_DIGEST) == self._digest(asdict(step)) else None

    def _digest(self, fields: dict[str, object]) -> str:
        return content_id("search step", self.file.stem, json.dumps(fields, sort_keys=True))
