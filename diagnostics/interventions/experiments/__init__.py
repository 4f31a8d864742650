"""Experiments as YAML files, one each."""
