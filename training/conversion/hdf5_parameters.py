"""The parameters in an HDF5 file, one dataset each. Nothing outside the file is read, and no code is run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nextset.errors import DependencyMissing, InputError
from nextset.files.regular_file import require_file
from nextset.scoring.models.library_errors import cause

if TYPE_CHECKING:
    import h5py

__all__ = ["Hdf5Parameters", "hdf5_parameters"]

MOST_MEMBERS = 100_000
"""The most datasets of a file."""
FLOATS = ("float16", "float32", "float64")
OWN_FILTERS = {1, 2, 3}
"""The filters that are part of HDF5 and need no plug-in: deflate, shuffle, Fletcher32."""
LARGEST_CHUNK = 1 << 20
"""The numbers in a chunk that are allowed regardless of the size of the dataset."""
REMEDY = "download the checkpoint again; it must be a file that UnQover's training wrote"


@dataclass(frozen=True)
class Hdf5Parameters:
    """The datasets of an open HDF5 file."""

    path: Path
    """The file."""
    shapes: dict[str, tuple[int, ...]]
    """The shape of each dataset, by name."""
    types: tuple[str, ...]
    """The different types of the numbers, such as float16."""
    _file: Any

    def read(self, name: str) -> npt.NDArray[np.float32]:
        """Return the numbers of the dataset called ``name``. Raises InputError if a number is not finite."""
        with _damage(self.path), np.errstate(over="ignore"):
            numbers = np.asarray(self._file[name][()]).astype(np.float32)
        if not np.isfinite(numbers).all():
            raise InputError(
                f"the parameter {name} has numbers that are not finite in float32",
                file=self.path,
                remedy=REMEDY,
            )
        return numbers


@contextmanager
def hdf5_parameters(path: Path) -> Iterator[Hdf5Parameters]:
    """Open the HDF5 file ``path``.

    Raises InputError for a file that is not HDF5, is damaged or cut off, or holds anything except datasets of
    floating-point numbers, such as groups, objects, links, and data in other files. Raises DependencyMissing
    if the file exists and h5py is not installed.
    """
    _check_file(path)
    try:
        import h5py
    except ImportError:
        raise DependencyMissing(
            "HDF5 checkpoints need h5py, which is not installed",
            remedy="pip install 'nextset[convert]'",
        ) from None
    if not h5py.is_hdf5(path):
        raise InputError("this is not an HDF5 file", file=path, remedy=REMEDY)
    with _damage(path):
        file = h5py.File(path, "r", locking=False)
    with file:
        with _damage(path):
            if len(file) > MOST_MEMBERS:
                raise InputError(f"the file has over {MOST_MEMBERS:,} members", file=path, remedy=REMEDY)
            datasets = {name: _dataset(path, file, name) for name in file}
            shapes = {name: tuple(map(int, dataset.shape)) for name, dataset in datasets.items()}
            types = tuple(sorted({str(dataset.dtype.newbyteorder("=")) for dataset in datasets.values()}))
        yield Hdf5Parameters(path, shapes, types, file)


def _check_file(path: Path) -> None:
    try:
        require_file(path, InputError, remedy="name the .hdf5 file")
    except OSError as e:
        whole = path.with_name(f"{path.name}.hdf5")  # UnQover's own options omit the extension
        remedy = f"did you mean {whole}?" if whole.is_file() else "check the path"
        raise InputError(f"the file cannot be read: {e.strerror}", file=path, remedy=remedy) from None


@contextmanager
def _damage(path: Path) -> Iterator[None]:
    """Raise InputError in place of the many exceptions that h5py raises for damaged files."""
    try:
        yield
    except InputError:
        raise
    except Exception as e:  # noqa: BLE001 – OSError, RuntimeError, KeyError, ValueError, TypeError and others
        raise InputError(f"the file is damaged or cut off: {cause(e)}", file=path, remedy=REMEDY) from None


def _dataset(path: Path, file: h5py.File, name: str) -> h5py.Dataset:
    """Return the dataset called ``name``. Raises InputError if it is not a dataset in this file."""
    import h5py

    def refused(what: str) -> InputError:
        return InputError(f"{name!r:.200} is {what}, not a parameter", file=path, remedy=REMEDY)

    if not isinstance(file.get(name, getlink=True), h5py.HardLink):
        raise refused("a link to something else")
    dataset = file[name]
    if not isinstance(dataset, h5py.Dataset):
        raise refused("a group")
    if dataset.external is not None or dataset.is_virtual:
        raise refused("data in another file")
    if dataset.dtype.hasobject or str(dataset.dtype.newbyteorder("=")) not in FLOATS:
        raise refused(f"of type {dataset.dtype}")
    if dataset.shape is None:
        raise refused("empty")
    settings = dataset.id.get_create_plist()
    if not {settings.get_filter(i)[0] for i in range(settings.get_nfilters())} <= OWN_FILTERS:
        raise refused("compressed with a plug-in")
    if dataset.chunks is not None and math.prod(dataset.chunks) > max(
        LARGEST_CHUNK, math.prod(dataset.shape)
    ):
        raise refused("stored in chunks that are larger than the dataset")
    return dataset
