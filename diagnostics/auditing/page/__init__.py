"""One HTML file with everything that an audit found, readable without a network."""

from .page import audit_page

__all__ = ["audit_page"]
