"""What goes into an exported lmms-eval task beside its data."""
