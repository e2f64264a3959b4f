"""The whole pipeline, releases of 0.2 and 2 million rows, equal bytes after kills, and pushes with faults.

    python benchmarks/release.py [walk] [size] [bytes] [faults]

Without an argument all four run, which takes about half an hour and 2 GB of disk. walk: studies/first_look
from its templates to the report, a first and a second run. size: seconds and memory of the stages of `nextset
release build` without the audit. bytes: versions that are built twice, and after kills. faults: 200 versions
pushed to a Hub on this machine that fails on the way.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Run as a file, Python would put benchmarks/ before the clone's root on its path.
sys.path[0] = str(Path(__file__).parents[1])

from benchmarks.enlarged_study import enlarged_study
from benchmarks.figures import Ran, figure, ran

ROOT = Path(__file__).parents[1]
SIZES = (200_000, 2_000_000)
BYTES_ROWS = 40_000
KILLS = 3
MOST_MEGABYTES = 1000
SECTIONS = ("walk", "size", "bytes", "faults")

# The peak is reset between the stages, so that each has its own although all run in one process.
_STAGES = """
import json, resource, sys, time
from pathlib import Path
from nextset.release.dataset_files.stage import write_dataset_version
from nextset.release.report_stage import report_release
from nextset.release.stage import build_release
from nextset.study.study_folder import Study

def peak():
    (line,) = [x for x in Path("/proc/self/status").read_text().splitlines() if x.startswith("VmHWM")]
    return int(line.split()[1]) / 1024

study, found = Study.load(sys.argv[1]), []
for stage in (build_release, report_release, write_dataset_version):
    Path("/proc/self/clear_refs").write_text("5")
    began, cpu = time.monotonic(), time.process_time()
    made = stage(study)
    found.append([time.monotonic() - began, time.process_time() - cpu, peak(), made.rows("items")])
print(json.dumps(found))
"""


def stages(study: Path) -> list[tuple[Ran, int]]:
    """Run the stages release, release_report and dataset_version in one separate process."""
    command = [sys.executable, "-c", _STAGES, str(study)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return [(Ran(*measured), rows) for *measured, rows in json.loads(done.stdout)]


def walk(first: Ran, study: Path) -> None:
    """Print figures of the first and second run of first_look."""
    nextset = [sys.executable, "-m", "nextset"]
    second = ran([*nextset, "run", study])
    help_ = min((ran([*nextset, "--help"]) for _ in range(5)), key=lambda r: r.seconds)
    figure("first run of first_look", first.seconds, "under 90 s", first.seconds < 90, "s")
    figure("first run, memory", first.megabytes, "measured only", True, "MB")
    figure("second run of first_look", second.seconds, "under 10 s", second.seconds < 10, "s")
    figure("second run, memory", second.megabytes, "measured only", True, "MB")
    figure("nextset --help", help_.seconds, "under 0.5 s", help_.seconds < 0.5, "s")


def size(finished: Path, scratch: Path) -> None:
    """Print figures of the stages at `SIZES`: half of the rows are judged items, half their counterparts."""
    cpu: list[float] = []
    n_rows: list[int] = []
    for wanted in SIZES:
        study = enlarged_study(finished, scratch / "enlarged", wanted // 2)
        measured = stages(study)
        shutil.rmtree(study)
        rows = measured[0][1]
        for name, (took, _) in zip(("release", "release_report", "dataset_version"), measured, strict=True):
            figure(f"{name} of {rows:,} rows", took.seconds, "measured only", True, "s")
            small = took.megabytes <= MOST_MEGABYTES
            figure(f"{name} of {rows:,} rows, memory", took.megabytes, "at most 1 GB", small, "MB")
        cpu.append(sum(took.cpu_seconds for took, _ in measured))
        n_rows.append(rows)
        figure(f"all three of {rows:,} rows, CPU", cpu[-1], "measured only", True, "s")
    growth = (cpu[-1] / cpu[0]) / (n_rows[-1] / n_rows[0])
    figure("CPU time per row, largest over smallest", growth, "at most 1.2 (linear)", growth <= 1.2)


def equal_bytes(finished: Path, scratch: Path) -> None:
    """Print figures of versions that are built again, and after SIGKILL at random moments."""
    study = enlarged_study(finished, scratch / "enlarged", BYTES_ROWS // 2)
    began = time.monotonic()
    stages(study)
    whole = time.monotonic() - began
    first = contents(study / "out" / "dataset")
    forget(study)
    stages(study)
    same = contents(study / "out" / "dataset") == first
    figure(f"files of a version built twice ({len(first)})", int(same), "1: the same bytes", same)
    forget(study)
    draw, killed = random.Random(12), 0
    while killed < KILLS:
        killed += killed_build(study, draw.uniform(0.1, 0.5) * whole)
    stages(study)
    same = contents(study / "out" / "dataset") == first
    figure(f"the same after {killed} kills", int(same), "1: the same bytes", same)
    left = [*(study / "out").glob("*.rows.*"), *(study / "out").rglob("*.partial*")]
    figure("temporary files left", len(left), "0", not left)
    shutil.rmtree(study)


def killed_build(study: Path, seconds: float) -> bool:
    """Build for ``seconds`` and kill the process; return whether it still ran. The next build resumes."""
    builder = subprocess.Popen(
        [sys.executable, "-c", _STAGES, str(study)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
    )
    try:
        builder.wait(seconds)
    except subprocess.TimeoutExpired:
        builder.kill()
        builder.wait()
        return True
    forget(study)
    return False


def forget(study: Path) -> None:
    """Delete the results of the stages."""
    for pattern in ("release*", "dataset*"):
        for folder in (study / "out").glob(pattern):
            shutil.rmtree(folder)


def contents(folder: Path) -> dict[str, str]:
    """Return the hash of each file's bytes, by path."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def faults(scratch: Path) -> None:
    """Print figures of 200 versions pushed with faults, 12 of them by processes that are killed."""
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
    from huggingface_hub.utils import logging as _  # noqa: F401 – importing it sets the level

    from tests.release.push_faults import run_push_faults

    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # it warns of each fault
    run = run_push_faults(scratch, versions=200, kills=12, seed=3)
    figure("versions pushed with faults", run.versions, "200", run.versions >= 200)
    figure("faults that happened", run.faults, "measured only", True)
    figure("pushers that were killed", run.killed, "measured only", True)
    figure("calls needed", run.calls, "measured only", True)
    figure("tags on incomplete data", run.incomplete_tags, "0", not run.incomplete_tags)
    figure("downloaded files with a different hash", run.unequal, "0", not run.unequal)
    figure("versions not pushed exactly once", run.repeated, "0", not run.repeated)
    figure("versions that stayed unfinished", run.unfinished, "0", not run.unfinished)


def main() -> None:
    """Measure in copies of the study, which have no results yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], default=[])
    sections = parser.parse_args().sections or SECTIONS
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        if set(sections) != {"faults"}:
            study = scratch / "first_look"
            shutil.copytree(ROOT / "studies" / "first_look", study, ignore=shutil.ignore_patterns("out"))
            first = ran([sys.executable, "-m", "nextset", "run", study])
            if "walk" in sections:
                walk(first, study)
            if "size" in sections:
                size(study, scratch)
            if "bytes" in sections:
                equal_bytes(study, scratch)
        if "faults" in sections:
            faults(scratch / "pushes")


if __name__ == "__main__":
    main()
