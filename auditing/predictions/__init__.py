"""Prediction files in the format of UnQover (Li et al. 2020), read in their published form."""
