"""Scenes out of other programs' and data sets' files, and objects out of masks of single pictures."""
