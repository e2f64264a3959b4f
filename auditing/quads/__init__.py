"""Questions and masked statements about two subjects become the measures of UnQover (Li et al. 2020)."""
