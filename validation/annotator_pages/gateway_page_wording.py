"""What the gateway's pages say in a language: breaks, the end of a session, pages that belong to others."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from nextset.files.yaml_model import HandWritten

__all__ = ["SessionPageWords"]

_PLACE = re.compile(r"\{(\w*)\}")


def _with(place: str) -> AfterValidator:
    def check(text: str) -> str:
        if _PLACE.findall(text) != [place]:
            raise ValueError(f"this text needs {{{place}}} once, and no other placeholder")
        return text

    return AfterValidator(check)


Words = Annotated[str, Field(min_length=1, max_length=300)]


class SessionPageWords(HandWritten):
    """What people read between the gate and the items, in the place of Label Studio's own pages."""

    moment: Words
    """Shown while answers are taken in."""
    rest: Words
    """The heading of a break."""
    opens: Annotated[Words, _with("time")]
    """When the next batch opens; ``{time}`` is a time of day."""
    come_back: Words
    """The page can be closed."""
    done: Words
    """The heading when nothing is left."""
    nothing_left: Words
    """That there is nothing to judge now."""
    closed: Words
    """The session has ended."""
    stopped: Words
    """The person has left the session."""
    disagreed: Words
    """The person did not agree, or took consent back."""
    misunderstood: Words
    """The comprehension items were not understood."""
    gate: Words
    """The link to the gate."""
    go_on: Words
    """The button that leads on."""
    log_out: Words
    """The button for logging out."""
    refused: Words
    """A page that is not the person's."""
    no_session: Words
    """The account takes part in no session."""
    logged_in: Annotated[Words, _with("email")]
    """Who is logged in; ``{email}`` is the account."""
    unavailable: Words
    """Label Studio does not answer."""
    too_many: Annotated[Words, _with("minutes")]
    """Too many attempts to log in; ``{minutes}`` is a number."""
