"""One file a provider; each registers itself when imported."""
