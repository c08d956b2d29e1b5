import StrataSQLite
import StrataSchema

/// Checks upgraded content before it becomes the file's: its layout is that of a fresh database, its references hold, and
/// no object was lost.
struct UpgradeVerification {
  let database: Database
  let schema: Schema

  func run(countsFrom fused: [FusedTransition]) throws {
    let expected = try DatabaseLayout(expectedOf: TableLayout(schema))
    let found = try DatabaseLayout(of: database, in: "main")
    if let difference = found.differences(from: expected).first {
      throw failure("its layout is not that of a fresh file: \(difference)")
    }
    for model in schema.storedModels {
      guard let old = ModelPipeline(target: model, fused: fused).source else { continue }
      let before = try count("source.\(SQL.identifier(old.name))")
      let after = try count("main.\(SQL.identifier(model.name))")
      guard before == after else {
        throw failure("\(model.name) has \(after) objects where there were \(before)")
      }
    }
    let violations = try database.rows("PRAGMA main.foreign_key_check")
    if let violation = violations.first {
      let table = violation[0].ifText ?? "?"
      let row = violation[1].ifInteger.map(String.init) ?? "?"
      let parent = violation[2].ifText ?? "?"
      throw failure(
        "\(violations.count) links lead nowhere; the first is in \(table), row \(row), to \(parent)"
      )
    }
  }

  private func count(_ table: String) throws -> Int64 {
    try database.firstValue("SELECT count(*) FROM \(table)")?.ifInteger ?? 0
  }

  private func failure(_ what: String) -> MigrationError {
    MigrationError(
      .verificationFailed,
      """
      The upgraded file was refused before anything was written: \(what). The file is as it was. Please \
      report this with the schema history.
      """, version: schema.version)
  }
}
