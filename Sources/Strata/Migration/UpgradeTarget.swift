package import StrataExpression
package import StrataSchema

/// What files are upgraded to: a history and the Swift blocks of its versions.
package struct UpgradeTarget {
  package let history: History
  /// By the version that they reach.
  let blocks: [Int: Step]
  /// Nil where files are upgraded version by version.
  let classic: ClassicForm?

  package init(history: History, steps: [Step] = []) {
    self.init(history: history, steps: steps, classic: nil)
  }

  init(history: History, steps: [Step] = [], classic: ClassicForm?) {
    self.history = history
    self.classic = classic
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

  /// The file's version and every later one up to the target.
  ///
  /// - Throws: `MigrationError` where the file's version is not known, or newer than the target.
  package func versions(from stored: StoredSchema, path: String, to target: Int?) throws
    -> [FrozenVersion]
  {
    if classic != nil { return try classicVersions(from: stored, path: path) }
    let source = try version(of: stored, path: path)
    guard let newest = history.newest else {
      throw MigrationError(.brokenHistory, "\(history.name) has no frozen version.")
    }
    let goal = target ?? newest.number
    guard history.version(goal) != nil else {
      let known = history.versions.map { String($0.number) }.joined(separator: ", ")
      throw MigrationError(
        .unknownVersion, "\(history.name) has no version \(goal); it has \(known).")
    }
    guard goal >= source.number else {
      throw MigrationError(
        .fileIsNewer,
        """
        \(path) is at version \(source.number) of \(history.name), later than version \(goal): files \
        are upgraded, never taken back.
        """)
    }
    return history.versions.filter { (source.number...goal).contains($0.number) }
  }

  /// The version that a file is at.
  package func version(of stored: StoredSchema, path: String) throws -> FrozenVersion {
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

  /// What the file has and the version has not, and the reverse, for people.
  package func differences(from other: Schema) -> String {
    let (mine, theirs) = (schema.facts, other.facts)
    let lines =
      mine.subtracting(theirs).sorted().map { "+ \($0)" }
      + theirs.subtracting(mine).sorted().map { "− \($0)" }
    guard !lines.isEmpty else { return "keys, indexes, defaults or delete rules differ" }
    let shown = lines.prefix(Self.maximumDifferences).joined(separator: ", ")
    let rest = lines.count - Self.maximumDifferences
    return "the file has \(shown)" + (rest > 0 ? " and \(rest) more" : "")
  }
}
