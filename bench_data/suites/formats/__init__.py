"""The formats, one file each; importing a file registers what it holds."""
