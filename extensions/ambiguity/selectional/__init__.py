"""Selectional ambiguity: which of several right answers models give, by group and by order of mention."""
