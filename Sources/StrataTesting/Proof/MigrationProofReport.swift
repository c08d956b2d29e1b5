public import Strata
import StrataSchema

/// What a proof of migrations has found.
public struct MigrationProofReport: Sendable, Hashable {
  /// The first difference between two ways to the same version, or what is wrong with a result.
  public struct Failure: Sendable, Hashable {
    /// `Person #3`, or with a primary key `Person "ada@example.org"`; the model alone where no object is known, and `a file of version 3`
    /// where no model is.
    public var object: String
    /// Nil where the whole object is missing, or the upgrade itself fails.
    public var property: String?
    /// `0 → 3 → 5, objects backwards`: the file's version, and those that it was brought to one after the other.
    public var path: String
    /// The version whose step makes the difference.
    public var step: Int
    /// What the two ways have, and the smallest data that shows it, for people.
    public var explanation: String
    /// The diagnostic's code: `STR4015` where two ways differ; the error's own where an upgrade fails on every way.
    public var code: String

    /// The code of two ways that differ, `path-dependence-found`.
    package static let pathDependence = "STR4015"

    package init(
      object: String, property: String?, path: String, step: Int, explanation: String,
      code: String = Self.pathDependence
    ) {
      self.code = code
      self.object = object
      self.property = property
      self.path = path
      self.step = step
      self.explanation = explanation
    }
  }

  /// The name of the migrations, `PeopleMigrations`.
  public var name: String
  public var versions: [Int]
  /// How many ways were gone.
  public var paths: Int
  /// How many objects were upgraded by each of them.
  public var objects: Int
  /// Makes the same objects again.
  public var seed: UInt64
  public var failures: [Failure]
  /// What the proof does not cover, and why, a sentence each: objects that a step refuses, models of which none could be made, samples
  /// that were left out.
  public var notes: [String] = []
  /// Those of samples that were left out: what is no database, of another history, newer, encrypted, or has more than 200,000
  /// objects.
  public var leftOut: [String] = []

  package init(
    name: String, versions: [Int], paths: Int, objects: Int, seed: UInt64, failures: [Failure]
  ) {
    self.name = name
    self.versions = versions
    self.paths = paths
    self.objects = objects
    self.seed = seed
    self.failures = failures
  }

  public var isProven: Bool { failures.isEmpty }
}

extension MigrationProofReport: CustomStringConvertible {
  public var description: String {
    let facts =
      "\(name): \(counted(versions.count, "version")), \(counted(paths, "path")), "
      + "\(counted(objects, "object"))"
    guard !isProven else {
      return "\(facts): every path gives the same data. (seed \(seed))"
    }
    return
      ([
        "\(facts): \(counted(failures.count, "failure")). (seed \(seed))"
      ]
      + failures.map { failure in
        """
        \(failure.object)\(failure.property.map { ", property \($0)" } ?? ""), step \(failure.step), \
        path \(failure.path):
        \(failure.explanation)
        """
      }).joined(separator: "\n")
  }
}

/// Migrations that do not give the same data on every path, or samples that were not upgraded. The report says where, and with which
/// objects.
public struct MigrationProofError: Error, Sendable, Hashable, CustomStringConvertible {
  public let report: MigrationProofReport

  public var description: String {
    ([report.description] + report.notes.map { "note: \($0)" }).joined(separator: "\n")
  }
}

/// Proves migrations on generated data, as `strata verify` does: for every version files with objects of all kinds are
/// upgraded by every path, and all of them have to give the same.
///
/// ```swift
/// @Test func migrationsArePathIndependent() throws {
///   try assertMigrations(PeopleMigrations.self)
/// }
/// ```
///
/// - Parameters:
///   - migrations: the generated chain, with its Swift blocks.
///   - seed: decides what the objects are; a report names it.
///   - samples: a folder with files of earlier versions that are upgraded as well, all of them: one that cannot be is an error. Hidden
///     files, `.md` and `.txt` are none.
/// - Returns: what was proven, with notes of what was not.
/// - Throws: `MigrationProofError` with the failures, or samples that were left out; `MigrationError` where the history or the samples cannot be used.
@discardableResult
public func assertMigrations(
  _ migrations: any MigrationChain.Type, seed: UInt64 = 0, samples: String? = nil
) throws -> MigrationProofReport {
  let proof = MigrationProof(target: try UpgradeTarget(migrations), seed: seed, samples: samples)
  let report = try proof.run()
  guard report.isProven, report.leftOut.isEmpty else { throw MigrationProofError(report: report) }
  return report
}
