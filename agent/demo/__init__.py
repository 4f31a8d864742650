"""``make demo``: the embedded model on clean and degraded rooms, alone and within the solver, in one report."""
