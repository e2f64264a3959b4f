"""The merge of two copies of a study: the plans and judgments of both, the same in either order."""
