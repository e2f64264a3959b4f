"""The score cache: scores that were computed once, stored on this machine for all studies."""
