"""``seeworthy detect``: what is wrong with pictures."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from .common import ExitCode, build_model, load_pictures

__all__ = ["detect"]


def detect(
    images: Annotated[list[str], typer.Argument(metavar="IMAGE...", help="Picture files.")],
    model: Annotated[str | None, typer.Option("--model", "-m", help="Ask this model as well.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a picture, one a line.")] = False,
    model_option: Annotated[
        list[str] | None, typer.Option("--model-option", help="key=value for the provider; may be repeated.")
    ] = None,
) -> int:
    """Name the visual stress in pictures, with severity (0 to 5), confidence and the reason."""
    import asyncio

    from ...tools.detect.fusion import fuse
    from ...tools.detect.model_prompt import detect_by_model
    from ...tools.detect.registry import DETECTORS, apply_detector

    asked = build_model(model, model_option or []) if model else None
    failed = False
    for path, picture in zip(images, load_pictures(images), strict=True):
        detections = [apply_detector(spec, picture) for _, spec in DETECTORS.specs()]
        if asked:
            detections.append(asyncio.run(detect_by_model(picture, asked)))
        broken = [d for d in detections if d.failed]
        failed |= bool(broken)
        findings = fuse(detections).findings
        if as_json:
            row = {
                "image": path,
                "findings": [finding.model_dump(mode="json") for finding in findings],
                "failed": {d.detector: d.failed for d in broken},
            }
            typer.echo(json.dumps(row, ensure_ascii=False))
            continue
        typer.echo(f"{path}: {'no stress found' if not findings else ''}".rstrip())
        for finding in findings:
            typer.echo(
                f"  {finding.stress.label:<20} severity {finding.severity:.1f}   confidence {finding.confidence:4.0%}"
                f"   {finding.reason}"
            )
        for d in broken:
            typer.echo(f"  {d.detector}: could not look: {d.failed}")
    return ExitCode.FAILED if failed else ExitCode.OK
