"""The commands of `bylaw audit`, each imported when it is called."""
