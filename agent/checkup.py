"""What works on this machine and what does not, in lines that say what to do."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
import sys
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..bench_data.images import Picture
from ..bench_data.memory import tune_glibc_malloc
from ..tools.detect.registry import DETECTORS
from ..tools.models import GenerationSettings, Reply, ReplyStatus, Request, VisionLanguageModel, user_message
from ..tools.models.registry import MODEL_PROVIDERS
from ..tools.registry import RECTIFIERS

__all__ = ["Finding", "check_installation", "check_model"]

_CORE = ("numpy", "opencv-contrib-python-headless", "pillow", "pydantic", "langgraph", "openai", "json-repair")
_EXTRAS = {
    "torch": "local models (hf/...); pip install 'seeworthy[torch]'",
    "transformers": "local models (hf/...); pip install 'seeworthy[torch]'",
    "langchain": "langchain/... models; pip install 'seeworthy[langchain]'",
}
_OPENCV_PACKAGES = (
    "opencv-python",
    "opencv-python-headless",
    "opencv-contrib-python",
    "opencv-contrib-python-headless",
)


@dataclass(frozen=True)
class Finding:
    """One line of the check-up."""

    level: Literal["ok", "note", "bad"]
    what: str
    text: str


def check_installation() -> list[Finding]:
    """Versions, optional parts, and whatever is known to go wrong between packages."""
    findings = [Finding("ok", "python", f"{platform.python_version()} on {platform.platform()}")]
    for name in _CORE:
        version = _version(name)
        if version:
            findings.append(Finding("ok", name, version))
        else:
            findings.append(Finding("bad", name, "missing; install seeworthy again"))
    for name, purpose in _EXTRAS.items():
        version = _version(name)
        findings.append(Finding("ok", name, version) if version else Finding("note", name, f"not installed: {purpose}"))
    findings.append(_one_opencv())
    findings.append(_accelerator())
    findings.append(_allocator())
    findings += _registries()
    return findings


async def check_model(model: VisionLanguageModel) -> list[Finding]:
    """Asks a model with a picture, and twice with sampling, and says what came back."""
    space = model.capabilities.coordinate_space.value
    findings = [Finding("ok", "model", f"{model.name}; boxes and points in {space}")]
    ramp = np.linspace(0, 255, 64, dtype=np.uint8)
    picture = Picture(np.repeat(np.tile(ramp, (64, 1))[..., None], 3, axis=2), source="a grey ramp")
    message = user_message("Describe the picture in a few words.", (picture,))
    reply = await model.reply(Request(messages=(message,), settings=GenerationSettings(max_tokens=32)))
    findings.append(_reply_finding(reply))
    if reply.status is ReplyStatus.ERROR:
        return findings
    hot = GenerationSettings(max_tokens=32, temperature=1.0)
    samples = [await model.reply(Request(messages=(message,), settings=hot, seed=seed)) for seed in (1, 2, 3)]
    texts = {sample.text for sample in samples if sample.status is not ReplyStatus.ERROR}
    if len(texts) == 1:
        findings.append(
            Finding(
                "note",
                "sampling",
                "three samples at temperature 1 are identical: the server seems to ignore the temperature, so "
                "asking it several times adds nothing",
            )
        )
    elif texts:
        findings.append(Finding("ok", "sampling", f"{len(texts)} different texts in 3 samples"))
    return findings


def _reply_finding(reply: Reply) -> Finding:
    if reply.status is ReplyStatus.ERROR:
        return Finding("bad", "reply", reply.fault.message if reply.fault else "an error without a reason")
    text = f"{reply.status.value} in {reply.latency_s:.2f} s: {reply.text[:80]!r}"
    if reply.status is ReplyStatus.OK and reply.text.strip():
        return Finding("ok", "reply", text)
    return Finding("note", "reply", text)


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _one_opencv() -> Finding:
    present = [name for name in _OPENCV_PACKAGES if _version(name)]
    if len(present) > 1:
        names = ", ".join(present)
        return Finding(
            "bad",
            "opencv",
            f"{names} share one cv2 folder and break each other; uninstall all and install "
            "opencv-contrib-python-headless",
        )
    import cv2

    if not hasattr(cv2, "ximgproc"):
        return Finding("bad", "opencv", "cv2 has no ximgproc; install opencv-contrib-python-headless in its place")
    return Finding("ok", "opencv", f"cv2 {cv2.__version__} with contrib modules")


def _accelerator() -> Finding:
    if importlib.util.find_spec("torch") is None:
        return Finding("note", "accelerator", "torch is not installed; everything runs on the CPU")
    import torch

    if torch.cuda.is_available():
        return Finding("ok", "accelerator", torch.cuda.get_device_name(0))
    return Finding("note", "accelerator", "no CUDA device; everything runs on the CPU")


def _allocator() -> Finding:
    if tune_glibc_malloc():
        return Finding("ok", "allocator", "glibc malloc is tuned for large temporaries")
    return Finding("note", "allocator", f"not glibc ({sys.platform}); nothing to tune")


def _registries() -> list[Finding]:
    findings = [Finding("ok", "providers", ", ".join(spec.example for _, spec in MODEL_PROVIDERS.specs()))]
    findings.append(Finding("ok", "rectifiers", ", ".join(RECTIFIERS.names())))
    for kind, errors in (
        ("provider", MODEL_PROVIDERS.plugin_errors),
        ("tool", RECTIFIERS.plugin_errors),
        ("detector", DETECTORS.plugin_errors),
    ):
        for name, reason in errors.items():
            findings.append(Finding("bad", f"{kind} plug-in {name}", f"could not be loaded: {reason}"))
    return findings
