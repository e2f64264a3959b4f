"""The sources of candidates: the stages and files that hold the rows that a study's filter chooses from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nextset.artifacts.artifact import Artifact, open_artifact
from nextset.artifacts.drop_counts import drops
from nextset.errors import StudyError, examples
from nextset.forms import FormName
from nextset.study.filter_settings import CANDIDATE_FORMS, FILLED_FORMS, Candidate
from nextset.study.item_tables import imported_files

__all__ = ["TABLES", "CandidateSources"]

TABLES: dict[Candidate, tuple[str, str]] = {
    "filled": ("fill", "items"),
    "plain": ("generate", "items"),
    **{name: ("generate", form.generated) for name, form in CANDIDATE_FORMS.items()},
    **{name: ("fill", form.generated) for name, form in FILLED_FORMS.items()},
}
"""The stage and table of each kind of candidate; imported items are in files, not in an artifact."""


@dataclass(frozen=True)
class CandidateSources:
    """The kinds of candidates that a study names, and the folders that hold them."""

    names: tuple[Candidate, ...]
    """The study's filter.candidates."""
    form: FormName
    """The form of these candidates."""
    out: Path
    """The folder of the stages' artifacts."""
    imported: Path
    """The folder of imported items."""
    file: Path
    """The study.yaml that names the candidates, for error messages."""

    def artifact(self, name: Candidate) -> Artifact:
        """Return the artifact with the candidates ``name``; raises MissingStage if its stage has not run."""
        return open_artifact(self.out / TABLES[name][0])

    def imported_files(self) -> list[Path]:
        """Return the files that `nextset import` wrote, sorted by name."""
        return imported_files(self.imported)

    def none_found(self) -> StudyError:
        """Return the error for a study without NLI candidates."""
        counts = self.artifact("filled").counts if "filled" in self.names else {}
        dropped = [f"{n:,} {why}" for why, n in sorted(drops(counts).items())]
        remedy = "write masked hypotheses"
        if dropped:
            remedy = "relax the limits of the masks or of fill.fluency"
        elif not self.artifact("plain").rows("items"):
            remedy = "name template files under templates, or import items with `nextset import`"
        return StudyError(
            f"there is nothing to filter, because no items are {' or '.join(self.names)}"
            + (f" (stage fill: {examples(dropped)})" if dropped else ""),
            file=self.file,
            remedy=f"{remedy}, or set filter.candidates: [plain]",
        )
