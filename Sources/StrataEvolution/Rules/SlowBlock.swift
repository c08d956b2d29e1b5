import StrataExpression
import StrataHistory
import StrataSchema
import StrataSource

extension Rule {
  static let slowBlock = Rule(
    "STR3953", "slow-block", .warning, .advice,
    "A Swift block runs once an object on a model of very many objects.",
    help: { _ in "what an expression can say is one statement for all objects: 'set:'" },
    .history { input in
      let versions = input.versions
      return zip(versions, versions.dropFirst()).flatMap { older, newer -> [Finding] in
        guard let step = newer.step else { return [] }
        let olds = Dictionary(
          step.step.renames.models.map { ($0.value, $0.key) },
          uniquingKeysWith: { first, _ in first })
        return step.step.swiftModels.sorted().compactMap { model in
          let old = olds[model] ?? model
          let counts = (input.samples ?? []).filter { $0.version == older.number }.compactMap {
            $0.counts[old]
          }
          guard let most = counts.max(), most > input.limits.blockObjects else { return nil }
          return Finding(
            "the block runs \(grouped(most)) times for '\(model)' in a sample file",
            at: step.places[.swift(model)], version: newer.number)
        }
      }
    })
}
