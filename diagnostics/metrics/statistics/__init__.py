"""Statistics of scores: intervals that respect clusters, paired comparisons, association, power."""

from .association import paired_point_biserial, point_biserial
from .bootstrap import BootstrapMethod, cluster_bootstrap, cluster_bootstrap_sums, cluster_resampled_sums
from .cells import ClusteredCells, bootstrap_cells
from .intervals import Interval, wilson_interval
from .paired import Flips, PairedDifference, count_flips, mcnemar_exact, paired_difference
from .power import (
    design_effect,
    detectable_difference,
    items_for_flips,
    items_for_paired_difference,
    items_per_group,
)
from .standard_errors import standard_error

__all__ = [
    "BootstrapMethod",
    "ClusteredCells",
    "Flips",
    "Interval",
    "PairedDifference",
    "bootstrap_cells",
    "cluster_bootstrap",
    "cluster_bootstrap_sums",
    "cluster_resampled_sums",
    "count_flips",
    "design_effect",
    "detectable_difference",
    "items_for_flips",
    "items_for_paired_difference",
    "items_per_group",
    "mcnemar_exact",
    "paired_difference",
    "paired_point_biserial",
    "point_biserial",
    "standard_error",
    "wilson_interval",
]
