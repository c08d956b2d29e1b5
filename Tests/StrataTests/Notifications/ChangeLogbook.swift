import Strata

/// Writes down what an observer of a collection is told, as text.
final class ChangeLogbook {
  private(set) var lines: [String] = []

  func note<Observed: ObservedCollection & Collection>(_ change: CollectionChange<Observed>) {
    switch change {
    case .initial(let collection): lines.append("initial \(collection.count)")
    case .update(_, let deletions, let insertions, let modifications, let moves):
      let parts = [
        ("-", deletions.map { "\($0)" }), ("+", insertions.map { "\($0)" }),
        ("*", modifications.map { "\($0)" }), (">", moves.map { "\($0.from)→\($0.to)" }),
      ]
      let text = parts.filter { !$0.1.isEmpty }.map { "\($0.0)\($0.1.joined(separator: ","))" }
      lines.append(text.isEmpty ? "set" : text.joined(separator: " "))
    case .error(let error): lines.append("error \(error.code)")
    }
  }

  func note<Observed: Object>(_ change: ObjectChange<Observed>) {
    switch change {
    case .change(_, let properties):
      lines.append(
        properties.map { property in
          "\(property.name): \(text(property.oldValue)) → \(text(property.newValue))"
        }.joined(separator: "; "))
    case .deleted: lines.append("deleted")
    case .error(let error): lines.append("error \(error.code)")
    }
  }

  private func text(_ value: Any?) -> String {
    guard let value else { return "nil" }
    if let object = value as? Object { return "\((object["name"] as? String) ?? "?")" }
    return "\(value)"
  }

  /// The lines since the last time.
  func take() -> [String] {
    defer { lines = [] }
    return lines
  }
}
