"""Mutated files, read as the commands read them; prints what came of each as JSON.

python -m tests.mutated_files FOLDER SEED COUNT. A program of its own: it may use two gigabytes.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import resource
import sys
import time
import traceback
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path

from nextset.cli.output import errors
from tests.hand_written_files import FILES, HandWrittenFile
from tests.mutations import mutated

__all__ = ["Outcome"]

SCREEN = 24 * 100
"""Characters of an error that fit on a screen of 24 lines."""


@dataclass(frozen=True)
class Outcome:
    """What came of one mutated file."""

    file: str
    number: int
    result: str
    """read, refused or traceback."""
    seconds: float
    """CPU seconds of reading."""
    characters: int
    """The length of the error."""
    text: str
    """The error, or the end of the traceback."""


def main() -> None:
    """Each file in turn, with mutations of its own."""
    scratch, seed, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, resource.RLIM_INFINITY))
    folders = {file.name: _laid_out(file, scratch / str(i)) for i, file in enumerate(FILES)}
    for i in range(count):
        file = FILES[i % len(FILES)]
        json.dump(asdict(_outcome(file, folders[file.name], random.Random(f"{seed}-{i}"), i)), sys.stdout)
        sys.stdout.write("\n")


def _laid_out(file: HandWrittenFile, folder: Path) -> Path:
    """The folder with the file as it should be, which is read once."""
    folder.mkdir(parents=True)
    file.around(folder)
    path = folder / file.name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(file.raw)
    file.read(path)
    return folder


def _outcome(file: HandWrittenFile, folder: Path, rng: random.Random, number: int) -> Outcome:
    path = folder / file.name
    path.write_bytes(mutated(file.raw, rng))
    result, said = "read", io.StringIO()
    began = time.process_time()
    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(said), errors(debug=False):
            warnings.simplefilter("error")
            file.read(path)
    except SystemExit:
        result = "refused"
    except Exception:  # noqa: BLE001 - whatever else comes out is a defect, which is what is looked for
        result = "traceback"
        said.write(traceback.format_exc())
    seconds, text = time.process_time() - began, said.getvalue()
    return Outcome(file.name, number, result, seconds, len(text), text[-2 * SCREEN :])


if __name__ == "__main__":
    main()
