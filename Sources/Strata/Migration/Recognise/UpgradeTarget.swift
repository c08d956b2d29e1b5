import StrataExpression
package import StrataHistory
package import StrataSchema

/// What files are upgraded to: a history and the Swift blocks of its versions.
package struct UpgradeTarget {
  package let history: History
  /// The declarations that are being worked on, where they lead beyond the newest frozen version.
  package let working: FrozenVersion?
  /// By the version that they reach.
  package let blocks: [Int: Step]
  /// Versions whose step has a question that is not answered, and what is asked: no file passes them.
  package var questions: [Int: String] = [:]
  /// Versions whose step is missing or leaves changes out that need one, and which changes: no file passes them either.
  package var openChanges: [Int: String] = [:]
  /// Nil where files are upgraded version by version.
  let classic: ClassicForm?

  /// - Parameter working: a working version that is not in the history: files are not upgraded to it, but those
  ///   that it has written are known.
  package init(history: History, steps: [Step] = [], working: FrozenVersion? = nil) {
    self.init(history: history, steps: steps, working: working, classic: nil)
  }

  init(
    history: History, steps: [Step] = [], working: FrozenVersion? = nil, classic: ClassicForm?
  ) {
    self.history = history
    self.classic = classic
    self.working =
      working ?? (classic == nil ? history.newest.flatMap { $0.isFrozen ? nil : $0 } : nil)
    blocks = Dictionary(steps.map { ($0.version, $0) }) { first, _ in first }
  }

  /// The history and blocks of a chain that code generation made.
  package init(_ chain: any MigrationChain.Type) throws {
    do {
      self.init(history: try chain.history.parse(), steps: chain.steps)
    } catch {
      throw MigrationError(.brokenHistory, "The history in this program cannot be read: \(error)")
    }
  }

  var form: UpgradeForm { classic == nil ? .steps : .classic }

  /// The file's version and every later one up to the target; one alone where nothing is to be done.
  ///
  /// An earlier shape of the working version is a version of its own with the same number.
  /// - Throws: `MigrationError` where the file's version is not known, or newer than the target.
  package func versions(from stored: StoredSchema, path: String, to target: Int?) throws
    -> [FrozenVersion]
  {
    if classic != nil { return try classicVersions(from: stored, path: path) }
    let source = try version(of: stored, path: path)
    let goal = try goal(from: source, target)
    guard goal.number >= source.number else {
      throw MigrationError(
        .fileIsNewer,
        """
        \(path) is at version \(source.number) of \(history.name), later than version \(goal.number): an upgrade takes no \
        file back; `strata downgrade` does.
        """)
    }
    guard goal.number > source.number else {
      guard !goal.isFrozen, !goal.schema.hasMeaning(of: source.schema) else { return [source] }
      return [source, try reshaped(goal, from: stored, path: path)]
    }
    let route = known.filter { (source.number...goal.number).contains($0.number) }
    for version in route.dropFirst() {
      let question = questions[version.number].map {
        "the step to version \(version.number) has a question that is not answered: \($0)"
      }
      guard let obstacle = question ?? openChanges[version.number] else { continue }
      throw MigrationError(
        .stepMissing,
        "\(path) is at version \(source.number) of \(history.name), and \(obstacle). `strata check` shows where.",
        version: version.number)
    }
    return route
  }

  /// The lineage of everything in a version, also in the working one.
  func lineage(at number: Int) -> Lineage? {
    History(name: history.name, versions: known).lineage(at: number)
  }

  /// All versions, the working one, too.
  package var known: [FrozenVersion] {
    guard let working, history.version(working.number) == nil else { return history.versions }
    return history.versions + [working]
  }

  /// A version that a caller names.
  ///
  /// - Throws: `MigrationError` where there is none of this number.
  package func version(_ number: Int) throws -> FrozenVersion {
    guard let version = known.first(where: { $0.number == number }) else {
      let numbers = known.map { String($0.number) }.joined(separator: ", ")
      throw MigrationError(
        .unknownVersion, "\(history.name) has no version \(number); it has \(numbers).")
    }
    return version
  }

  private func goal(from source: FrozenVersion, _ target: Int?) throws -> FrozenVersion {
    if let target { return try version(target) }
    if let working, source.number == working.number { return working }
    guard let newest = history.newest else {
      throw MigrationError(.brokenHistory, "\(history.name) has no frozen version.")
    }
    return newest
  }

  /// The working version as the next one after an earlier shape of itself.
  private func reshaped(_ working: FrozenVersion, from stored: StoredSchema, path: String) throws
    -> FrozenVersion
  {
    let changes = SchemaDiff(from: stored.schema, to: working.schema).changes
    let obstacles = changes.filter(\.verdict.needsStep)
    guard obstacles.isEmpty else {
      throw MigrationError(
        .unknownShape,
        """
        \(path) was written with an earlier shape of version \(working.number) of \(history.name), which is not \
        frozen yet, and not every change since is automatic: \(StoredSchema.list(obstacles)). Take the changes \
        back, or begin a file anew; a step leads only from one frozen version to the next.
        """, version: working.number)
    }
    // Its step leads from the version before, which this file is not at.
    return FrozenVersion(
      schema: working.schema, step: nil, date: working.date, stepDigest: nil, chain: nil)
  }

  /// The number of a file's version, also of one that is newer than all that this program knows; nil where it is not known.
  func number(of stored: StoredSchema, path: String) -> Int? {
    if let known = try? version(of: stored, path: path) { return known.number }
    guard case .newer(let version) = stored.recognised(in: history) else { return nil }
    return version
  }

  /// The version that a file is at: for an earlier shape of the working version, that shape.
  package func version(of stored: StoredSchema, path: String) throws -> FrozenVersion {
    if let working, stored.schemaName == history.name, stored.version == working.number,
      stored.chain == nil
    {
      guard stored.shape != working.shape || !stored.schema.hasRules(of: working.schema) else {
        return working
      }
      return FrozenVersion(
        schema: stored.schema, step: nil, date: working.date, stepDigest: nil, chain: nil)
    }
    switch stored.recognised(in: history) {
    case .known(let version): return version
    case .newer(let version):
      throw MigrationError(
        .fileIsNewer,
        """
        \(path) is at version \(version) of \(history.name); the newest version that this program knows \
        is \(history.newest?.number ?? 0). Use a newer program.
        """)
    case .unknownShape(let closest):
      var text = """
        \(path) says that it is at version \(stored.version) of \(history.name), but no frozen version \
        has its shape.
        """
      if let closest, let version = history.version(closest) {
        text += " The closest is version \(closest): \(stored.differences(from: version.schema))."
      }
      throw MigrationError(.unknownShape, text)
    case .ambiguous(let versions):
      let numbers = versions.map(String.init).joined(separator: " and ")
      throw MigrationError(
        .unknownShape,
        """
        \(path) says that it is at version \(stored.version) of \(history.name). Its shape is that of \
        versions \(numbers), which mean different data, and its chain is that of none.
        """)
    case .foreign(let name):
      throw MigrationError(
        .foreignFile, "\(path) holds the schema \(name), not \(history.name).")
    }
  }
}

extension StoredSchema {
  /// Bound on the differences that a sentence lists.
  private static let maximumDifferences = 8

  /// What the file has otherwise than the version, for people.
  package func differences(from other: Schema) -> String {
    Self.list(SchemaDiff(from: other, to: schema).changes)
  }

  /// The changes in one sentence: the first ones of many.
  package static func list(_ changes: [SchemaChange]) -> String {
    guard !changes.isEmpty else { return "the declarations are the same, but not their meaning" }
    let rest = changes.count - maximumDifferences
    return changes.prefix(maximumDifferences).map(\.message).joined(separator: "; ")
      + (rest > 0 ? "; and \(rest) more" : "")
  }
}
