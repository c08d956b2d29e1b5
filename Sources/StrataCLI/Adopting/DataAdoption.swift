import Strata
import StrataAdopt
import StrataExpression
import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema

/// A file whose objects are brought in with its schema.
protocol DataAdoption {
  var path: String { get }
  var history: AdoptedHistory { get }
  /// The number of the file's version in `history`. The folder of an earlier run may have got later ones since.
  var version: Int { get }

  /// Whether the file says of itself nothing that keeps it from being another version, one of the same shape: where it has no number of
  /// its own, `version` is a guess.
  func mayBe(version number: Int) -> Bool

  /// Brings all objects into files of a folder.
  ///
  /// - Parameter folder: nil only reads and reports.
  func bring(into folder: String?, of project: AdoptedProject) throws -> AdoptedData
}

extension DataAdoption {
  /// Those of files that have the objects of the source: a user who may not read the source cannot read them, and of an encrypted one
  /// the owner alone can, because they may be in the clear.
  func permissions(ofSource path: String, isEncrypted: Bool) throws -> UInt32 {
    if isEncrypted { return 0o600 }
    return (try POSIXFiles().status(of: path)?.permissions ?? 0o600) & 0o666 | 0o600
  }
}

extension AdoptedProject {
  /// The version that a file is taken for. One that does not say its number has that of the newest version of its shape where the history
  /// has none of the number that it would have.
  func number(of file: some DataAdoption) -> Int {
    Self.number(of: file, among: history.versions.map(\.schema)) ?? file.version
  }

  /// Nil where none of the versions is that of the file.
  static func number(of file: some DataAdoption, among versions: [Schema]) -> Int? {
    if versions.contains(where: { $0.version == file.version }) { return file.version }
    let own = file.history.versions.first { $0.schema.version == file.version }?.schema
    return versions.last { $0.shape == own?.shape && file.mayBe(version: $0.version) }?.version
  }

  /// A database of a version, which is not there yet.
  ///
  /// - Parameter permissions: of the file.
  /// - Throws: `CommandFailure` where the history has no such version.
  func newDatabase(
    at path: String, version number: Int, permissions: UInt32
  ) throws -> NewDatabase {
    let schema = try schema(number)
    let origin = frozen.origins[schema.version]
    // Answers to what is still open are sealed anew: the file is then known by its number and shape.
    let isOpen = openSteps.contains { $0.version <= schema.version }
    return NewDatabase(
      path: path,
      version: FrozenVersion(
        schema: schema, step: nil, date: date, stepDigest: nil,
        chain: isOpen || isForMerging ? nil : origin?.chain),
      lineage: origin?.lineage ?? Lineage(beginning: schema), permissions: permissions)
  }

  private func schema(_ number: Int) throws -> Schema {
    guard let version = history.versions.first(where: { $0.schema.version == number }) else {
      throw CommandFailure(
        "\(history.name) has no version \(number), which the file is. Nothing was written.")
    }
    return version.schema
  }

  /// Holds a database against what a second reading of its source expects.
  ///
  /// - Parameters:
  ///   - number: the database's version.
  ///   - help: what can be done where they differ.
  /// - Returns: what both have.
  func compare(
    _ database: String, version number: Int, with expected: ContentSum, of source: String,
    _ help: String = "Please report this"
  ) throws -> ContentSum {
    let found = try FileInspector().reading(database) { connection, _ in
      connection.stopsWhenInterrupted()
      return try DatabaseProof.sum(of: connection, schema: try schema(number))
    }
    guard expected == found else {
      throw CommandFailure(
        "'\(source)' gave something else when it was read a second time: \(found.parts) objects and elements with the digest \(found.text) at first, and \(expected.parts) with \(expected.text) then. \(help); nothing was written."
      )
    }
    return expected
  }
}
