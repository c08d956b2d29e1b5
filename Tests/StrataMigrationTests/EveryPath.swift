import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataTesting

/// A history of a test, whose first version's objects are brought to the newest one on every path.
struct EveryPath {
  let target: UpgradeTarget

  /// Versions 0, 1, …, each with its models and the step that leads to it.
  init(
    _ versions: [[Model]], steps: [Int: (inout MigrationStep) -> Void] = [:], blocks: [Step] = []
  ) throws {
    target = UpgradeTarget(
      history: .chained(
        "Test",
        versions.enumerated().map { number, models in
          (
            "2026-01-01",
            Schema(
              name: "Test", version: number, models: models.sorted { $0.name < $1.name }),
            number == 0 ? nil : step(number) { steps[number]?(&$0) }
          )
        }),
      steps: blocks)
  }

  enum Outcome: Equatable {
    case rows([[SQLiteValue]])
    case refused(code: String, version: Int?, model: String?)
  }

  /// What a query finds at the end of each path, by the path's label.
  func outcomes(_ query: String, after statements: [String]) throws -> [String: Outcome] {
    let bench = try Workbench()
    let file = try bench.sample(version: 0, of: target, objects: 0)
    for statement in statements { try bench.sql(file, statement) }
    try bench.sql(file, "UPDATE _strata SET value = 1000 WHERE key = 'nextRow'")
    guard let first = target.history.versions.first else { return [:] }
    let data = try ProofData(reading: file, schema: first.schema)
    let proof = try ProofBench(target: target, engine: ProofBench.ownEngine)
    let versions = target.history.versions.map(\.number)
    var outcomes: [String: Outcome] = [:]
    for path in [.stepwise(versions)] + proof.others(versions) {
      switch try proof.go(path, data) {
      case .refused(let error):
        outcomes[path.label] = .refused(
          code: error.code, version: error.version, model: error.model)
      case .crashed(let crash): throw crash
      case .content:
        outcomes[path.label] = .rows(try proof.rows(query))
      }
    }
    return outcomes
  }

  /// What a query finds, where every path agrees.
  func rows(
    _ query: String, after statements: String...,
    at location: Testing.SourceLocation = #_sourceLocation
  ) throws -> [[SQLiteValue]] {
    let outcomes = try outcomes(query, after: statements)
    let first = outcomes.min { $0.key < $1.key }?.value
    for (path, outcome) in outcomes.sorted(by: { $0.key < $1.key }) {
      #expect(outcome == first, "\(path)", sourceLocation: location)
    }
    guard case .rows(let rows)? = first else {
      Issue.record("\(String(describing: first))", sourceLocation: location)
      return []
    }
    return rows
  }

  /// What the upgrade is refused with, where every path agrees.
  func refusal(
    after statements: String..., at location: Testing.SourceLocation = #_sourceLocation
  ) throws -> Outcome? {
    let outcomes = try outcomes("SELECT 'goes through'", after: statements)
    let first = outcomes.min { $0.key < $1.key }?.value
    for (path, outcome) in outcomes.sorted(by: { $0.key < $1.key }) {
      #expect(outcome == first, "\(path)", sourceLocation: location)
    }
    return first
  }
}

extension ProofBench {
  /// What a query finds in the file of the path that was gone last.
  fileprivate func rows(_ query: String) throws -> [[SQLiteValue]] {
    let database = try Database(path: file, mode: .readOnly)
    defer { database.close() }
    return try database.rows(query).map { Array($0) }
  }
}
