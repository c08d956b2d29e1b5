"""Makes the catalogue of the documentation: documentation_catalogue.py OUTPUT.

Copies Sources/Strata/Strata.docc, adds the pages of docs/ as articles and the pages with steps as tutorials, and lists them on the landing page.
Links between pages become links of the documentation; those to what has no page there become plain text.
"""

import pathlib
import re
import shutil
import sys

import documentation_tutorials

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = {
    "Guides": [
        "guide", "concurrency", "language", "expressions", "migrations", "history", "downgrade", "data-rules", "encryption", "proof", "report", "browse",
        "editors", "fleets", "glossary",
    ],
    "From elsewhere, and in CI": ["from-realm", "adopt", "adopting-files", "ci"],
    "Reference": ["cli", "rules", "codegen", "encodings", "layout", "architecture", "performance", "adversary"],
}


def article(name):
    return "".join(part.capitalize() for part in name.split("-")) + "Page"


def relink(text, pages):
    # Images are found by their names alone.
    text = re.sub(r"!\[([^\]]*)\]\((?:docs/)?images/([^)\s]+)\)", r"![\1](\2)", text)

    def link(match):
        label, target = match.group(1), match.group(2)
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return match.group(0) if not target.startswith("#") else label
        name = pathlib.PurePosixPath(target.split("#")[0])
        if "tutorials" in name.parts and name.suffix == ".md":
            return f"<doc:{documentation_tutorials.name_of_page(name.name)}>"
        if name.suffix == ".md" and name.stem in pages and "/" not in str(name).replace("docs/", "", 1):
            return f"<doc:{article(name.stem)}>"
        return label

    return re.sub(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)", link, text)


def outside_code(text, change):
    """Changes what is neither in a block of code nor in backticks."""
    parts = re.split(r"(^```.*?^```[^\S\n]*$)", text, flags=re.M | re.S)
    return "".join(part if part.startswith("```") else change(part) for part in parts)


def main():
    output = pathlib.Path(sys.argv[1])
    shutil.copytree(ROOT / "Sources/Strata/Strata.docc", output)
    names = [name for group in PAGES.values() for name in group if (ROOT / f"docs/{name}.md").exists()]
    articles = output / "Articles"
    articles.mkdir()
    shutil.copytree(ROOT / "docs/images", output / "Resources", dirs_exist_ok=True)
    for name in names:
        text = (ROOT / f"docs/{name}.md").read_text()
        (articles / f"{article(name)}.md").write_text(outside_code(text, lambda part: relink(part, names)))
    documentation_tutorials.write(ROOT, output)
    topics = "### Tutorials\n\n- <doc:StrataTutorials>\n\n"
    for group, members in PAGES.items():
        topics += f"### {group}\n\n" + "".join(f"- <doc:{article(name)}>\n" for name in members if name in names) + "\n"
    landing = output / "Strata.md"
    landing.write_text(landing.read_text().replace("## Topics\n\n", "## Topics\n\n" + topics, 1))


main()
