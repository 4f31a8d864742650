"""One file a format; adding one is one new file."""
