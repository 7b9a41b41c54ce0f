"""Plans run by the harness, with subjects, worlds and checks made for the occasion."""
