"""The story of one question as a page that a person can read."""
