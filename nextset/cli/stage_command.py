"""The command of a single stage, with its report."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from nextset.cli.output import errors, for_study, print_note, print_result
from nextset.cli.progress_bar import bars

if TYPE_CHECKING:
    from nextset.study.study_folder import Study

__all__ = ["note_stale", "run_stage"]


def run_stage(
    name: str,
    study: Path,
    trust_code: bool,
    as_json: bool,
    debug: bool,
    report: str = "",
    first: tuple[str, ...] = (),
) -> None:
    """Run the stage ``name``, the stages ``first`` before it, and the stage that makes its ``report``."""
    with errors(debug, study), bars(quiet=as_json) as progress:
        from nextset.cli.expectation_text import expectation_text
        from nextset.cli.stage_text import stage_text
        from nextset.pipeline.stage_list import STAGES, forecasters_of
        from nextset.pipeline.stage_result import stage_result
        from nextset.study.study_folder import Study

        loaded = Study.load(study, trust_code)
        note_stale(loaded, study, first[0] if first else name)
        if first:
            STAGES[name].check(loaded)  # before hours of work of the other stages
        stages = [STAGES[part] for part in (*first, name, report) if part]
        results = [stage_result(s, s.run(Study.load(study, trust_code), progress)) for s in stages]
        lines = []
        for result in results:
            counts = [f"          {reason}: {n:,}" for reason, n in result.counts.items() if n]
            lines += [stage_text(result), *counts]
        data = asdict(results[len(first)])
        for other in forecasters_of(name):
            expected = other.forecast(loaded)
            if expected is not None:
                lines.append(for_study(expectation_text(expected, loaded.settings.validate_), study))
        print_result("\n".join(lines), as_json, {**data, "report": asdict(results[-1])} if report else data)


def note_stale(loaded: Study, study: Path, name: str) -> None:
    """Print a note if an input of the stage ``name`` is out of date; the stage uses it as it is."""
    from nextset.pipeline.status import stale_before

    if stale := stale_before(loaded, name):
        note = f"note: stage {stale.stage} is out of date ({stale.why}), and its earlier result is used"
        print_note(f"{note}\n  try: {for_study('nextset run STUDY', study)}")
