"""`python -m nextset.cli.waiting_pull`: one `nextset validate pull` that imports its modules before it is needed.

The gateway starts it, and sends the study's folder on stdin when the study is to be pulled. It knows no study
until then, and ends after the pull like the command. If stdin ends without a folder, it ends too.
"""

from __future__ import annotations

import os
import sys

from nextset.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    import nextset.cli.app
    import nextset.cli.validate_text
    import nextset.study.study_folder
    import nextset.validation.label_studio.address_and_token
    import nextset.validation.session.pull  # noqa: F401

    if study := os.fsdecode(sys.stdin.buffer.read()):
        sys.argv[1:] = ["validate", "pull", study]
        main()
