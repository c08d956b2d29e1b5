/// What was brought over, and what of it is not as it was.
package struct TransferReport: Sendable {
  package struct Exception: Hashable, Sendable {
    package let model: String
    /// Empty for a whole object.
    package let property: String
    package let reason: String

    /// Where it stands, for people.
    package var place: String { property.isEmpty ? model : "\(model).\(property)" }
  }

  /// By model.
  package var objects: [String: Int] = [:]
  /// Values of properties, collections apart.
  package var values = 0
  /// Elements of collections.
  package var elements = 0
  /// How often each happened.
  package private(set) var exceptions: [Exception: Int] = [:]

  package init() {}

  package mutating func note(_ model: String, _ property: String, _ reason: String) {
    exceptions[Exception(model: model, property: property, reason: reason), default: 0] += 1
  }

  /// Sorted by place.
  package var sortedExceptions: [(exception: Exception, count: Int)] {
    exceptions.map { ($0.key, $0.value) }.sorted {
      ($0.0.model, $0.0.property, $0.0.reason) < ($1.0.model, $1.0.property, $1.0.reason)
    }
  }

  package var leftOut: Int { exceptions.values.reduce(0, +) }
}
