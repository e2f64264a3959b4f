"""The execution of docs/notebooks, to compare their outputs or to save them.

python -m tests.notebook_execution saves the outputs of all notebooks.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["NOTEBOOKS", "executed", "outputs", "read"]

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
"""The metadata that are saved: no version of Python."""
_WITHOUT_WIDGETS = "ignore:IProgress not found"
"""tqdm warns of missing widgets when it is imported in a notebook."""
_DIGEST = re.compile(r"(?<=digest <code>)[0-9a-f]{32}")
"""An artifact's digest, which is that of bytes written by this version of pyarrow."""
_SVG_TEXT = re.compile(r"<text[^>]*>([^<]*)</text>")


def read(file: Path) -> NotebookNode:
    """Return the notebook as it is saved."""
    import nbformat

    notebook: NotebookNode = nbformat.read(file, as_version=4)
    return notebook


def executed(file: Path, folder: Path) -> NotebookNode:
    """Return the notebook, executed in ``folder`` by a new kernel; raises if a cell does."""
    import nbformat
    from nbclient import NotebookClient
    from traitlets.config import Config

    notebook = read(file)
    with tempfile.TemporaryDirectory() as sockets:
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            resources={"metadata": {"path": str(folder)}},
            config=Config(KernelManager={"transport": "ipc", "ip": f"{sockets}/kernel"}),
            record_timing=False,
            coalesce_streams=True,
            timeout=300,
        )
        client.execute(env={**os.environ, "PYTHONWARNINGS": _WITHOUT_WIDGETS})
    notebook.metadata = nbformat.from_dict(_METADATA)
    return notebook


def outputs(notebook: NotebookNode) -> list[Any]:
    """Return the outputs of each cell, without what depends on versions of libraries and on fonts.

    That is an artifact's digest, and in a figure the places of its texts and marks.
    """
    return [[_comparable(output) for output in cell.get("outputs", ())] for cell in notebook.cells]


def _comparable(output: dict[str, Any]) -> dict[str, Any]:
    shown = dict(output)
    if "data" in shown:
        data = {kind: "".join(text) for kind, text in shown["data"].items()}
        if "text/html" in data:
            data["text/html"] = _DIGEST.sub("…", data["text/html"])
        if "image/svg+xml" in data:
            data["image/svg+xml"] = "\n".join(_SVG_TEXT.findall(data["image/svg+xml"]))
        shown["data"] = data
    return shown


def main() -> None:
    """Save the outputs of all notebooks."""
    import nbformat

    for file in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(executed(file, Path(folder)), file)


if __name__ == "__main__":
    main()
