"""What a model understands: replies, metrics, statistics."""
