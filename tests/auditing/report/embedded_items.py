"""The items that a page holds for its explorer."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any

__all__ = ["embedded"]


def embedded(html: str) -> dict[str, Any]:
    """Return the explorer's items of a page."""
    found = re.search(r'id="explorer-data">([^<]*)<', html)
    assert found
    items: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(found[1])))
    return items
