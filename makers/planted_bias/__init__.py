"""Planted bias: models whose weights are set by hand, so that an audit must find a known preference."""
