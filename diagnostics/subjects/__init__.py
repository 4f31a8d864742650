"""Calibration subjects: models with a known fault and a dial for its strength, to see whether a diagnosis finds it.

They are instruments. They know the truth of every picture, through the harness that asks them, and their names say so;
what they score says nothing about any real model.
"""

from .behaviour import SUBJECT_KINDS, Behaviour, SubjectKind
from .sheet import KnownPicture, Sheet
from .subject import CalibrationSubject

__all__ = ["SUBJECT_KINDS", "Behaviour", "CalibrationSubject", "KnownPicture", "Sheet", "SubjectKind"]
