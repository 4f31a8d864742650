"""Our questions and our scoring inside other evaluation tools. Each module needs its tool; none is imported here."""
