"""Writers of reports: pure functions from the summary to text."""

from .csv_files import CSV_FILES, csv_files
from .json_file import report_json
from .latex import report_latex
from .markdown import report_markdown

__all__ = ["CSV_FILES", "csv_files", "report_json", "report_latex", "report_markdown"]
