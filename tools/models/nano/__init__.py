"""Checkpoints of the embedded models; trained by `seeworthy nano train`."""
