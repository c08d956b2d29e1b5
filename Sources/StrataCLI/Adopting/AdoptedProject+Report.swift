import Strata
import StrataAdopt
package import StrataFiles
package import StrataSchema
import StrataSource

extension AdoptedProject {
  package var summary: String {
    let versions = history.versions
    let numbers = versions.map(\.schema.version)
    let range = "\(numbers.first ?? 0) to \(numbers.last ?? 0)"
    var lines = [
      versions.count == 1
        ? "\(history.name): version \(numbers[0]), \(counted(versions[0].schema.models.count, "model"))"
        : "\(history.name): \(versions.count) versions, \(range), \(counted(versions.last?.schema.models.count ?? 0, "model")) in the newest"
    ]
    if versions.count > 1 {
      lines.append(
        "\(counted(count(of: .automatic) + count(of: .step) + count(of: .never), "change")): \(count(of: .automatic)) automatic, \(count(of: .step)) \(count(of: .step) == 1 ? "needs" : "need") a step"
      )
    }
    if openCount > 0 {
      let steps = unansweredSteps.map { "migrations/\($0.version).yaml" }
      lines.append(
        "\(openCount == 1 ? "1 change is yours to decide, a" : "\(openCount) changes are yours to decide, each a") ??? in \(steps.count == 1 ? steps[0] : "\(steps.count) step files"):"
      )
      for step in unansweredSteps {
        for change in step.open {
          lines.append(
            "  migrations/\(step.version).yaml: \(TerminalText.plain(change.message)) [\(change.kind.code)]"
          )
        }
      }
      lines.append("answer them, then run '\(Tool.name) freeze --repair' to seal the answers")
    }
    return lines.joined(separator: "\n")
  }

  private var openCount: Int { unansweredSteps.reduce(0) { $0 + $1.open.count } }

  /// What `check` has against the files, but for steps that stay as an earlier run's folder has them.
  private var errorCount: Int {
    let answered = Set(answeredSteps.map { "migrations/\($0).yaml" })
    return findings.errorCount
      - findings.sorted.count { finding in
        finding.severity == .error && finding.span.map { answered.contains($0.path) } ?? false
      }
  }

  /// What is not as it was, a line each.
  ///
  /// - Parameter data: the objects, which tell of their own values; nil for a schema alone.
  package func reportLines(_ data: AdoptedData? = nil) -> [String] {
    let entries = history.entries
    let dropped = givenUp.count
    let drops =
      dropped == 0
      ? []
      : [
        "\(counted(dropped, "thing")) that versions of the source gave up \(dropped == 1 ? "is" : "are") dropped (ADOPTED.md)"
      ]
    guard !entries.isEmpty else {
      let what = (data?.leftOut ?? 0) == 0 ? "everything of the source" : "the source's schema"
      return drops.isEmpty ? ["\(what) is in the result as it was"] : drops
    }
    let count =
      entries.count == 1
      ? "1 thing is not as it was" : "\(entries.count) things are not as they were"
    return drops + ["\(count) (ADOPTED.md):"]
      + entries.map { "  \(Self.line($0))" }
  }

  /// What steps drop: the version that lacks it, and what may have taken its place.
  private var givenUp: [(version: Int, path: SchemaPath, alike: [String])] {
    zip(history.versions, history.versions.dropFirst()).flatMap { older, newer in
      let step = frozen.steps.first { $0.version == newer.schema.version }
      let kept = keptSteps[newer.schema.version]
      return (step?.givenUp(older.schema, newer.schema, keptAs: kept) ?? []).map {
        (newer.schema.version, $0.path, $0.alike)
      }
    }
  }

  private static func line(_ entry: AdoptEntry) -> String {
    let place = [entry.note.entity, entry.note.property ?? ""].filter { !$0.isEmpty }
      .joined(separator: ".")
    return [EarlierReport.word(for: entry.note.kind), ranges(entry.versions), place]
      .filter { !$0.isEmpty }.joined(separator: ", ") + ": \(entry.note.reason)"
  }

  private static func ranges(_ versions: [Int]) -> String {
    guard let first = versions.first, let last = versions.last else { return "" }
    if versions.count == 1 { return "version \(first)" }
    return versions.count == last - first + 1
      ? "versions \(first) to \(last)" : "\(versions.count) versions from \(first) to \(last)"
  }

  /// `ADOPTED.md`.
  ///
  /// - Parameters:
  ///   - data: the objects, of which a part of it tells; nil for a schema alone.
  ///   - kept: that part of an earlier run, whose objects stay.
  package func report(_ data: AdoptedData? = nil, keeping kept: String = "") -> String {
    var text = "# What `strata adopt \(history.source.rawValue)` made of \(history.name)\n\n"
    text += summary.split(separator: "\n").map { "    \($0)\n" }.joined()
    text += "\n\(EarlierReport.headOfVersions)\n\n| version | in the source |\n|---|---|\n"
    for version in history.versions {
      text += EarlierReport.row(["\(version.schema.version)", version.name]) + "\n"
    }
    text += AdoptedUpdate.line(answers)
    let drops = givenUp
    if !drops.isEmpty {
      text +=
        "\n## Given up\n\nA version of the source lacks it, so its step drops it. Where something of the same type came"
      text += " at once, a `rename` in the step keeps the values.\n\n"
      text += "| version | | new, of the same type |\n|---|---|---|\n"
      for (version, path, alike) in drops {
        text += "| \(version) | \(path) | \(alike.joined(separator: ", ")) |\n"
      }
    }
    let entries = history.entries
    text += "\n\(EarlierReport.headOfEntries)\n\n"
    let rest = data?.report ?? kept
    guard !entries.isEmpty else {
      let isWhole = (data?.leftOut ?? 0) == 0 && !AdoptedData.tellsOfLeftOut(kept)
      let what = isWhole ? "Everything of the source" : "The source's schema"
      return text + "\(what) is here as it was.\n" + rest
    }
    text += "| versions | entity | property | | reason |\n|---|---|---|---|---|\n"
    for entry in entries {
      let cells = [
        EarlierReport.text(of: entry.versions), entry.note.entity, entry.note.property ?? "",
        EarlierReport.word(for: entry.note.kind), entry.note.reason,
      ]
      text += EarlierReport.row(cells) + "\n"
    }
    return text + rest
  }

  /// `strata.adopt/1`.
  package func json(
    source: String, output: String?, isDryRun: Bool, data: AdoptedData? = nil,
    merge: (path: String, report: MergeReport)? = nil, added: [Int]? = nil
  ) -> JSON {
    func counts(_ changes: [SchemaChange]) -> JSON {
      .object(
        Dictionary(
          uniqueKeysWithValues: Verdict.allCases.map { verdict in
            (verdict.rawValue, .int(Int64(changes.count { $0.verdict == verdict })))
          }))
    }
    let steps = Dictionary(
      frozen.steps.map { ($0.version, $0) }, uniquingKeysWith: { first, _ in first })
    var members: [String: JSON] = [
      "format": "strata.adopt/1", "system": .string(history.source.rawValue),
      "source": .string(source), "schema": .string(history.name),
      "output": output.map(JSON.string) ?? .null, "dryRun": .bool(isDryRun),
      "versions": .array(
        history.versions.map { version in
          let step = steps[version.schema.version]
          return .object([
            "version": .int(Int64(version.schema.version)), "name": .string(version.name),
            "models": .int(Int64(version.schema.models.count)),
            "changes": counts(step?.changes ?? []),
            "open": .array(
              (unansweredSteps.first { $0.version == version.schema.version }?.open ?? []).map {
                .object([
                  "code": .string($0.kind.code), "rule": .string($0.kind.name),
                  "path": .string($0.path.description), "message": .string($0.message),
                ])
              }),
          ])
        }), "changes": counts(frozen.steps.flatMap(\.changes)),
      "open": .int(Int64(openCount)), "checkErrors": .int(Int64(errorCount)),
      "report": .array(
        history.entries.map { entry in
          .object([
            "kind": .string(entry.note.kind.rawValue), "entity": .string(entry.note.entity),
            "property": entry.note.property.map(JSON.string) ?? .null,
            "reason": .string(entry.note.reason),
            "versions": .array(entry.versions.map { .int(Int64($0)) }),
          ])
        }), "files": .array(files.map { .string($0.path) } + ["ADOPTED.md"]),
    ]
    if let data { members["data"] = data.json }
    if let merge {
      members["into"] = .object(["database": .string(merge.path), "models": merge.report.json])
    }
    if let added { members["added"] = .array(added.map { .int(Int64($0)) }) }
    return .object(members)
  }
}
