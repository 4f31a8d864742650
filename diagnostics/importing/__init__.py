"""Old results of other evaluation tools as runs of ours, scored again by the same rules as everything else."""

from .comparison import Change, ChangeReason, Comparison, Example, compare_scores
from .importing import ImportSettings, import_run
from .limits import ImportLimits
from .registry import RUN_FORMATS, RunFormat, run_format
from .rows import BadPlace, OldRow, Place, cut_reply, failed_reply, given_reply
from .summary import ImportSummary, LeftOut

__all__ = [
    "RUN_FORMATS",
    "BadPlace",
    "Change",
    "ChangeReason",
    "Comparison",
    "Example",
    "ImportLimits",
    "ImportSettings",
    "ImportSummary",
    "LeftOut",
    "OldRow",
    "Place",
    "RunFormat",
    "compare_scores",
    "cut_reply",
    "failed_reply",
    "given_reply",
    "import_run",
    "run_format",
]
