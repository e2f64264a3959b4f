"""Stereotype templates: their files, their placeholder grammar, overlays."""
