import StrataExpression
import StrataHistory
import StrataSource

extension Rule {
  static let noSampleData = Rule(
    "STR4016", "no-sample-data", .warning, .advice,
    "A step has a Swift block, and no sample file has the version before it.",
    .history { input in
      guard let samples = input.samples else { return [] }
      let versions = input.versions
      return zip(versions, versions.dropFirst()).compactMap { older, newer in
        guard let step = newer.step, let first = step.step.swiftModels.min(),
          !samples.contains(where: { $0.version == older.number })
        else { return nil }
        return Finding(
          "no sample file has version \(older.number), which the block to version \(newer.number) reads",
          at: step.places[.swift(first)],
          help: "'strata create FILE --version \(older.number) --sample 100' makes one",
          version: newer.number)
      }
    })
}
