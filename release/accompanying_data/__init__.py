"""The judgments, annotators and scores that ship with a release, pseudonymous and k-anonymous."""
