"""Data for supervised fine-tuning: what a model is taught to say, and which scenes it never sees."""

from .answers import taught_answer
from .export import TrainingManifest, write_training_data
from .records import not_taught, training_record
from .scenes import held_out_scenes

__all__ = [
    "TrainingManifest",
    "held_out_scenes",
    "not_taught",
    "taught_answer",
    "training_record",
    "write_training_data",
]
