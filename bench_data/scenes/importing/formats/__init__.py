"""One file a source; importing them registers them."""
