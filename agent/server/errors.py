"""Errors as clients of the OpenAI protocol know them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ...tools.models import Fault, FaultKind
from ..errors import SolverError

__all__ = ["ApiError", "bad_request", "fault_error", "too_large"]

_KINDS = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}

# What went wrong between this server and the model is not the client's fault, so it never becomes a 401 or 404 here:
# the client would look for the trouble in its own key or model name.
_STATUS_OF_FAULT = {
    FaultKind.TOO_LARGE: 413,
    FaultKind.RATE_LIMIT: 429,
    FaultKind.QUOTA: 429,
    FaultKind.TIMEOUT: 504,
}
_CODE_OF_FAULT = {FaultKind.QUOTA: "insufficient_quota", FaultKind.RATE_LIMIT: "rate_limit_exceeded"}


class ApiError(SolverError):
    """A request that ends with an error status.

    Attributes:
        status: of HTTP.
        code: a word for machines.
        param: the field of the request that is to blame.
        headers: to be sent with it.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str,
        param: str | None = None,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param
        self.headers = dict(headers)

    @property
    def kind(self) -> str:
        """OpenAI's ``type``."""
        return _KINDS.get(self.status, "server_error" if self.status >= 500 else "invalid_request_error")

    def body(self) -> dict[str, object]:
        """The JSON form, as OpenAI writes it."""
        return {"error": {"message": str(self), "type": self.kind, "param": self.param, "code": self.code}}


def bad_request(message: str, *, param: str | None = None, code: str = "invalid_value") -> ApiError:
    """400: the request itself is wrong."""
    return ApiError(400, message, code=code, param=param)


def too_large(message: str, *, param: str | None = None, code: str = "request_too_large") -> ApiError:
    """413: the request is sound and too much."""
    return ApiError(413, message, code=code, param=param)


def fault_error(fault: Fault) -> ApiError:
    """What a model's fault is for the client.

    Its client library must not repeat the call at once, since the adapter has done so already where that made sense;
    only a server that named a time is tried again after it.
    """
    headers = {"x-should-retry": "false"}
    if fault.kind is FaultKind.RATE_LIMIT and fault.retry_after_s is not None:
        headers = {"x-should-retry": "true", "retry-after": str(max(1, round(fault.retry_after_s)))}
    code = _CODE_OF_FAULT.get(fault.kind, f"upstream_{fault.kind.value}")
    blamed_on_client = fault.kind is FaultKind.BAD_REQUEST and fault.http_status in (None, 400, 422)
    status = 400 if blamed_on_client else _STATUS_OF_FAULT.get(fault.kind, 502)
    return ApiError(
        status, f"the model gave no reply ({fault.kind.value}): {fault.message}", code=code, headers=headers
    )
