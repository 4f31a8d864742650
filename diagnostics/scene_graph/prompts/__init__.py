"""The words in which graphs are asked for and explained: one text file a version."""
