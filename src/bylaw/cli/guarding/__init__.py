"""The commands of `bylaw guard`, each imported when it is called."""
