"""The question suites, one sub-package or module each; importing them registers them."""
