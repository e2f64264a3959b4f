"""The annotators' pages: gate, labelling page, guidelines and tasks."""
