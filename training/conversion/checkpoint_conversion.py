"""A checkpoint of UnQover's training becomes a folder that transformers and studies load."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nextset.errors import InputError, ModelError
from nextset.files.file_hash import file_sha256
from nextset.records.short_repr import short_repr
from nextset.scoring.models.config_file import check_config
from nextset.scoring.models.disk_errors import disk_errors
from nextset.scoring.models.library_errors import library_errors
from nextset.scoring.models.loading import LOADING, load
from nextset.scoring.models.sources import ModelSource, locate, settings_folder
from nextset.study.model_labels import hub_repository
from nextset.training.conversion.converted_card import CheckpointFacts, converted_card
from nextset.training.conversion.hdf5_parameters import Hdf5Parameters, hdf5_parameters
from nextset.training.conversion.unqover_options import options_file, read_pipeline_options
from nextset.training.conversion.unqover_parameter_names import PipelineNames, pipeline_names
from nextset.training.conversion.unqover_tokenizer import save_pipeline_tokenizer

__all__ = ["ConvertedCheckpoint", "convert_checkpoint"]

READER = "AutoModelForQuestionAnswering"


@short_repr
@dataclass(frozen=True)
class ConvertedCheckpoint:
    """A converted checkpoint."""

    folder: Path
    """The folder of the model."""
    architecture: str
    """The class of the model."""
    parameters: int
    """The number of its weights."""
    types: tuple[str, ...]
    """The types of the numbers in the checkpoint, such as float16; the model's weights are float32."""
    unused: tuple[str, ...]
    """The parameters of the checkpoint that the model does not use."""
    options: dict[str, Any]
    """The options of the training, if a file next to the checkpoint has them."""


def convert_checkpoint(file: Path | str, transformer: str, out: Path | str) -> ConvertedCheckpoint:
    """Convert the HDF5 checkpoint ``file`` of UnQover's training into a model in the new folder ``out``.

    ``transformer`` is the Hub id or folder of the transformer that the checkpoint was trained from; the model
    gets its configuration and tokenizer. The options of the training, NAME.opt next to NAME.hdf5, are on the
    model's card. The model gives the probabilities of the published pipeline, in float32. Raises InputError
    for a file that is damaged or does not fit the transformer, ModelError for a transformer that cannot be
    used, and DependencyMissing without h5py.
    """
    file, out = Path(file), Path(out)
    if out.exists() or out.is_symlink():
        raise InputError(
            "the folder already exists", file=out, remedy="choose a different --out, or remove the folder"
        )
    with hdf5_parameters(file) as parameters:
        options = read_pipeline_options(options_file(file))
        folder = settings_folder(transformer)
        base = _read_base(transformer, folder)
        names = pipeline_names(
            file, parameters.shapes, base.reader, transformer, str(options.get("transformer_type") or "")
        )
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=".converted-") as scratch:
            work = Path(scratch) / "model"
            with disk_errors(out):
                _save(base, parameters, names, work, transformer)
            result = ConvertedCheckpoint(
                out,
                type(base.reader).__name__,
                base.reader.num_parameters(),
                parameters.types,
                names.unused,
                dict(options),
            )
            (work / "README.md").write_text(_card(result, file, transformer, folder), encoding="utf-8")
            load(locate(str(work)), READER, device="cpu")
            work.rename(out)
    return result


@dataclass(frozen=True)
class _Base:
    """The transformer that a checkpoint was trained from, without its weights."""

    reader: Any
    """A reader of the architecture, on the meta device."""
    tokenizer: Any


def _read_base(transformer: str, folder: Path) -> _Base:
    import torch
    import transformers

    check_config(ModelSource(transformer, folder, "", ""), remote_code=False)
    safe: dict[str, Any] = {"trust_remote_code": False, "local_files_only": True}
    auto: Any = getattr(transformers, READER)
    problem = f"{transformer} cannot be used"
    with library_errors(problem, f"check the files in {folder}"), LOADING:
        config: Any = transformers.AutoConfig.from_pretrained(str(folder), **safe)
        config.dtype = "float32"
        with torch.device("meta"):
            reader = auto.from_config(config, trust_remote_code=False)
        return _Base(reader, transformers.AutoTokenizer.from_pretrained(str(folder), **safe))


def _save(
    base: _Base, parameters: Hdf5Parameters, names: PipelineNames, work: Path, transformer: str
) -> None:
    import torch
    from safetensors.torch import save_file

    size = base.reader.get_input_embeddings().num_embeddings
    if len(base.tokenizer) > size:
        raise ModelError(
            f"the tokenizer of {transformer} has {len(base.tokenizer):,} tokens, but its model only {size:,}",
            remedy="choose a transformer whose tokenizer fits its configuration",
        )
    work.mkdir()
    base.reader.config.architectures = [type(base.reader).__name__]
    base.reader.config.save_pretrained(work)
    save_pipeline_tokenizer(base.tokenizer, work, transformer)
    weights = {name: torch.from_numpy(parameters.read(there)) for name, there in names.in_file.items()}
    save_file(weights, work / "model.safetensors", metadata={"format": "pt"})
    (work / "model.safetensors").chmod(0o644)


def _card(result: ConvertedCheckpoint, file: Path, transformer: str, folder: Path) -> str:
    repository = hub_repository(transformer, Path())
    facts = CheckpointFacts(
        name=file.name,
        sha256=file_sha256(file),
        transformer=folder.name if repository is None else transformer,
        repository=repository,
        architecture=result.architecture,
        parameters=result.parameters,
        types=result.types,
        unused=result.unused,
        options=result.options,
    )
    return converted_card(facts)
