"""Asking models: providers behind one form, with their time limits, retries and failures."""
