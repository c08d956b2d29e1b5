import StrataExpression
package import StrataHistory
package import StrataSchema

/// A file of the project that freezing writes, renames or removes.
package struct FreezeFile: Hashable, Sendable {
  package enum Place: Hashable, Sendable {
    /// `schemas/versions/N.yaml`
    case version(Int)
    /// `schemas/schema.lock`
    case lock
    /// A file of the folder of migrations, by name.
    case migration(String)
  }

  package var place: Place
  /// Nil where the file is removed.
  package var text: String?

  package init(_ place: Place, _ text: String?) {
    self.place = place
    self.text = text
  }

  package var isOfMigrations: Bool {
    if case .migration = place { return true }
    return false
  }
}

/// What a freeze does, before anything is written.
package struct FreezePlan: Hashable, Sendable {
  /// The version that is frozen, or the newest one afterwards.
  package var version: Int
  /// In the order in which they are to be written; the lock comes last, so that what is interrupted is
  /// noticed.
  package var files: [FreezeFile]
  /// What is done, a sentence each.
  package var notes: [String]
  /// Changes that the step does not cover yet.
  package var uncovered: [SchemaChange]
  /// The lock afterwards, where a version is frozen.
  package var lock = VersionLock()

  package init(
    version: Int, files: [FreezeFile] = [], notes: [String] = [], uncovered: [SchemaChange] = []
  ) {
    self.version = version
    self.files = files
    self.notes = notes
    self.uncovered = uncovered
  }

  package var changesNothing: Bool { files.isEmpty }

  /// Whether a step file with places for answers is written.
  package var addsStep: Bool { files.contains(where: \.isOfMigrations) }
}

/// Why nothing can be frozen.
package struct FreezeError: Error, Hashable, Sendable, CustomStringConvertible {
  package let code: String
  package let message: String
  package let help: String?

  package init(_ code: String, _ message: String, help: String? = nil) {
    self.code = code
    self.message = message
    self.help = help
  }

  package var description: String { "\(message) [\(code)]" }
}

/// Makes versions of schemas, as a function from what is there to the files to write.
package struct Freeze: Sendable {
  package var history: History
  package var lock: VersionLock
  /// Whether the lock is what its file says; else only a part of that could be read.
  package private(set) var isLockWhole = true
  /// The days that lines of a damaged lock say and that are not taken, by version.
  private var otherDays: [Int: Set<String>] = [:]
  /// By the version that they reach; also of the version that is frozen now.
  package var steps: [Int: MigrationStep]
  /// The numbers of all step files, also of those that have holes and cannot be read.
  package var stepFiles: Set<Int>
  /// The bytes of the Swift files of each version.
  package var blocks: [Int: [[UInt8]]]
  /// The subcommand that seals the answers to a scaffold's questions, which the scaffold names.
  package var answersAreSealedBy = "freeze --amend"
  /// What is known of steps that have no file yet: their files are written with it.
  package var answers: [Int: MigrationStep] = [:]

  package init(
    history: History, lock: VersionLock, steps: [Int: MigrationStep] = [:],
    stepFiles: Set<Int> = [], blocks: [Int: [[UInt8]]] = [:]
  ) {
    self.history = history
    self.lock = lock
    self.steps = steps
    self.stepFiles = stepFiles.union(steps.keys)
    self.blocks = blocks
  }

  package func stepDigest(of version: Int) -> Digest? {
    StepDigest.digest(of: steps[version], blocks: blocks[version] ?? [])
  }

  private func requireName(of working: Schema) throws(FreezeError) {
    guard let newest = history.newest, newest.schema.name != working.name else { return }
    throw FreezeError(
      "STR4103",
      "the declarations are of '\(working.name)', the frozen versions of '\(newest.schema.name)'",
      help: "a schema keeps its name: write 'schema: \(newest.schema.name)'")
  }

  // MARK: A new version

  /// Freezes the working schema behind the newest version.
  ///
  /// - Parameter date: the day of freezing, `2026-11-21`.
  package func plan(freezing working: Schema, date: String) throws(FreezeError) -> FreezePlan {
    try requireName(of: working)
    if let newest = history.newest {
      guard working.version >= newest.number else {
        // As after a rebase: what is declared is the newest version, and bears its old number.
        let isSame = working.hasMeaning(of: newest.schema)
        throw FreezeError(
          "STR2103",
          "the declarations say version \(working.version), and \(newest.number) is frozen",
          help: "write 'version: \(isSame ? newest.number : newest.number + 1)'")
      }
      if working.version == newest.number {
        if working == newest.schema, working.isSpelled(like: newest.schema) {
          return FreezePlan(version: newest.number, notes: otherStep(of: newest.number))
        }
        throw FreezeError(
          "STR4005",
          "the declarations differ from version \(newest.number), which is frozen under that number",
          help:
            "write 'version: \(newest.number + 1)', or use --amend while version \(newest.number) is unreleased"
        )
      }
    }
    return plan(
      freezing: working, after: history.newest?.schema, lines: lock.lines, date: date,
      note: "version \(working.version) is frozen")
  }

  /// What is different about a version whose declarations are not.
  private func otherStep(of version: Int) -> [String] {
    // A step with questions is not sealed, which is told of itself.
    guard !stepFiles.contains(version) || steps[version] != nil,
      let line = lock.line(ofVersion: version),
      let change = SealedStep(line, now: stepDigest(of: version))
    else { return [] }
    return [
      "\(change.message(version: version)) [\(SealedStep.rule.code)]; `freeze --amend` seals it as it is while the version is unreleased"
    ]
  }

  /// Freezes the working schema in place of the newest version, which is installed nowhere yet. The day of
  /// freezing stays what it was.
  ///
  /// - Parameters:
  ///   - released: where versions go that others may have, and its lock: a version that it has needs a reason.
  ///   - because: the reason, which the lock keeps.
  package func plan(
    amendingWith working: Schema, released: (name: String, lock: VersionLock)? = nil,
    because: String? = nil
  ) throws(FreezeError) -> FreezePlan {
    guard let newest = history.newest, let line = lock.line(ofVersion: newest.number) else {
      throw FreezeError("STR4004", "there is no frozen version to amend", help: "use freeze alone")
    }
    try requireName(of: working)
    guard working.version == newest.number else {
      throw FreezeError(
        "STR2103",
        "the declarations say version \(working.version), the newest frozen one is \(newest.number)",
        help: "--amend takes the newest version; freeze alone makes version \(working.version)")
    }
    let isReleased = released?.lock.line(ofVersion: newest.number) != nil
    let plan = plan(
      freezing: working, after: history.versions.dropLast().last?.schema,
      lines: lock.lines.filter { $0.version != newest.number }, date: line.date,
      because: because ?? line.because, note: "version \(working.version) is frozen again")
    let isSame =
      working == newest.schema && working.isSpelled(like: newest.schema)
      && line.step == stepDigest(of: newest.number)
    if isSame { return FreezePlan(version: newest.number, uncovered: plan.uncovered) }
    if let released, isReleased, because == nil {
      throw FreezeError(
        working == newest.schema ? "STR4007" : "STR4001",
        "version \(newest.number) is in \(released.name): it is released, and files of it may be out there",
        help:
          "write 'version: \(newest.number + 1)' and freeze that; where it is installed nowhere yet, say why with --because"
      )
    }
    return plan
  }

  private func plan(
    freezing working: Schema, after older: Schema?, lines: [VersionLock.Line], date: String,
    because: String? = nil, note: String
  ) -> FreezePlan {
    let number = working.version
    let answer = stepFiles.contains(number) ? nil : answers[number]
    var seal = stepDigest(of: number)
    var plan = FreezePlan(
      version: number, files: [FreezeFile(.version(number), working.canonicalYAML)], notes: [note])
    if let older {
      let coverage = StepCoverage(older: older, newer: working, step: steps[number] ?? answer)
      plan.uncovered = coverage.diff.changes.filter {
        !coverage.covers($0) && coverage.step?.acceptance(of: $0) == nil
      }
      if answer != nil || !plan.uncovered.isEmpty, !stepFiles.contains(number) {
        let scaffold = StepScaffold(
          from: older, to: working, changes: plan.uncovered, known: answer,
          hasBlock: !(blocks[number] ?? []).isEmpty, sealedBy: answersAreSealedBy)
        plan.files += scaffold.files
      }
      if plan.uncovered.isEmpty, let answer {
        seal = StepDigest.digest(of: answer, blocks: blocks[number] ?? [])
      } else if !plan.uncovered.isEmpty, !stepFiles.contains(number) {
        plan.notes.append(
          plan.uncovered.count == 1
            ? "the step to version \(number) has a place for the change that needs a word of yours"
            : "the step to version \(number) has a place for each of \(plan.uncovered.count) changes that need a word of yours"
        )
      }
    }
    let line = VersionLock.Line(
      version: number, date: date, shape: working.shape, rules: working.rulesDigest,
      cases: working.casesDigest, step: seal, because: because, after: lines.last?.chain)
    plan.lock = VersionLock(lines: lines + [line])
    plan.files.append(FreezeFile(.lock, plan.lock.text))
    return plan
  }

  // MARK: Repair

  /// Seals the versions that are there again, whatever the lock says, and tells what becomes different.
  /// A version of which the lock has no line that can be read gets the given day; dates are data of upgrades (`generate: now`).
  package func plan(repairingOn date: String) -> FreezePlan {
    var lines: [VersionLock.Line] = []
    var notes: [String] = []
    for version in history.versions {
      let old = lock.line(ofVersion: version.number)
      let line = VersionLock.Line(
        version: version.number, date: old?.date ?? date, shape: version.schema.shape,
        rules: version.schema.rulesDigest, cases: cases(of: version.schema, after: old),
        step: stepDigest(of: version.number), because: old?.because,
        after: lines.last?.chain)
      lines.append(line)
      if let old, let others = otherDays[version.number] {
        notes.append(
          "version \(version.number) has lines of several days: \(old.date) stays, \(others.sorted().joined(separator: ", ")) goes"
        )
      }
      guard let old else {
        notes.append("version \(version.number) gets a line, dated \(date)")
        continue
      }
      if old.shape != line.shape {
        notes.append("version \(version.number) is sealed with another shape: its file was edited")
      }
      if old.rules != line.rules {
        notes.append("version \(version.number) is sealed with other rules: its file was edited")
      }
      if old.cases != line.cases {
        notes.append(
          "version \(version.number) is sealed with other raw values of its enums' cases: its file was edited"
        )
      }
      if old.step != line.step {
        notes.append("version \(version.number) is sealed with another step: it was edited")
      }
      if old.chain != line.chain, old.shape == line.shape, old.rules == line.rules,
        old.cases == line.cases, old.step == line.step
      {
        notes.append("the chain of version \(version.number) is made anew")
      }
    }
    for line in lock.lines where history.version(line.version) == nil {
      notes.append(
        "the line of version \(line.version) goes: there is no versions/\(line.version).yaml")
    }
    if lock.lines.map(\.version) != lock.lines.map(\.version).sorted() {
      notes.append("the lines are put into order")
    }
    let text = VersionLock(lines: lines).text
    let newest = history.newest?.number ?? 0
    if text == lock.text, isLockWhole { return FreezePlan(version: newest) }
    if !isLockWhole, notes.isEmpty { notes = ["the lock is written anew, as its lines say"] }
    return FreezePlan(version: newest, files: [FreezeFile(.lock, text)], notes: notes)
  }

  /// Takes the lines of a lock that is damaged: of several of one version, as a merge leaves them, the one that fits best to the files
  /// that are there, and of those the first.
  package mutating func takeLines(ofDamagedLock lines: [VersionLock.Line]) {
    isLockWhole = false
    func fit(_ line: VersionLock.Line) -> Int {
      guard let version = history.version(line.version) else { return 0 }
      return [
        line.shape == version.schema.shape, line.rules == version.schema.rulesDigest,
        line.cases == nil || line.cases == version.schema.casesDigest,
        line.step == stepDigest(of: line.version),
      ].count { $0 }
    }
    var best: [Int: VersionLock.Line] = [:]
    for line in lines {
      guard let other = best[line.version], fit(other) >= fit(line) else {
        best[line.version] = line
        continue
      }
    }
    otherDays = Dictionary(grouping: lines, by: \.version).mapValues { Set($0.map(\.date)) }
    for (version, line) in best { otherDays[version]?.remove(line.date) }
    otherDays = otherDays.filter { !$0.value.isEmpty }
    lock = VersionLock(lines: best.values.sorted { $0.version < $1.version })
  }

  /// What a version is sealed with again: a line of an earlier tool that fits stays as it is.
  private func cases(of schema: Schema, after old: VersionLock.Line?) -> Digest? {
    if let old, old.cases == nil, old.shape == schema.shape { return nil }
    return schema.casesDigest
  }
}
