"""The commands of `bylaw model`, each imported when it is called."""
