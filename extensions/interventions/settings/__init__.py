"""The sections of study.yaml that this extension adds."""
