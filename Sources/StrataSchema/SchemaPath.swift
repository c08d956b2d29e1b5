/// A place in a schema: a model or enum, `Person`, or a property or case of it, `Person.email`.
package struct SchemaPath: Hashable, Sendable, Comparable, CustomStringConvertible {
  package var model: String
  package var property: String?

  package init(_ model: String, _ property: String? = nil) {
    self.model = model
    self.property = property
  }

  /// Reads `Model` or `Model.property`; nil for anything else.
  package init?(_ text: some StringProtocol) {
    let parts = String(text).utf8
      .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
        String($0) ?? ""
      }
    guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    self.init(parts[0], parts.count == 2 ? parts[1] : nil)
  }

  package var description: String { property.map { "\(model).\($0)" } ?? model }

  package static func < (left: SchemaPath, right: SchemaPath) -> Bool {
    (left.model, left.property ?? "") < (right.model, right.property ?? "")
  }
}
