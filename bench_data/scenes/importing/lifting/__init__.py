"""Objects in space out of masks in single pictures."""

from .lifting import Lifted, lift_masks
from .masks import InstanceMask, MaskedView, MaskSource, masked_view
from .settings import LiftSettings
from .upright import box_iou, inliers, upright_box

__all__ = [
    "InstanceMask",
    "LiftSettings",
    "Lifted",
    "MaskSource",
    "MaskedView",
    "box_iou",
    "inliers",
    "lift_masks",
    "masked_view",
    "upright_box",
]
