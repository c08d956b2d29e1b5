"""Runs the steps of a page word for word: page_steps.py PAGE FOLDER [FIRST [LAST]]

A step begins with its number, "**3.** ". Each of its blocks of code is taken in turn, as a reader would:

- A block whose first line names a file ("# schemas/Person.yaml", "// Sources/App/main.swift") is written to it; with ", at its end" it is put there.
  A manifest is known by its own first line.
- A block of `sh` is run in FOLDER.
- A block of `text` is what the block of `sh` before it has said: its lines stand in the output, in this order; "…" stands for anything.

STRATA_DEPENDENCY takes the place of the path by which pages depend on this package. Where FOLDER's commands are to be called in another way, export
functions of bash. Other scripts import `steps`.
"""

import dataclasses
import os
import pathlib
import re
import subprocess
import sys

DEPENDENCY = 'name: "strata", path: "../strata"'
FILE = re.compile(r"^(?://|#|--) ([A-Za-z0-9/._-]+\.[a-z]+)(, at its end)?$")
# Seconds that the commands of one block may take: the first one compiles Strata.
LIMIT = 3600


@dataclasses.dataclass
class Block:
    language: str
    text: str
    path: str = ""
    is_addition: bool = False


@dataclasses.dataclass
class Step:
    number: int
    # What stands in the step, in turn: prose (str) and blocks of code.
    parts: list

    @property
    def blocks(self):
        return [part for part in self.parts if isinstance(part, Block)]


def block(language, text):
    first, _, rest = text.partition("\n")
    if first.startswith("// swift-tools-version"):
        return Block(language, text, "Package.swift")
    match = FILE.match(first)
    if match and language != "sh":
        return Block(language, rest, match.group(1), bool(match.group(2)))
    return Block(language, text)


def steps(page):
    """The steps of a page's text."""
    found = []
    # The next heading ends the steps before it.
    for part in re.split(r"^(?=\*\*\d+\.\*\* |## )", page, flags=re.M):
        start = re.match(r"\*\*(\d+)\.\*\* ", part)
        if not start:
            continue
        parts = []
        for piece in re.split(r"(^```.*?^```$)", part[start.end():], flags=re.M | re.S):
            code = re.match(r"```(\w*)\n(.*)```\Z", piece, flags=re.S)
            if code:
                parts.append(block(code.group(1), code.group(2)))
            elif piece.strip():
                parts.append(piece.strip())
        found.append(Step(int(start.group(1)), parts))
    return found


def write(entry, folder):
    path = folder / entry.path
    path.parent.mkdir(parents=True, exist_ok=True)
    text = entry.text
    dependency = os.environ.get("STRATA_DEPENDENCY")
    if dependency and path.name == "Package.swift":
        text = text.replace(DEPENDENCY, dependency)
    with open(path, "a" if entry.is_addition else "w") as file:
        file.write("\n" + text if entry.is_addition else text)


def missing_line(expected, output):
    """The first line that the output does not have behind the ones before it."""
    lines = iter(line.strip() for line in output.splitlines())
    for line in expected.splitlines():
        if line.strip() in ("", "…"):
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in line.strip().split("…")))
        if not any(pattern.fullmatch(other) for other in lines):
            return line
    return None


def run(step, folder):
    """Returns what went wrong."""
    said = ""
    for entry in step.blocks:
        if entry.path:
            write(entry, folder)
        elif entry.language == "sh":
            result = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", entry.text], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL, text=True, timeout=LIMIT)
            said = result.stdout
            print(said, end="")
            if result.returncode:
                return f"exit status {result.returncode} of\n{entry.text}"
        elif entry.language == "text":
            line = missing_line(entry.text, said)
            if line is not None:
                return f"the page says\n{line}\nwhich is not in the output"
    return None


def main():
    page, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    found = steps(page.read_text())
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    last = int(sys.argv[4]) if len(sys.argv) > 4 else first if len(sys.argv) > 3 else len(found)
    wanted = [step for step in found if first <= step.number <= last]
    if [step.number for step in wanted] != list(range(first, last + 1)):
        sys.exit(f"{page}: has steps {[step.number for step in found]}, not {first} to {last}")
    for step in wanted:
        problem = run(step, folder)
        if problem:
            sys.exit(f"{page}: step {step.number}: {problem}")


if __name__ == "__main__":
    main()
