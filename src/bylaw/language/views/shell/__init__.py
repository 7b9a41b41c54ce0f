"""A reader of shell command lines: what would be executed, as far as the text tells."""
