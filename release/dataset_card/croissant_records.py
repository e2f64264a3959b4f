"""Croissant's record sets: a config's columns as fields, and the names that a column stores as numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from nextset.release.dataset_card.card_configs import CardConfig

__all__ = ["enumeration", "files_id", "node_id", "record_set"]

_OTHER = re.compile(r"[^A-Za-z0-9_./-]")

_TYPES = {
    "string": "sc:Text",
    "large_string": "sc:Text",
    "bool": "sc:Boolean",
    "float16": "sc:Float",
    "float32": "sc:Float",
    "float64": "sc:Float",
}


def node_id(name: str) -> str:
    """Return ``name`` as an @id: characters that mlcroissant does not accept become their code points."""
    return _OTHER.sub(lambda m: f"~{ord(m[0]):x}~", name)


def files_id(config: str) -> str:
    """Return the @id of a config's files."""
    return node_id(f"files-of-{config}")


def enumeration(column: str, names: Sequence[str]) -> dict[str, Any]:
    """Return the names of the numbers in ``column`` as a record set with inline data."""
    own = node_id(f"names-of-{column}")
    return {
        "@type": "cr:RecordSet",
        "@id": own,
        "name": own,
        "description": f"The names of the numbers in the column {column}.",
        "dataType": "sc:Enumeration",
        "key": {"@id": f"{own}/number"},
        "field": [
            {"@type": "cr:Field", "@id": f"{own}/number", "name": "number", "dataType": "sc:Integer"},
            {"@type": "cr:Field", "@id": f"{own}/name", "name": "name", "dataType": "sc:Text"},
        ],
        "data": [{f"{own}/number": i, f"{own}/name": name} for i, name in enumerate(names)],
    }


def record_set(config: CardConfig, meanings: Mapping[str, str]) -> dict[str, Any]:
    """Return a config's columns as fields, with a field named split that is read from the files' names."""
    files = {"@id": files_id(config.name)}
    split = {
        "@type": "cr:Field",
        "@id": node_id(f"{config.name}/split"),
        "name": "split",
        "description": "The split, from the name of the file.",
        "dataType": "sc:Text",
        "source": {
            "fileSet": files,
            "extract": {"fileProperty": "filename"},
            "transform": {"regex": "^(.+)-[0-9]+-of-[0-9]+\\.parquet$"},
        },
    }
    taken = any(feature["name"] == "split" for feature in config.features)
    fields = [
        _field(config.name, feature, [feature["name"]], meanings.get(feature["name"], ""))
        for feature in config.features
    ]
    return {
        "@type": "cr:RecordSet",
        "@id": node_id(config.name),
        "name": config.name,
        "description": config.meaning or config.name,
        "field": fields if taken else [split, *fields],
    }


def _field(config: str, feature: Mapping[str, Any], path: Sequence[str], meaning: str = "") -> dict[str, Any]:
    """Return the field at ``path``, a column and the keys inside of it."""
    own = node_id(f"{config}/{'/'.join(path)}")
    head = {
        "@type": "cr:Field",
        "@id": own,
        "name": "/".join(path),
        **({"description": meaning} if meaning else {}),
    }
    inner, repeated = _inside(feature)
    if isinstance(inner, list):
        fields = [_field(config, each, [*path, each["name"]]) for each in inner]
        return {**head, **({"repeated": True} if repeated else {}), "subField": fields}
    column, *keys = path
    source: dict[str, Any] = {"fileSet": {"@id": files_id(config)}, "extract": {"column": column}}
    if keys:
        source["transform"] = [{"jsonPath": key} for key in keys]
    return {
        **head,
        "dataType": _TYPES.get(inner, "sc:Integer"),
        **({"repeated": True} if repeated else {}),
        "source": source,
    }


def _inside(feature: Mapping[str, Any]) -> tuple[str | list[Mapping[str, Any]], bool]:
    """Return the type or the fields of a feature, and whether it holds a list of them."""
    for key in ("list", "large_list"):
        if key in feature:
            inside = feature[key]
            if isinstance(inside, Mapping):
                return _inside(inside)[0], True
            return inside, True
    if "struct" in feature:
        return list(feature["struct"]), False
    dtype = feature["dtype"]
    return (dtype if isinstance(dtype, str) else "int64"), False
