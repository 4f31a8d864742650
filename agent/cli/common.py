"""What the sub-commands share: exit codes, error printing, and reading of repeated options."""

from __future__ import annotations

import sys
import unicodedata
import warnings
from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Literal

from ...bench_data.errors import BenchDataError, OutputError, RegistryError, SeeworthyError

if TYPE_CHECKING:
    from typer import Typer

    from ...bench_data.images import Picture
    from ...bench_data.splats import GaussianCloud
    from ...tools.models import VisionLanguageModel

__all__ = ["ExitCode", "UsageError", "build_model", "load_cloud", "load_pictures", "parse_settings", "run_app", "say"]


class ExitCode(IntEnum):
    """What the shell is told."""

    OK = 0
    FAILED = 1
    USAGE = 2
    """A wrong argument, or an input file that cannot be used."""
    MODEL_UNAVAILABLE = 3
    """The model gave no reply; the same command goes on from where it stopped."""
    ABSTAINED = 4
    """The honest answer is "cannot tell"."""
    BUDGET_SPENT = 5
    """A run stopped at its budget; the same command with a larger one goes on."""
    INTERRUPTED = 130


class UsageError(SeeworthyError):
    """The command line cannot be understood."""


def say(line: str) -> None:
    """A line for the person, on stderr, so that stdout holds results only."""
    print("".join(map(_shown, line)), file=sys.stderr, flush=True)


def _shown(letter: str) -> str:
    """Control characters, which a server's words may hold, would steer the terminal."""
    return letter if letter in "\n\t" or unicodedata.category(letter) != "Cc" else f"\\x{ord(letter):02x}"


def run_app(app: Typer) -> int:
    """Runs the command line and turns every error that Seeworthy raises on purpose into one line and an exit code."""
    import typer

    from ..errors import ModelUnavailableError

    # Older typer uses click, newer carries a copy of it; BadParameter < UsageError < ClickException in both.
    command_line_error: type[Exception] = typer.BadParameter.__mro__[2]

    try:
        code = app(standalone_mode=False)
    except ModelUnavailableError as error:
        say(f"error: {error}")
        return ExitCode.MODEL_UNAVAILABLE
    except OutputError as error:
        say(f"error: {error}")
        return ExitCode.FAILED
    except (UsageError, BenchDataError, RegistryError) as error:
        say(f"error: {error}")
        return ExitCode.USAGE
    except SeeworthyError as error:
        say(f"error: {error}")
        return ExitCode.FAILED
    except (typer.Abort, KeyboardInterrupt):
        say("interrupted")
        return ExitCode.INTERRUPTED
    except command_line_error as error:
        error.show()  # type: ignore[attr-defined]
        return ExitCode.USAGE
    except UnicodeError as error:
        say(f"error: this terminal cannot show the text: {error}; set PYTHONIOENCODING=utf-8")
        return ExitCode.FAILED
    except BrokenPipeError:
        # The reader of our output went away (``seeworthy ... | head``): nothing is left to say to it.
        sys.stderr.close()
        return ExitCode.OK
    except OSError as error:
        say(f"error: {error}")
        return ExitCode.FAILED
    return int(code) if isinstance(code, int) else ExitCode.OK


def parse_settings(pairs: Sequence[str], flag: str) -> dict[str, str]:
    """``key=value`` pairs of a repeated option."""
    settings: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"{flag} {pair!r} is not of the form key=value")
        settings[key.strip()] = value.strip()
    return settings


def build_model(name: str, options: Sequence[str]) -> VisionLanguageModel:
    """The model that ``--model`` names; ``robust(NAME)`` wraps it with the default profile."""
    from ...tools.models.registry import resolve_model

    if name.startswith("robust(") and name.endswith(")"):
        from ..robust import RobustVLM

        return RobustVLM(build_model(name[len("robust(") : -1], options))
    return resolve_model(name, parse_settings(options, "--model-option"))


def load_pictures(paths: Sequence[str]) -> list[Picture]:
    """All pictures, with what the loader had to do to them said on stderr."""
    from ...bench_data.images import load_image

    pictures = []
    for path in paths:
        picture = load_image(path)
        for note in picture.notes:
            say(f"{path}: {note}")
        pictures.append(picture)
    return pictures


def load_cloud(
    path: str, *, activated: bool = False, strict: bool = False, spz_axes: Literal["rub", "rdf"] = "rub"
) -> GaussianCloud:
    """A splat file, with what the reader had to do to it said on stderr."""
    from ...bench_data.errors import BenchDataWarning
    from ...bench_data.splats import read_splats

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BenchDataWarning)  # the notes say the same
        cloud = read_splats(path, activated=activated, on_bad="error" if strict else "drop", spz_axes=spz_axes)
    for note in cloud.notes:
        say(f"{path}: {note}")
    return cloud
