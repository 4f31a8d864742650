"""All numbers of a report as frozen values; writers and the page only draw them."""

from .base import ALL, ALL_DEGRADED, By, Subject
from .consistency import ConsistencyRow
from .costs import CostRow, RecoveryRow
from .curves import MixtureScore, SeverityCurve, SeverityPoint
from .examples import Example, ExampleReply, ShownPicture
from .paired import Contrast, PairedRow
from .report import ReportSummary
from .results import ResultRow
from .run_card import ArmCard, PromptExample, RunCard, SentPictures, SettingDifference
from .sensitivity import SensitivityRow
from .stress import StressRow

__all__ = [
    "ALL",
    "ALL_DEGRADED",
    "ArmCard",
    "By",
    "ConsistencyRow",
    "Contrast",
    "CostRow",
    "Example",
    "ExampleReply",
    "MixtureScore",
    "PairedRow",
    "PromptExample",
    "RecoveryRow",
    "ReportSummary",
    "ResultRow",
    "RunCard",
    "SensitivityRow",
    "SentPictures",
    "SettingDifference",
    "SeverityCurve",
    "SeverityPoint",
    "ShownPicture",
    "StressRow",
    "Subject",
]
