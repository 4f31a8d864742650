"""Batch runs: planned before the first call, paid once, resumable at any moment, scored from the whole store."""

from .budget import RunBudget
from .differences import Difference, plan_differences
from .engine import run_calls
from .engine_settings import EngineSettings, RunOutcome, StopReason
from .estimate import Estimate, estimate_run
from .export import export_parquet
from .folder import RunFolder
from .items import PictureRef, RunItem
from .judged import MISSING_STATUS, STATUSES, JudgedRun, judged_run
from .plan import Arm, Call, RunPlan, RunSettings, Told
from .planning import PlannedRun, plan_items, plan_run
from .progress import RunProgress
from .prompts import PROMPTS, Prompt
from .record import CallRecord, Spent
from .results import ResultGroup, RunResults, run_results
from .resume import Stored, read_stored
from .sources import Source
from .store import read_records
from .stress import ItemStress, true_stress, wrong_stress
from .table import results_table

__all__ = [
    "MISSING_STATUS",
    "PROMPTS",
    "STATUSES",
    "Arm",
    "Call",
    "CallRecord",
    "Difference",
    "EngineSettings",
    "Estimate",
    "ItemStress",
    "JudgedRun",
    "PictureRef",
    "PlannedRun",
    "Prompt",
    "ResultGroup",
    "RunBudget",
    "RunFolder",
    "RunItem",
    "RunOutcome",
    "RunPlan",
    "RunProgress",
    "RunResults",
    "RunSettings",
    "Source",
    "Spent",
    "StopReason",
    "Stored",
    "Told",
    "estimate_run",
    "export_parquet",
    "judged_run",
    "plan_differences",
    "plan_items",
    "plan_run",
    "read_records",
    "read_stored",
    "results_table",
    "run_calls",
    "run_results",
    "true_stress",
    "wrong_stress",
]
