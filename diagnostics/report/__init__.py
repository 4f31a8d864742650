"""Reports on runs: all numbers computed once, then drawn as tables and pages."""

from .building import report_summary
from .summary import ReportSummary

__all__ = ["ReportSummary", "report_summary"]
