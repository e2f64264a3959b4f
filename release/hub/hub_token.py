"""The Hub token and its source."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nextset.errors import ServerError
from nextset.redaction import HIDDEN, hide

__all__ = ["REMEDY", "HubToken", "find_token"]

REMEDY = "log in with `hf auth login`, or set HF_TOKEN to a token with write access"
"""The remedy for a missing or wrong token."""


@dataclass(frozen=True, slots=True, repr=False)
class HubToken:
    """A token of the Hub, hidden in the object's representation."""

    secret: str
    """The token itself."""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[!-~]{4,512}", self.secret):
            # HTTP libraries quote headers that they refuse, so such a token is never sent.
            raise ServerError(
                "the Hub token is not valid: it must have 4 to 512 ASCII characters, without spaces or line "
                "breaks",
                remedy=REMEDY,
            )
        hide(self.secret)

    def __repr__(self) -> str:
        return f"HubToken({HIDDEN})"


def find_token() -> HubToken | None:
    """Return the token in HF_TOKEN, or else the token of huggingface_hub's login, or else None.

    Raises ServerError if the token is not valid.
    """
    from huggingface_hub import get_token
    from huggingface_hub.errors import DeviceCodeError, HfHubHTTPError, OIDCError

    try:
        token = get_token()
    except (OIDCError, DeviceCodeError, HfHubHTTPError, OSError) as e:
        # The text of the error may quote a token.
        raise ServerError(
            f"huggingface_hub's login cannot be used ({type(e).__name__})", remedy=REMEDY
        ) from None
    return HubToken(token) if token else None
