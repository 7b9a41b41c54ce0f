"""Packs: contracts on model answers, with the cases they are judged on."""
