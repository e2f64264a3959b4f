"""The wording of the gateway's pages in a language: breaks, the end of a session, other people's pages."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from nextset.files.yaml_model import ForPeople

__all__ = ["SessionPageWords"]

_PLACE = re.compile(r"\{(\w*)\}")


def _with(place: str) -> AfterValidator:
    def check(text: str) -> str:
        if _PLACE.findall(text) != [place]:
            raise ValueError(f"this text needs {{{place}}} once, and no other placeholder")
        return text

    return AfterValidator(check)


Words = Annotated[str, Field(min_length=1, max_length=300)]


class SessionPageWords(ForPeople):
    """The texts between the gate and the items, which replace Label Studio's own pages."""

    session: Annotated[Words, _with("study")]
    """The study and the language of the session, on the login page; ``{study}`` is the study's name."""
    moment: Words
    """The text while answers are being pulled."""
    moment_next: Words
    """The text that says that the next items are being prepared, and that the page continues by itself."""
    rest: Words
    """The heading of a break."""
    opens: Annotated[Words, _with("time")]
    """The text that says when the next batch opens; ``{time}`` is a time of day."""
    come_back: Words
    """The text that says that the page can be closed."""
    done: Words
    """The heading when nothing is left."""
    nothing_left: Words
    """The text that says that there is nothing to judge now."""
    closed: Words
    """The text after the end of the session."""
    stopped: Words
    """The text for a person who has left the session."""
    disagreed: Words
    """The text for a person who did not agree, or withdrew consent."""
    misunderstood: Words
    """The text for a person who failed the comprehension check."""
    paused: Words
    """The text for a person whose seat is paused (validate.session.pause_seat)."""
    gate: Words
    """The text of the link to the gate."""
    go_on: Words
    """The button for continuing."""
    log_out: Words
    """The button for logging out."""
    refused: Words
    """The text for a page that does not belong to the person."""
    no_session: Words
    """The text for an account that takes part in no session."""
    logged_in: Annotated[Words, _with("email")]
    """The text that says who is logged in; ``{email}`` is the account."""
    unavailable: Words
    """The text if Label Studio does not answer."""
    too_many: Annotated[Words, _with("minutes")]
    """The text after too many login attempts; ``{minutes}`` is a number."""
    log_in: Words
    """The heading and the button of the login page."""
    email: Words
    """The field for the e-mail of the account."""
    password: Words
    """The field for the password."""
    stay_logged_in: Words
    """The box that keeps the login when the browser is closed."""
    wrong_login: Words
    """The message after a failed login."""
