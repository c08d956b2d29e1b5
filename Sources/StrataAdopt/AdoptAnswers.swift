import StrataEvolution
import StrataExpression
import StrataHistory
import StrataSchema

/// Answers to all questions of one kind.
package struct AdoptAnswers: Sendable, Equatable {
  /// What existing objects get where a required property came without a default.
  package enum Required: String, CaseIterable, Sendable {
    case zero
  }

  /// What becomes of a property or model that is gone where something like it came.
  package enum Gone: String, CaseIterable, Sendable {
    case drop
    case rename
  }

  /// Which of several objects stays where a version wants them to differ and they agree.
  package enum Duplicates: String, CaseIterable, Sendable {
    case first
    case last
  }

  /// What becomes of a value that is a link now: it leads to the object with that key.
  package enum Links: String, CaseIterable, Sendable {
    case lookup
  }

  package private(set) var duplicates: Duplicates?
  package private(set) var links: Links?
  package private(set) var required: Required?
  package private(set) var gone: Gone?

  package init() {}

  /// - Parameter texts: each `kind=answer`.
  /// - Throws: `AdoptError` for what is none of them.
  package init(_ texts: [String]) throws {
    for text in texts {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init)
      switch (parts.first, parts.count == 2 ? parts[1] : "") {
      case ("required", let answer) where Required(rawValue: answer) != nil:
        required = Required(rawValue: answer)
      case ("gone", let answer) where Gone(rawValue: answer) != nil:
        gone = Gone(rawValue: answer)
      case ("duplicates", let answer) where Duplicates(rawValue: answer) != nil:
        duplicates = Duplicates(rawValue: answer)
      case ("links", let answer) where Links(rawValue: answer) != nil:
        links = Links(rawValue: answer)
      default:
        throw AdoptError("'\(text)' is no answer; there are \(Self.known)")
      }
    }
  }

  /// - Parameter texts: what one person says at once; what was answered before may be answered otherwise.
  /// - Throws: `AdoptError` for what is no answer, and for two answers to questions of one kind.
  package static func check(_ texts: [String]) throws {
    var answers: [Substring: String] = [:]
    for text in texts {
      _ = try AdoptAnswers([text])
      let kind = text.prefix { $0 != "=" }
      if let other = answers.updateValue(text, forKey: kind), other != text {
        throw AdoptError("'\(other)' and '\(text)' answer the same questions")
      }
    }
  }

  /// As `--answer` takes them.
  package var texts: [String] {
    [
      required.map { "required=\($0.rawValue)" }, gone.map { "gone=\($0.rawValue)" },
      duplicates.map { "duplicates=\($0.rawValue)" }, links.map { "links=\($0.rawValue)" },
    ].compactMap(\.self)
  }

  /// All answers that there are, for a sentence.
  package static let known =
    "required=zero, gone=drop, gone=rename, duplicates=first, duplicates=last and links=lookup"

  private var isEmpty: Bool { self == AdoptAnswers() }

  /// Answers what is open between two versions, as far as it is of a kind that has an answer.
  func answering(
    _ step: MigrationStep?, from older: Schema, to newer: Schema
  ) -> MigrationStep? {
    guard !isEmpty else { return step }
    var step = step ?? MigrationStep(to: newer.version)
    // What is given up leaves what came in its place without a value: that is a question of its own.
    for _ in 0..<2 { answer(&step, from: older, to: newer) }
    return step == MigrationStep(to: newer.version) ? nil : step
  }

  private func answer(_ step: inout MigrationStep, from older: Schema, to newer: Schema) {
    let coverage = StepCoverage(older: older, newer: newer, step: step)
    /// By old model: the lists in which its objects have to differ.
    var apart: [String: [[String]]] = [:]
    for change in coverage.diff.changes where !coverage.covers(change) {
      switch change.kind {
      case .typeChangedIncompatible, .relationshipTargetChanged:
        guard links == .lookup, let name = change.path.property,
          let answer = LinkAnswer(change, from: older, to: newer, renames: step.renames)
        else { continue }
        step.set[change.path.model, default: [:]][name] = answer.value
        if let deletion = answer.deletion, let model = change.oldPath?.model {
          step.delete[model] =
            step.delete[model].map { Expression(.binary(.or, $0, deletion)) } ?? deletion
        }
      case .primaryKeyAdded, .primaryKeyChanged, .uniqueAdded:
        let asked = coverage.askedApart(change)
        guard let old = change.oldPath?.model, !asked.contains(where: \.isEmpty) else { continue }
        apart[old, default: []] += asked
      case .requiredPropertyAdded:
        guard required == .zero, let name = change.path.property,
          let type = newer.model(named: change.path.model)?.property(named: name)?.type.valueType,
          let text = Self.zero(newer.storedScalar(of: type.base)),
          let zero = try? Expression.parse(text)
        else { continue }
        step.set[change.path.model, default: [:]][name] = zero
      case .propertyRemoved, .relationshipRemoved, .modelRemoved:
        if gone == .drop { step.drop.insert(change.oldPath ?? change.path) }
      case .propertyRenamedUndeclared, .modelRenamedUndeclared:
        guard let old = change.oldPath else { continue }
        switch gone {
        case .drop: step.drop.insert(old)
        case .rename:
          if let name = change.path.property {
            step.renames.properties[old] = name
          } else {
            step.renames.models[old.model] = change.path.model
          }
        case nil: continue
        }
      default: continue
      }
    }
    guard let duplicates else { return }
    for (old, asked) in apart {
      let known = step.deduplicate[old].map { [$0.properties] } ?? []
      guard let names = StepCoverage.common(to: known + asked) else { continue }
      step.deduplicate[old] = Deduplication(
        properties: names, keep: duplicates == .first ? .first : .last)
    }
  }

  /// As the language of expressions writes it; nil for types that have no empty value there.
  private static func zero(_ type: ScalarType?) -> String? {
    switch type {
    case .bool: "false"
    case .string: "''"
    case .double, .float: "0.0"
    case let type? where type.isInteger: "0"
    default: nil
    }
  }
}
