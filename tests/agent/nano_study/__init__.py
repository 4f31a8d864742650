"""The study of the embedded models, and the demo."""
