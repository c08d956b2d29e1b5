import StrataExpression
import StrataSource

extension Rule {
  static let versionMissing = Rule(
    "STR4004", "version-missing", .error, .never,
    "A version that was frozen has no file.",
    help: { _ in "restore it from version control" },
    .history { input in
      guard let baseline = input.baseline, let newest = input.newest else { return [] }
      return baseline.lock.lines.compactMap { line in
        guard line.version <= newest.number,
          !input.frozen.contains(where: { $0.number == line.version })
        else { return nil }
        let next = input.frozen.first { $0.number > line.version } ?? newest
        return Finding(
          "version \(line.version) is frozen in \(baseline.name) and is missing here",
          at: input.lockSpans[next.number] ?? next.places.version)
      }
    })
}
