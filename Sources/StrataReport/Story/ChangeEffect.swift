package import StrataSchema

/// Whether a change adds something, takes something away, or makes something else of it.
package enum ChangeEffect: String, CaseIterable, Sendable {
  case added
  case removed
  case changed

  package var sign: String {
    switch self {
    case .added: "+"
    case .removed: "−"
    case .changed: "~"
    }
  }
}

extension ChangeKind {
  package var effect: ChangeEffect {
    switch self {
    case .modelAdded, .propertyAdded, .requiredPropertyAdded, .primaryKeyAdded, .uniqueAdded,
      .indexAdded, .enumAdded, .enumCaseAdded, .ruleAdded:
      .added
    case .modelRemoved, .propertyRemoved, .relationshipRemoved, .defaultRemoved, .uniqueRemoved,
      .indexRemoved, .enumRemoved, .enumCaseRemoved, .ruleRemoved:
      .removed
    default: .changed
    }
  }
}
