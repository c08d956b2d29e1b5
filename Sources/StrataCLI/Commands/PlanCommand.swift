import ArgumentParser
import Strata
import StrataSchema

struct PlanCommand: FileJSONAnswering {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Says what an upgrade would do, table by table; changes nothing.")

  @Argument(help: "A database file.", transform: PathArgument.parse) var file: String
  @Option(help: ArgumentHelp("The version to reach.", valueName: "version")) var to: Int?
  @Flag(help: "Print one JSON object.") var json = false
  @OptionGroup var folders: FolderOptions
  @OptionGroup var key: KeyOptions

  func run() throws {
    try key.apply()
    var options = Upgrade.Options()
    options.target = to
    let plan = try UpgradePlan.make(
      path: file,
      target: try folders.upgradeTarget(allowsQuestions: true, needsSealedSteps: true),
      options: options)
    if json { Terminal.answer(plan.json) } else { Terminal.print(plan.text, keepingLines: true) }
  }
}

extension UpgradePlan {
  var json: JSON {
    .object([
      "format": "strata.plan/1", "file": .string(file), "from": .int(Int64(from)),
      "to": .int(Int64(to)), "steps": .array(steps.map { .int(Int64($0)) }),
      "tables": .array(
        tables.map { table in
          .object([
            "model": .string(table.model), "strategy": .string(table.strategy.rawValue),
            "fused": .array(table.fused.map { .int(Int64($0)) }),
            "objects": .int(Int64(table.objects)), "bytes": .int(Int64(table.bytes)),
            "why": .string(table.reason),
          ])
        }),
      "write": .string(write.rawValue), "diskNeeded": .int(Int64(diskNeeded)),
      "otherTables": .array(otherTables.map(JSON.string)),
      "brokenRules": .array(
        forecast.broken.flatMap { broken in
          broken.rules.map { rule in
            var members = rule.json.object ?? [:]
            members["version"] = .int(Int64(broken.version))
            return .object(members)
          }
        }),
      "unknownRules": .array(
        forecast.unknown.sorted { $0.key < $1.key }.flatMap { version, rules in
          rules.map { .object(["version": .int(Int64(version)), "rule": .string($0)]) }
        }),
      "status": .string(isCurrent ? "current" : "upgradable"),
    ])
  }

  var text: String {
    guard !isCurrent else {
      return TerminalText.plain("\(file): version \(to), current; nothing to do")
    }
    var lines = [
      from == to
        ? "\(file): version \(from), an earlier shape of it → the declared one"
        : "\(file): version \(from) → \(to) by "
          + (steps.count == 1
            ? "step \(steps[0])" : "steps \(steps.map(String.init).joined(separator: ", "))")
    ]
    let models = max(5, tables.map { TerminalText.columns(of: $0.model) }.max() ?? 0)
    lines.append(
      "  " + "model".padded(to: models + 2) + "strategy".padded(to: 11)
        + "objects".leftPadded(to: 11) + "bytes".leftPadded(to: 11) + "   why")
    for table in tables {
      lines.append(
        "  " + table.model.padded(to: models + 2) + table.strategy.rawValue.padded(to: 11)
          + grouped(table.objects).leftPadded(to: 11)
          + sized(table.bytes).leftPadded(to: 11) + "   " + table.reason)
    }
    let place =
      switch write {
      case .aside: "built beside the file, verified, written back in one transaction"
      case .inPlace: "changed in place in one transaction"
      case .output: "written to the output file"
      }
    lines.append("  \(place); needs \(sized(diskNeeded)) of disk")
    if !otherTables.isEmpty {
      let names = otherTables.joined(separator: ", ")
      lines.append(
        write == .inPlace
          ? "  keeps what other programs have in the file: \(names)"
          : "  leaves out what other programs have in the file: \(names)")
    }
    for broken in forecast.broken {
      for rule in broken.rules {
        lines.append("  will be refused at version \(broken.version): \(rule)")
      }
    }
    for (version, rules) in forecast.unknown.sorted(by: { $0.key < $1.key }) {
      lines.append(
        "  looked at during the upgrade, at version \(version): \(rules.joined(separator: ", "))")
    }
    return lines.map { TerminalText.plain($0) }.joined(separator: "\n")
  }
}

extension String {
  func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - TerminalText.columns(of: self))) + self
  }
}
