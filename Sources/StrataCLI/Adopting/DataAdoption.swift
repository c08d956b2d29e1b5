import Strata
import StrataAdopt
import StrataExpression
import StrataHistory
import StrataSchema

/// A file whose objects are brought in with its schema.
protocol DataAdoption {
  var history: AdoptedHistory { get }

  /// Brings all objects into files of a folder.
  ///
  /// - Parameter folder: nil only reads and reports.
  func bring(into folder: String?, of project: AdoptedProject) throws -> AdoptedData
}

extension AdoptedProject {
  /// The database of the newest version, which is not there yet.
  func newDatabase(at path: String) -> NewDatabase {
    let schema = newestSchema
    return NewDatabase(
      path: path,
      version: FrozenVersion(
        schema: schema, step: nil, date: date, stepDigest: nil, chain: frozen.chain),
      lineage: Lineage(beginning: schema))
  }

  private var newestSchema: Schema { history.versions[history.versions.count - 1].schema }

  /// Holds a database against what a second reading of its source expects.
  ///
  /// - Returns: what both have.
  func compare(
    _ database: String, with expected: ContentSum, of source: String
  ) throws -> ContentSum {
    let found = try FileInspector().reading(database) { connection, _ in
      try DatabaseProof.sum(of: connection, schema: newestSchema)
    }
    guard expected == found else {
      throw CommandFailure(
        "the database does not hold what \(source) has: \(found.parts) objects and elements with the digest \(found.text), where \(expected.parts) with \(expected.text) are expected. Nothing was written."
      )
    }
    return expected
  }
}
