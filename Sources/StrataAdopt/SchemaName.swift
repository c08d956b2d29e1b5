import StrataFrontend

/// The name of an adopted schema, which generated Swift types begin with.
package enum SchemaName {
  /// How many bytes a name may have that is given.
  static let maximumLength = 55
  /// How many characters one has that is made of the source's.
  static let usualLength = 50

  /// - Parameter given: what the user has chosen; nil for a name made of the source's.
  /// - Throws: `AdoptError` where the choice is no identifier that a schema can have.
  package static func make(_ given: String?, near source: String) throws -> String {
    if let given {
      if let reason = objection(to: given) {
        throw AdoptError("'\(given)' cannot be the name of a schema: \(reason)")
      }
      return given
    }
    let words = source.split { $0 == "_" || $0 == "-" || $0 == " " || $0 == "." }
    let joined = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    return String((Names.identifier(near: joined) ?? "App").prefix(usualLength))
  }

  /// Why a schema cannot have a name; nil where it can.
  private static func objection(to name: String) -> String? {
    if !Names.isIdentifier(name) {
      return "it is no identifier, which is a letter or '_', then letters, digits and '_'"
    }
    if name.utf8.count > maximumLength { return "it has more than \(maximumLength) bytes" }
    return Names.traps.contains(name) ? "it is a word of Swift's" : nil
  }
}
