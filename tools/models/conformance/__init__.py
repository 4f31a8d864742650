"""What every model adapter must do, as checks that the author of an adapter runs on it.

Under pytest::

    from seeworthy.tools.models.conformance import CHECKS, Subject

    SUBJECT = Subject(build=lambda: MyModel("some-name"))

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
    def test_my_model_conforms(check):
        if not check.applies_to(SUBJECT):
            pytest.skip(check.needs)
        check.run(SUBJECT)

or in one call: ``check_model(lambda: MyModel("some-name")).raise_for_failures()``. The checks start event loops of
their own, so they are called from plain functions.
"""

from .checks import CHECKS, UGLY_TEXTS
from .subject import Check, ConformanceError, Subject
from .suite import ConformanceReport, check_model
from .well_formed import require_well_formed

__all__ = [
    "CHECKS",
    "UGLY_TEXTS",
    "Check",
    "ConformanceError",
    "ConformanceReport",
    "Subject",
    "check_model",
    "require_well_formed",
]
