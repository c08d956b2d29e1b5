import StrataSQLite
import StrataSchema

/// Checks upgraded content before it becomes the file's: its layout is that of a fresh database, its references hold, and
/// no object was lost.
struct UpgradeVerification {
  let database: Database
  let schema: Schema
  var form: UpgradeForm = .steps

  /// - Parameters:
  ///   - pass: what has made the content, and says which objects each model's were.
  ///   - counts: objects of the source by model, where they were counted already.
  /// - Returns: how many objects there are.
  func run(after pass: UpgradePass, known counts: [String: Int]?) throws -> Int {
    let expected = try DatabaseLayout(expectedOf: TableLayout(schema))
    let found = try DatabaseLayout(of: database, in: "main")
    if let difference = found.differences(from: expected).first {
      throw failure("its layout is not that of a fresh file: \(difference)")
    }
    var objects = 0
    for pipeline in pass.models.map(\.pipeline) {
      let model = pipeline.target
      let after = try database.count(of: "main.\(SQL.identifier(model.name))")
      objects += after
      guard let old = pipeline.source else { continue }
      let before =
        try counts?[old.name] ?? database.count(of: "source.\(SQL.identifier(old.name))")
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
    try VersionCheck(
      database: database, schema: schema, form: form, after: pass.transitions.last
    ).checkRules()
    return objects
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
