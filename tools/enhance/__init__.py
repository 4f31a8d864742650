"""Classical rectifiers, one file a family; each module registers its tools when imported."""
