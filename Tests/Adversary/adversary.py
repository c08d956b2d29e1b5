"""Random histories against an oracle: docs/adversary.md."""

import argparse
import datetime
import json
import os
import random as chance
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter

import values
from assignments import Writer
from cells import wrong_cell
from data import Data, renumber
from histories import History
from meaning import Refusal
from minimise import Case, Minimiser
from oracle import Database, Upgrade, difference
from schemas import schema_yaml, step_yaml

FIRST_DAY = datetime.date(2026, 1, 1)
LONGEST = 300  # seconds of one command, on a busy machine


class Difference(Exception):
    pass


def day(version):
    return (FIRST_DAY + datetime.timedelta(days=version)).isoformat()


class Folder:
    """A project's folder with a history, and the command in it."""

    def __init__(self, command, path, counts):
        self.command, self.path, self.counts = command, path, counts
        os.makedirs(os.path.join(path, "schemas"))
        os.makedirs(os.path.join(path, "migrations"))
        self.log = []

    def file(self, name):
        return os.path.join(self.path, name)

    def write(self, name, text):
        with open(self.file(name), "w", encoding="utf-8", newline="") as file:
            file.write(text)

    def run(self, *arguments, fine=(0,)):
        self.counts["commands"] += 1
        self.log.append("strata " + " ".join(arguments))
        try:
            done = subprocess.run([self.command, *arguments], cwd=self.path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=LONGEST)
        except subprocess.TimeoutExpired:
            raise Difference(f"strata {' '.join(arguments)} takes more than {LONGEST} seconds")
        done.out, done.err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8", "replace")
        if done.returncode not in (0, 1, 3):
            raise Difference(f"strata {' '.join(arguments)} ends with {done.returncode}:\n{done.err[-2000:]}")
        if fine and done.returncode not in fine:
            raise Difference(f"strata {' '.join(arguments)} fails ({done.returncode}):\n{done.out[-500:]}{done.err[-2000:]}")
        if "SQLite answered" in done.err:
            raise Difference(f"strata {' '.join(arguments)} shows SQLite's words:\n{done.err[-2000:]}")
        return done


def lines_of(text):
    return text.split("\n")[:-1]


class Trial:
    """One history, one file of it, all ways."""

    is_replay = False

    def __init__(self, options, seed, path, counts):
        self.random = chance.Random(seed)
        self.options, self.seed, self.counts = options, seed, counts
        self.folder = Folder(options.strata, path, counts)

    # The history

    def make(self):
        random = self.random
        self.history = History(random, 0)
        self.declare(0)
        if not self.freeze(0):
            return False
        for _ in range(random.choice([1, 1, 2, 2, 3, 4])):
            for _ in range(8):
                proposed = self.history.propose()
                version = len(self.history.schemas)
                if self.declare(version, *proposed) and self.freeze(version):
                    self.history.accept()
                    step = proposed[1]
                    for part in ("model_names", "names", "delete", "deduplicate", "drop"):
                        self.counts["with " + part] += bool(getattr(step, part))
                    self.counts["expressions"] += sum(map(len, step.set.values()))
                    break
        return len(self.history.schemas) > 1

    def declare(self, version, schema=None, step=None):
        """Writes a version as the working one; whether `check` takes it."""
        schema = schema or self.history.schemas[version]
        self.folder.write("schemas/Chance.yaml", schema_yaml(schema, version))
        path = f"migrations/{version}.yaml"
        text = step and step_yaml(step, version)
        if text:
            self.folder.write(path, text)
        elif os.path.exists(self.folder.file(path)):
            os.remove(self.folder.file(path))
        done = self.folder.run("check", fine=None)
        if done.returncode == 0:
            return True
        self.counts["proposals refused"] += 1
        for code in {w for line in (done.out + done.err).split("\n") if "error:" in line for w in line.split() if w.startswith("[STR")}:
            self.counts["refused " + code] += 1
        if self.options.verbose:
            print(self.seed, done.out, done.err, file=sys.stderr)
        return False

    def freeze(self, version):
        return self.folder.run("freeze", "--date", day(version), fine=None).returncode == 0

    # Ways

    def go(self):
        random, folder = self.random, self.folder
        newest = len(self.history.schemas) - 1
        start = random.choice([0, 0, random.randrange(newest)])
        if random.random() < 0.3:
            folder.run("create", "base.db", "--version", str(start), "--sample", str(random.choice([3, 20, 60])), "--seed", str(self.seed))
        else:
            schema = self.history.schemas[start]
            database = Data(random, schema, self.options.links_in_any).populate()
            self.fill("base.db", start, database.lines(schema), database)
        self.examine("base.db", start)

    def fill(self, name, version, lines, intended):
        """A file of a version from lines; what is exported has to be what was imported."""
        schema, folder = self.history.schemas[version], self.folder
        folder.run("create", name, "--version", str(version))
        folder.write(name + ".jsonl", "".join(line + "\n" for line in lines))
        folder.run("import", name, name + ".jsonl")
        found = Database.read(lines_of(folder.run("export", name).out), schema)
        try:
            text = difference(renumber(intended, found, schema).nested(schema), found.nested(schema), schema)
        except ValueError as error:
            text = str(error)
        if text:
            raise Difference(f"import and export of version {version} (expected is what was imported): {text}")
        text = self.wrong_cell(name, version)
        if text:
            raise Difference(f"import of version {version}: {text}")
        self.counts["objects"] += sum(map(len, found.objects.values()))

    def examine(self, name, start):
        folder, random, schemas = self.folder, self.random, self.history.schemas
        newest = len(schemas) - 1
        base = lines_of(folder.run("export", name).out)
        self.start, self.reached = start, {start: base}
        refused = self.stepwise(name, start, newest, self.reached)
        last = max(self.reached)
        if random.random() < 0.3:
            done = folder.run("plan", name, "--json", fine=(0, 1, 3) if refused else (0,))
            for strategy in re.findall(r'"strategy": *"([a-z-]*)",\s*"why": *"([^"]*)"', done.out):
                self.counts["planned " + ": ".join(strategy)] += 1
        ways = [("straight", [])]
        if newest - start > 1:
            ways += [("split", [stop]) for stop in (range(start + 1, newest) if self.is_replay else [random.randrange(start + 1, newest)])]
        for way, stops in ways:
            shutil.copyfile(folder.file(name), folder.file(way + ".db"))
            self.upgrade(way, way + ".db", stops + [newest], refused, last, base)
        if self.is_replay or random.random() < 0.6:
            done = folder.run("migrate", name, "--output", "output.db", fine=None)
            self.counts["upgrades"] += 1
            self.judge("--output", done, refused)
            if lines_of(folder.run("export", name).out) != base:
                raise Difference("--output has changed the file that it reads")
            if not refused:
                self.same("--output", "output.db", last)
        if not refused:
            self.digests(["straight.db", "stepwise.db"])
            if self.is_replay or random.random() < 0.4:
                self.take_back(name, base, last)
        if not self.is_replay and random.random() < 0.6:
            version = random.choice(sorted(self.reached))
            if version < newest or random.random() < 0.2:
                lines = self.reached[version]
                schema = schemas[version]
                self.fill("imported.db", version, lines, Database.read(lines, schema))
                self.examine_import(version, newest)
        if random.random() < (1 if self.is_replay == "proof" else self.options.verify):
            self.counts["proofs"] += 1
            folder.run("verify", "--seed", str(self.seed))

    def take_back(self, name, base, newest):
        """Up and down gives the old file's lines and digest; up once more those of the newest version."""
        folder = self.folder
        shutil.copyfile(folder.file("straight.db"), folder.file("back.db"))
        folder.run("downgrade", "back.db", "--from", name)
        self.counts["downgrades"] += 1
        found = lines_of(folder.run("export", "back.db").out)
        if found != base:
            schema = self.history.schemas[self.start]
            text = difference(Database.read(base, schema).nested(schema), Database.read(found, schema).nested(schema), schema)
            raise Difference(f"up and down (expected is what was there before): {text or 'the order of lines or elements'}")
        text = self.wrong_cell("back.db", self.start)
        if text:
            raise Difference(f"up and down: {text}")
        self.digests([name, "back.db"])
        folder.run("migrate", "back.db")
        self.same("up, down and up", "back.db", newest)

    def examine_import(self, version, newest):
        self.stepwise("imported.db", version, newest, {version: lines_of(self.folder.run("export", "imported.db").out)})

    def digests(self, names):
        files = json.loads(self.folder.run("inspect", *names, "--digest", "--check", "--json").out)["files"]
        for file in files:
            if file["problems"]:
                raise Difference(f"{file['file']} is not sound: {file['problems'][0]['message']}")
        if len({f["dataDigest"] for f in files}) != 1:
            raise Difference(f"the digests of {names} differ, their lines do not")

    def stepwise(self, name, start, newest, reached):
        """Version by version, each held against the oracle. The refusal that stopped it, or None."""
        folder, schemas, steps = self.folder, self.history.schemas, self.history.steps
        shutil.copyfile(folder.file(name), folder.file("stepwise.db"))
        for version in range(start + 1, newest + 1):
            before = Database.read(reached[version - 1], schemas[version - 1])
            date = float(values.days_of(*map(int, day(version).split("-"))) * 86400)
            oracle = Upgrade(before, schemas[version - 1], schemas[version], steps[version], date)
            expected = oracle.run()
            done = folder.run("migrate", "stepwise.db", "--to", str(version), fine=None)
            self.counts["upgrades"] += 1
            if done.returncode != 0:
                if expected is not None:
                    raise Difference(f"step {version}: refused, but the oracle finds nothing wrong:\n{done.err[-1500:]}")
                self.agree(oracle, done, version)
                if lines_of(folder.run("export", "stepwise.db").out) != reached[version - 1]:
                    raise Difference(f"step {version}: the refused file is not what it was")
                return oracle
            if expected is None:
                raise Difference(f"step {version}: the upgrade went through, but {oracle.reasons[0]}")
            reached[version] = lines_of(folder.run("export", "stepwise.db").out)
            try:
                found = Database.read(reached[version], schemas[version])
            except (Refusal, AssertionError, KeyError, ValueError) as error:
                raise Difference(f"step {version}: the exported lines are not of the version: {error!r}")
            text = difference(expected.nested(schemas[version]), found.nested(schemas[version]), schemas[version]) or self.wrong_cell("stepwise.db", version)
            if text:
                raise Difference(f"step {version}: {text}")
            self.counts["objects"] += sum(map(len, found.objects.values()))
        return None

    KINDS = {"required": ["nil", "required"], "duplicate": ["the same"], "deny": ["deny"], "arithmetic": ["does not fit", "divided by zero", "digits"]}

    def agree(self, oracle, done, version):
        if not any(word in done.err for kind in oracle.refusals for word in self.KINDS.get(kind, [])):
            raise Difference(f"step {version}: refused as the oracle says ({oracle.reasons[0]}), but with other words:\n{done.err[-1500:]}")
        self.counts["refusals agreed"] += 1

    def judge(self, way, done, refused):
        if (done.returncode != 0) != (refused is not None):
            raise Difference(f"{way}: exit {done.returncode}, stepwise {'refused' if refused else 'went through'}\n{done.err[-1500:]}")
        if refused:
            self.agree(refused, done, way)

    def upgrade(self, way, name, stops, refused, last, base):
        for stop in stops:
            done = self.folder.run("migrate", name, "--to", str(stop), fine=None)
            self.counts["upgrades"] += 1
            self.judge(f"{way} to {stop}", done, refused if stop > last else None)
            if done.returncode != 0:
                if len(stops) == 1 and lines_of(self.folder.run("export", name).out) != base:
                    raise Difference(f"{way}: the refused file is not what it was")
                return
        self.same(way, name, last)

    def same(self, way, name, version):
        found = lines_of(self.folder.run("export", name).out)
        self.counts["objects"] += len(found)
        expected = self.reached[version]
        if found != expected:
            schema = self.history.schemas[version]
            text = difference(Database.read(expected, schema).nested(schema), Database.read(found, schema).nested(schema), schema)
            raise Difference(f"{way} and step by step (expected is step by step): {text or 'the order of lines or elements'}")
        text = self.wrong_cell(name, version)
        if text:
            raise Difference(f"{way}: {text}")

    def wrong_cell(self, name, version):
        return wrong_cell(self.folder.file(name), self.history.schemas[version])


def replay(options, is_proof):
    """Runs a case from its history and lines; the folder and the difference, or None."""

    def go(case):
        path = tempfile.mkdtemp(prefix="strata-adversary-small-", dir=options.folder)
        trial = Trial(options, 0, os.path.join(path, "project"), Counter())
        trial.is_replay = "proof" if is_proof else True
        trial.history = Case([], [], [])
        try:
            for version, schema in enumerate(case.schemas):
                trial.history.schemas.append(schema)
                trial.history.steps.append(case.steps[version])
                if not (trial.declare(version, schema, case.steps[version]) and trial.freeze(version)):
                    shutil.rmtree(path)
                    return None
        except Difference:
            shutil.rmtree(path)
            return None
        try:
            trial.fill("base.db", 0, case.lines, Database.read(case.lines, case.schemas[0]))
            trial.examine("base.db", 0)
        except Difference as found:
            return path, str(found)
        except Exception:  # no history that the oracle understands
            pass
        shutil.rmtree(path)
        return None
    return go


def smaller(options, trial, text):
    """The folder of a smaller case and its difference; None where it does not show again."""
    reached = getattr(trial, "reached", None)
    if not reached or options.minimise <= 0:
        return None
    schemas, steps, start = trial.history.schemas, trial.history.steps, trial.start
    found = re.match(r"step (\d+):", text)
    attempts = [Case(schemas[start:], [None] + steps[start + 1:], reached[start])]
    if found and int(found.group(1)) - 1 in reached:
        version = int(found.group(1))
        attempts.insert(0, Case(schemas[version - 1:version + 1], [None, steps[version]], reached[version - 1]))
    for case in attempts:
        minimiser = Minimiser(replay(options, text.startswith("strata verify")), case, text, options.minimise)
        if minimiser.run():
            return minimiser.path, minimiser.text
    return None


def run(options, seed, counts):
    """One seed; the difference, or None."""
    path = tempfile.mkdtemp(prefix=f"strata-adversary-{seed}-", dir=options.folder)
    trial = Trial(options, seed, os.path.join(path, "project"), counts)
    try:
        if trial.make():
            counts["histories"] += 1
            counts["steps"] += len(trial.history.steps) - 1
            trial.go()
        else:
            counts["seeds without a history"] += 1
    except Difference as found:
        return trial, path, str(found)
    except Exception:  # an export that cannot be read, or a mistake of the scripts
        return trial, path, "the oracle stopped: " + traceback.format_exc()
    shutil.rmtree(path)
    return None


def main():
    parser = argparse.ArgumentParser(prog="scripts/adversary", description="Random histories against an oracle: docs/adversary.md.")
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--histories", type=int, default=1, help="at least so many, however long they take (default 1)")
    parser.add_argument("--seed", type=int, help="this seed alone")
    parser.add_argument("--from", type=int, default=1, dest="first", help="the first seed (default 1)")
    parser.add_argument("--strata", default=".build/release/strata", help="the command (default: the release build)")
    parser.add_argument("--verify", type=float, default=0.05, help="the share of histories that are proven as well")
    parser.add_argument("--folder", help="where the folders of differences stay (default: the temporary folder)")
    parser.add_argument("--keep-going", action="store_true", help="do not stop at the first difference")
    parser.add_argument("--minimise", type=float, default=60, metavar="SECONDS", help="how long to make a difference smaller (default 60)")
    parser.add_argument("--verbose", action="store_true", help="print why proposals are refused")
    parser.add_argument("--links-in-any", action=argparse.BooleanOptionalAction, default=True, help="objects in properties of type any")
    options = parser.parse_args()
    Writer.links_in_any = options.links_in_any
    options.strata = os.path.abspath(options.strata)
    counts, end, seed, differences = Counter(), time.time() + options.minutes * 60, options.seed or options.first, 0
    while True:
        found = run(options, seed, counts)
        if found:
            differences += 1
            trial, path, text = found
            print(f"seed {seed}: {text}\n  {path}", flush=True)
            small = smaller(options, trial, text)
            if small:
                print(f"  smaller: {small[1]}\n  {small[0]}", flush=True)
            if not options.keep_going:
                if options.seed is None:
                    print(f"  again: scripts/adversary --seed {seed}")
                break
        seed += 1
        if options.seed is not None or (time.time() > end and seed - options.first >= options.histories):
            break
    print(f"{counts['histories']} histories ({counts['steps']} steps, {counts['expressions']} expressions), {counts['upgrades']} upgrades, {counts['objects']} objects compared, "
          f"{counts['refusals agreed']} refusals agreed, {counts['downgrades']} taken back, {counts['proofs']} proofs, {counts['commands']} commands, "
          f"seeds {options.seed or options.first} to {max(seed - 1, options.seed or options.first)}: {differences} differences.")
    if options.verbose:
        print(json.dumps(counts, indent=1), file=sys.stderr)
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
