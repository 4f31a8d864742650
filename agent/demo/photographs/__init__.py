"""The solver on real photographs, through a real model server, on any machine; ``python -m`` this package."""
