"""Checks the documentation: links lead somewhere, Python examples run, commands exist."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")
COMMAND = re.compile(r"^(?:\$ )?seeworthy ([a-z]+(?:-[a-z]+)*)", re.MULTILINE)


def broken_links(page: Path) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return [f"{page.name}: no file {target}" for target in LINK.findall(text) if not (page.parent / target).exists()]


def unknown_commands(page: Path) -> list[str]:
    found = []
    for command in sorted(set(COMMAND.findall(page.read_text(encoding="utf-8")))):
        done = subprocess.run([sys.executable, "-m", "seeworthy.agent.cli", command, "--help"], capture_output=True)
        if done.returncode:
            found.append(f"{page.name}: seeworthy {command} does not exist")
    return found


def main() -> int:
    problems = []
    for page in PAGES:
        problems += broken_links(page) + unknown_commands(page)
        failed, _ = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
        if failed:
            problems.append(f"{page.name}: {failed} examples fail")
    for problem in problems:
        print(problem)
    print(f"{len(PAGES)} pages checked, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
