"""Published items as sources of choices: files, folders and datasets on the Hub, and their lint rules."""
