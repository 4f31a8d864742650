"""The report as one HTML file, readable without a network, on a screen, a phone and paper."""

from .examples import LoadPicture, from_runs
from .page import report_page

__all__ = ["LoadPicture", "from_runs", "report_page"]
