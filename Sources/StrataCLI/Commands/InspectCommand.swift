import ArgumentParser
import Strata
import StrataFiles
import StrataSchema

struct InspectCommand: ParsableCommand, JSONPrinting {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract:
      "Says what a database file is: version, schema, counts, and whether it can be upgraded.",
    discussion:
      "Changes nothing: neither the file nor its -wal and -shm. Realm files are read, too; encrypted ones with their key of 64 bytes."
  )

  @Argument(help: "Database files.", transform: PathArgument.parse) var files: [String]
  @Flag(help: "Also print the digest of all objects, which reads every one of them.")
  var digest = false
  @Flag(help: "Look at everything: each page, row, value and link, the counters and the lineage.")
  var check = false
  @Flag(
    help:
      "Hold all objects against the rules that the file has stored; exits with 1 where one is broken, with 3 where that cannot be known, as in a file whose objects are damaged and of which none is found to break one."
  )
  var rules = false
  @Flag(help: "Print one JSON object.") var json = false
  @OptionGroup var folders: FolderOptions
  @OptionGroup var key: KeyOptions

  func run() throws {
    try key.apply()
    let target = try folders.optionalUpgradeTarget()
    let inspector = FileInspector()
    var inspections: [FileInspection] = []
    var failure: MigrationError?
    for file in files {
      do {
        var inspection = try inspector.inspect(
          file, target: target, digest: digest, checksAll: check, rules: rules)
        if inspection.kind != .strata, let realm = try RealmCopy(file, key: key) {
          try realm.complete(&inspection, digest: digest)
          if check || rules {
            Terminal.note(
              "note: \(file) is a Realm file, of which \(check ? "--check" : "--rules") looks at nothing; `\(Tool.name) adopt realm \(file) --output DIR --dry-run` reads all of it"
            )
          }
        }
        inspections.append(inspection)
      } catch let error as MigrationError where error.kind != .cancelled {
        Terminal.error(error.description, code: error.code)
        failure = error
      }
    }
    if json {
      Terminal.answer(
        JSON.object([
          "format": "strata.inspect/1", "files": .array(inspections.map(\.json)),
        ]))
    } else {
      for inspection in inspections { Terminal.print(inspection.text, keepingLines: true) }
    }
    let isBroken = inspections.contains { $0.brokenRules?.isEmpty == false }
    if failure != nil || inspections.contains(where: \.areRulesUnknown) {
      throw ExitCode(ExitStatus.failed)
    }
    if isBroken { throw ExitCode(ExitStatus.findings) }
  }
}

extension ContentProblem {
  var json: JSON {
    .object(["check": .string(check.rawValue), "message": .string(message)])
  }
}

extension FileInspection {
  var json: JSON {
    var members: [String: JSON] = [
      "file": .string(file), "kind": .string(kind.rawValue), "encrypted": .bool(isEncrypted),
      "schema": schemaName.map(JSON.string) ?? .null,
      "version": version.map { .int(Int64($0)) } ?? .null,
      "shape": shape.map { .string($0.description) } ?? .null,
      "status": .string(status.rawValue), "judged": .bool(isJudged),
      "closestVersion": closestVersion.map { .int(Int64($0)) } ?? .null,
      "counts": .object(counts.mapValues { .int(Int64($0)) }), "size": .int(Int64(size)),
    ]
    if let dataDigest { members["dataDigest"] = .string(dataDigest.description) }
    if let brokenRules { members["brokenRules"] = .array(brokenRules.map(\.json)) }
    if areRulesUnknown { members["brokenRules"] = .null }
    if let problem { members["error"] = problem.json }
    if let contentProblems {
      members["problems"] = .array(contentProblems.map(\.json))
    }
    return .object(members)
  }

  var text: String {
    var lines = [file]
    func add(_ label: String, _ value: String) {
      lines.append("  " + label.padded(to: 9) + value)
    }
    if let schemaName, let version {
      add("schema", "\(schemaName), version \(version)")
    }
    switch status {
    case _ where !isJudged:
      let reason = problem == nil ? ": there is no readable history of versions here" : ""
      add("status", "not judged\(reason)")
    case .current: add("status", "current")
    case .upgradable:
      add("status", "upgradable to version \(newestVersion.map(String.init) ?? "?")")
    default: add("status", status.rawValue)
    }
    if let problem { add("", problem.description) }
    if let contentProblems {
      if contentProblems.isEmpty { add("checked", "everything; nothing is wrong") }
      for problem in contentProblems {
        add(problem.check.rawValue, problem.message)
      }
    }
    if let brokenRules {
      if brokenRules.isEmpty { add("rules", "kept by every object") }
      for broken in brokenRules { add("rules", broken.description) }
      if status == .damaged, !brokenRules.isEmpty {
        add("", "as far as the file can be read; more may be broken")
      }
    }
    if areRulesUnknown {
      add("rules", "not judged\(rulesProblem.map { ": \($0)" } ?? ", because the file is damaged")")
    }
    if size > 0 { add("size", sized(size)) }
    for (model, count) in counts.sorted(by: { $0.key < $1.key }) {
      add("objects", "\(grouped(count)) \(model)")
    }
    if let shape { add("shape", shape.description) }
    if let dataDigest { add("data", dataDigest.description) }
    return lines.map { TerminalText.plain($0) }.joined(separator: "\n")
  }
}

extension RuleViolations {
  var json: JSON {
    .object([
      "model": .string(model), "rule": .string(rule),
      "says": sentence.map(JSON.string) ?? .null, "that": .string(condition),
      "count": .int(Int64(count)),
      "first": .array(
        first.map { broken in
          var members: [String: JSON] = ["identity": .int(broken.identity)]
          if let key = broken.primaryKey { members["primaryKey"] = .string(key) }
          if let problem = broken.problem { members["problem"] = .string(problem) }
          return .object(members)
        }),
    ])
  }
}

extension MigrationError {
  var json: JSON { .object(["code": .string(code), "message": .string(description)]) }
}

extension String {
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - TerminalText.columns(of: self)))
  }
}
