import StrataEvolution
package import StrataExpression
package import StrataHistory
package import StrataSchema

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

  package private(set) var required: Required?
  package private(set) var gone: Gone?

  package init() {}

  /// - Parameter texts: each `kind=answer`.
  /// - Throws: `AdoptError` for what is none of them.
  package init(_ texts: [String]) throws {
    for text in texts {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      switch (parts.first, parts.count == 2 ? parts[1] : "") {
      case ("required", let answer) where Required(rawValue: answer) != nil:
        required = Required(rawValue: answer)
      case ("gone", let answer) where Gone(rawValue: answer) != nil:
        gone = Gone(rawValue: answer)
      default:
        throw AdoptError(
          "'\(text)' is no answer; there are required=zero, gone=drop and gone=rename")
      }
    }
  }

  /// Answers what is open between two versions, as far as it is of a kind that has an answer.
  func answering(
    _ step: MigrationStep?, from older: Schema, to newer: Schema
  ) -> MigrationStep? {
    guard required != nil || gone != nil else { return step }
    var step = step ?? MigrationStep(to: newer.version)
    // What is given up leaves what came in its place without a value: that is a question of its own.
    for _ in 0..<2 { answer(&step, from: older, to: newer) }
    return step == MigrationStep(to: newer.version) ? nil : step
  }

  private func answer(_ step: inout MigrationStep, from older: Schema, to newer: Schema) {
    let coverage = StepCoverage(older: older, newer: newer, step: step)
    for change in coverage.diff.changes where !coverage.covers(change) {
      switch change.kind {
      case .requiredPropertyAdded:
        guard required == .zero, let name = change.path.property,
          let type = newer.model(named: change.path.model)?.property(named: name)?.type.valueType,
          let text = Self.zero(newer.storedScalar(of: type.base)),
          let zero = try? Expression.parse(text)
        else { continue }
        step.set[change.path.model, default: [:]][name] = zero
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
