"""Reports on runs: all numbers computed once, then drawn as tables and pages."""
