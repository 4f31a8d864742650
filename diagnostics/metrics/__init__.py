"""Metrics of answers, their statistics, and metrics of geometry.

Every metric takes plain numbers or arrays, raises ``DiagnosticsError`` for a truth that cannot be scored, and never
for what a model said. None draws a random number; only the bootstrap does, from the seed it is given.
"""

from ...tools.measure.fidelity import mean_psnr_db, psnr_db, ssim
from .boxes import box_accuracy, box_iou, box_mean_accuracy
from .chance import ChanceAdjusted, chance_adjusted_accuracy, chance_adjusted_by_type, chance_level
from .clock import clock_error_deg, clock_hour
from .points import point_chance_level, point_in_mask, robostress_point_in_mask
from .rates import ERROR_STATUS, PARSE_FAILURES, REPLY_STATUSES, ScoreRates, accuracy, score_rates
from .relative_accuracy import PublishedRelativeAccuracy, list_mean_relative_accuracy, mean_relative_accuracy
from .relative_error import absolute_relative_error, band_success
from .statistics import (
    BootstrapMethod,
    ClusteredCells,
    Flips,
    Interval,
    PairedDifference,
    bootstrap_cells,
    cluster_bootstrap,
    cluster_bootstrap_sums,
    cluster_resampled_sums,
    count_flips,
    design_effect,
    detectable_difference,
    items_for_flips,
    items_for_paired_difference,
    items_per_group,
    mcnemar_exact,
    paired_difference,
    paired_point_biserial,
    point_biserial,
    standard_error,
    wilson_interval,
)

__all__ = [
    "ERROR_STATUS",
    "PARSE_FAILURES",
    "REPLY_STATUSES",
    "BootstrapMethod",
    "ChanceAdjusted",
    "ClusteredCells",
    "Flips",
    "Interval",
    "PairedDifference",
    "PublishedRelativeAccuracy",
    "ScoreRates",
    "absolute_relative_error",
    "accuracy",
    "band_success",
    "bootstrap_cells",
    "box_accuracy",
    "box_iou",
    "box_mean_accuracy",
    "chance_adjusted_accuracy",
    "chance_adjusted_by_type",
    "chance_level",
    "clock_error_deg",
    "clock_hour",
    "cluster_bootstrap",
    "cluster_bootstrap_sums",
    "cluster_resampled_sums",
    "count_flips",
    "design_effect",
    "detectable_difference",
    "items_for_flips",
    "items_for_paired_difference",
    "items_per_group",
    "list_mean_relative_accuracy",
    "mcnemar_exact",
    "mean_psnr_db",
    "mean_relative_accuracy",
    "paired_difference",
    "paired_point_biserial",
    "point_biserial",
    "point_chance_level",
    "point_in_mask",
    "psnr_db",
    "robostress_point_in_mask",
    "score_rates",
    "ssim",
    "standard_error",
    "wilson_interval",
]
