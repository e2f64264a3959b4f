"""`python -m nextset.cli.prepared_pull`: a `nextset validate pull` with its imports done before.

The gateway starts it, and sends the study's folder on stdin when the study is to be pulled. It knows no study
until then, and ends after the pull like the command. If stdin ends without a folder, it ends too.
"""

from __future__ import annotations

import os
import sys

from nextset.cli import main

__all__: list[str] = []


def _import() -> None:
    """Import the modules that a pull needs: half of its time."""
    import httpx2  # noqa: F401
    import pyarrow as pa
    import pyarrow.compute
    import rich.progress  # noqa: F401

    import nextset.cli.app
    import nextset.cli.validate_text
    import nextset.filtering.candidates
    import nextset.filtering.model_answers
    import nextset.study.study_folder
    import nextset.validation.label_studio.address_and_token
    import nextset.validation.session.pull  # noqa: F401

    pa.array([""])  # the first one imports pandas, if it is installed


if __name__ == "__main__":
    _import()
    if study := os.fsdecode(sys.stdin.buffer.read()):
        sys.argv[1:] = ["validate", "pull", study]
        main()
