"""The content warning, which is shown wherever people read the texts."""

__all__ = ["CONTENT_WARNING", "FOUND_WARNING"]

CONTENT_WARNING = (
    "Content warning: the texts state social stereotypes about groups of people. They are here because "
    "this tool measures whether language models hold such stereotypes; none of them is asserted. They can "
    "be distressing to read. Take breaks, and stop when you want to."
)
FOUND_WARNING = (
    "Content warning: groups of people are compared here. Whom a model overlooks can be distressing to read."
)
"""The warning of pages on who gets found, whose texts do not state stereotypes."""
