package import Strata
import StrataSQLite
package import StrataSchema

/// One upgrade on a path of a proof, or a part of a way back, as a value that can be handed to another process.
package struct ProofUpgrade: Hashable {
  package let file: String
  let target: Int
  var isFusing = true
  var isSetBased = true
  var switches = EngineSwitches()
  /// The old file, where the file is taken back to its version instead.
  var old: String?

  /// Where a process that does it says which object a block sees, so that one that ends there can be told.
  package var objectAtHand: String { file + "-object" }
  /// Where what its blocks print goes.
  package var printed: String { file + "-printed" }

  /// Where it tells of a way back what cannot be seen in the file.
  var notes: String { file + "-notes" }

  package func run(_ target: UpgradeTarget) throws {
    if let old { return try takeBack(to: old, target) }
    let trace = StepTrace(
      { [told = StepTrace.current] version, object in told?(version, object) },
      hasLateBack: { version, model in
        try? ProofNotes(lateBack: ProofNotes.LateBack(version: version, model: model))
          .write(to: notes)
      })
    try StepTrace.$current.withValue(trace) { try upgrade(target) }
  }

  private func takeBack(to old: String, _ target: UpgradeTarget) throws {
    var options = Downgrade.Options()
    options.acceptsLoss = true
    let report = try Downgrade(path: file, from: old, target: target, options: options).run()
    try ProofNotes(report).write(to: notes)
  }

  private func upgrade(_ target: UpgradeTarget) throws {
    try EngineSwitches.$current.withValue(switches) {
      try Upgrade(path: file, target: target, options: options).run()
    }
  }

  var options: Upgrade.Options {
    var options = Upgrade.Options()
    options.target = target
    options.isFusing = isFusing
    options.isSetBased = isSetBased
    return options
  }
}

/// A block that ended its process instead of returning or throwing: it trapped, or called `exit`.
package struct ProofCrash: Error {
  /// What is known of the object that it saw last.
  package var version: Int?
  package var model: String?
  package var identity: Int64?
  /// What the process said at its end.
  package var cause: String

  package init(_ cause: String) { self.cause = cause }
}

// MARK: - JSON

extension ProofUpgrade {
  package var json: JSON {
    func number(_ value: Int?) -> JSON { value.map { .int(Int64($0)) } ?? .null }
    return .object([
      "file": .string(file), "target": .int(Int64(target)), "isFusing": .bool(isFusing),
      "isSetBased": .bool(isSetBased), "isBackwards": .bool(switches.isBackwards),
      "usesWorkspaces": .bool(switches.usesWorkspaces),
      "rowsAtOnce": number(switches.rowsAtOnce),
      "fewestObjectsForThread": number(switches.fewestObjectsForThread),
      "versionsInOnePass": number(switches.versionsInOnePass),
      "old": old.map(JSON.string) ?? .null,
    ])
  }

  /// Reads what `json` wrote.
  package init?(json: JSON) {
    guard let file = json["file"]?.string, let target = json["target"]?.int else { return nil }
    func number(_ key: String) -> Int? { json[key]?.int.map { Int($0) } }
    self.file = file
    self.target = Int(target)
    isFusing = json["isFusing"]?.bool ?? true
    isSetBased = json["isSetBased"]?.bool ?? true
    var switches = EngineSwitches()
    switches.isBackwards = json["isBackwards"]?.bool ?? false
    switches.usesWorkspaces = json["usesWorkspaces"]?.bool ?? false
    switches.rowsAtOnce = number("rowsAtOnce")
    switches.fewestObjectsForThread = number("fewestObjectsForThread")
    switches.versionsInOnePass = number("versionsInOnePass")
    self.switches = switches
    old = json["old"]?.string
  }
}

extension MigrationError {
  /// For another process.
  package var message: JSON {
    .object([
      "kind": .string(kind.rawValue), "description": .string(description),
      "version": version.map { .int(Int64($0)) } ?? .null,
      "model": model.map(JSON.string) ?? .null, "identity": identity.map(JSON.int) ?? .null,
    ])
  }

  /// Reads what `message` wrote.
  package init?(message json: JSON) {
    guard let kind = json["kind"]?.string.flatMap(Kind.init(rawValue:)),
      let description = json["description"]?.string
    else { return nil }
    self.init(
      kind, description, version: json["version"]?.int.map { Int($0) },
      model: json["model"]?.string, identity: json["identity"]?.int)
  }
}
