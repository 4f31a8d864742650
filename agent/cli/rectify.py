"""``seeworthy rectify``: repair a picture and write it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .common import ExitCode, UsageError, load_pictures, parse_settings, say

if TYPE_CHECKING:
    from ...bench_data.images import Picture

__all__ = ["rectify"]


def rectify(
    image: Annotated[str, typer.Argument(metavar="IMAGE", help="A picture file.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Where to write the result (.png, or .jpg at quality 95).")],
    tool: Annotated[str, typer.Option("--tool", help="A tool of `seeworthy tools list`, or auto.")] = "auto",
    profile: Annotated[str, typer.Option("--profile", help="For auto: fidelity or perception.")] = "fidelity",
    severity: Annotated[float | None, typer.Option("--severity", min=0, max=5, help="For a named tool.")] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", help="key=value for a named tool; may be repeated.")
    ] = None,
) -> int:
    """Repair a picture. With auto, find what is wrong, repair it, verify the repair, and else leave it alone."""
    if out.suffix.lower() not in (".png", ".jpg", ".jpeg"):
        raise UsageError(f"cannot write {out}: the name must end in .png, .jpg or .jpeg")
    if not out.parent.is_dir():
        raise UsageError(f"cannot write {out}: there is no folder {out.parent}")
    if out.exists() and Path(image).exists() and out.samefile(image):
        raise UsageError(f"cannot write {out}: it is the input, which would be lost; choose another name")
    [picture] = load_pictures([image])
    if tool == "auto":
        if option or severity is not None:
            raise UsageError("--option and --severity belong to a named tool; auto measures for itself")
        result = _auto(picture, profile)
    else:
        result = _named(picture, tool, severity, option or [])
    if result is not picture and out.suffix.lower() != ".png":
        say(f"{out}: JPEG loses detail; choose .png for what a model shall see")
    _write(result, out)
    return ExitCode.OK


def _auto(picture: Picture, profile: str) -> Picture:
    import asyncio

    from ..repair import repair_picture

    repaired = asyncio.run(repair_picture(picture, profile=profile, report=say))
    if not repaired.changed:
        tried = ", ".join(dict.fromkeys(t.tool for t in repaired.work.tries))
        untried = repaired.work.idle_because
        say(f"left alone: {f'nothing that was tried passed the verifier ({tried})' if tried else untried}")
    return repaired.picture


def _named(picture: Picture, tool: str, severity: float | None, pairs: list[str]) -> Picture:
    from ...bench_data.images import Picture as _Picture
    from ...tools.registry import RECTIFIERS, RectifyHint, apply_rectifier

    options: dict[str, float] = {}
    for key, text in parse_settings(pairs, "--option").items():
        try:
            options[key] = float(text)
        except ValueError:
            raise UsageError(f"--option {key}={text}: a number is needed") from None
    spec = RECTIFIERS.get(tool)
    result = apply_rectifier(spec, picture.image_srgb, RectifyHint(severity=severity, options=options))
    settings = ", ".join(f"{key}={value:.4g}" for key, value in result.parameters.items())
    say(f"{tool}: {result.note or 'done'}" + (f" ({settings})" if settings else ""))
    return _Picture.from_srgb(result.image_srgb, source=picture.source)


def _write(picture: Picture, out: Path) -> None:
    from PIL import Image

    if out.suffix.lower() == ".png":
        out.write_bytes(picture.png())
    else:
        Image.fromarray(picture.image_srgb_u8).save(out, format="JPEG", quality=95, subsampling=0)
    say(f"wrote {out}")
