"""Makes tutorials of DocC of pages with steps: those of docs/tutorials and the README.

A step is a section. Each of its files is shown as it stands then, with what is new in it, each of its commands as a file of its own, and what a command
says as one more; prose stands between them.
"""

import re

from page_steps import Block, steps

# In the order of the table of contents: a chapter's name, what it says, its picture and the picture's words, and its tutorials.
CHAPTERS = [
    (
        "A package of your own", "From an empty folder to an upgraded file, and to a check of each pull request.", "report.png",
        "A version in the report: its changes with their verdicts, and the diagram", ["FirstApp", "FirstMigration", "CheckedPullRequest"],
    ),
    (
        "From another store", "A file of an app that there is already, with all of its objects.", "browse.png",
        "The page of a database, with a table of people", ["FromRealm", "FromCoreData"],
    ),
]
# Title, what it is about (where the page does not say it before its first step), minutes, page, and the first and last step of it; 0 for the last that
# there is.
TUTORIALS = {
    "FirstApp": ("A first app", "A package with a model, objects in a store, and a frozen version.", 10, "README.md", 1, 3),
    "FirstMigration": ("A first migration", "A changed schema, its step, and an old file that is upgraded.", 10, "README.md", 4, 5),
    "CheckedPullRequest": ("A checked pull request", "", 5, "docs/tutorials/ci.md", 1, 0),
    "FromRealm": ("From Realm", "", 10, "docs/tutorials/from-realm.md", 1, 0),
    "FromCoreData": ("From Core Data", "", 10, "docs/tutorials/from-core-data.md", 1, 0),
}


def name_of_page(file):
    """The tutorial of a page of docs/tutorials."""
    return next(name for name, entry in TUTORIALS.items() if entry[3] == f"docs/tutorials/{file}")


def directive(kind, lines, **values):
    head = ", ".join(f'{key}: {value}' if isinstance(value, int) else f'{key}: "{value}"' for key, value in values.items())
    head = f"@{kind}({head})" if head else f"@{kind}"
    return [f"{head} {{", *("  " + line for line in lines), "}"] if lines else [head]


def paragraphs(text):
    # No links: they are those of the pages, and lists and tables have no place in a section.
    plain = re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)\s]+\)", r"\1", text)
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", plain) if part.strip()]


def title(sentence):
    """The first sentence, and the rest."""
    match = re.match(r"(.*?[^.])\.(?: (.*))?$", sentence)
    return (match.group(1), match.group(2) or "") if match else (sentence, "")


class Tutorial:
    def __init__(self, name, resources, files):
        self.name, self.resources, self.files, self.number = name, resources, files, 0

    def code(self, shown, text, suffix):
        self.number += 1
        file = f"{self.name}-{self.number}.{suffix}"
        (self.resources / file).write_text(text)
        return directive("Code", [], name=shown, file=file)

    def step(self, entry):
        if entry.path:
            before = self.files.get(entry.path, "")
            self.files[entry.path] = before + "\n" + entry.text if entry.is_addition else entry.text
            caption = f"Put this at the end of `{entry.path}`." if entry.is_addition else f"Write `{entry.path}`."
            code = self.code(entry.path.split("/")[-1], self.files[entry.path], entry.path.split(".")[-1])
        elif entry.language == "sh":
            caption, code = "Run this.", self.code("Terminal", entry.text, "sh")
        else:
            caption, code = "It says:", self.code("Output", entry.text, "txt")
        return directive("Step", [caption, ""] + code)

    def section(self, entry):
        parts, lines = list(entry.parts), []
        intro = paragraphs(parts.pop(0)) if parts and isinstance(parts[0], str) else []
        heading, rest = title(intro[0]) if intro else (f"Step {entry.number}", "")
        for part in parts:
            lines += self.step(part) if isinstance(part, Block) else [line for text in paragraphs(part) for line in (text, "")]
        media = [line for text in [rest] + intro[1:] if text for line in (text, "")]
        content = directive("ContentAndMedia", media or [""]) + directive("Steps", lines)
        return directive("Section", content, title=heading.replace("`", "").replace('"', ""))


def write(root, output):
    """Writes the tutorials and their table of contents into a catalogue."""
    folder, resources = output / "Tutorials", output / "Resources"
    folder.mkdir()
    resources.mkdir(exist_ok=True)
    files = {}
    for name, (heading, about, minutes, page, first, last) in TUTORIALS.items():
        # The second one of the README goes on with the files of the first.
        files = files if page == "README.md" else {}
        tutorial = Tutorial(name, resources, files)
        text = (root / page).read_text()
        if page != "README.md":
            # What the page says before its first step.
            about = re.split(r"^\*\*1\.\*\* ", text, maxsplit=1, flags=re.M)[0].split("\n", 1)[1]
        found = [step for step in steps(text) if first <= step.number <= (last or step.number)]
        lines = directive("Intro", [line for part in paragraphs(about) for line in (part, "")], title=heading)
        for step in found:
            lines += tutorial.section(step)
        (folder / f"{name}.tutorial").write_text("\n".join(directive("Tutorial", lines, time=minutes)) + "\n")
    lines = directive("Intro", ["Each file and each command of these pages is run word for word with every change of Strata."], title="Strata, step by step")
    for heading, about, picture, words, names in CHAPTERS:
        inside = [about, ""] + directive("Image", [], source=picture, alt=words)
        for name in names:
            inside += directive("TutorialReference", [], tutorial=f"doc:{name}")
        lines += directive("Chapter", inside, name=heading)
    (folder / "StrataTutorials.tutorial").write_text("\n".join(directive("Tutorials", lines, name="Strata")) + "\n")
