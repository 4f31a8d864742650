"""Stress detectors: image statistics without any model, and a model asked in strict JSON."""
