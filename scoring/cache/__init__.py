"""The score cache: scores that were computed once, kept on this machine for all studies."""
