"""What the agent and the audits can call: stress detectors, rectifiers, measurements, model adapters."""
