// Which case of an enum a stored value is. The shape knows the values alone, so that a case can get another name; a value
// that becomes another case's is another meaning of everything that was stored.

extension Schema {
  /// The raw value of each case, by enum; nil where there are no enums.
  private var casesJSON: JSON? {
    guard !enums.isEmpty else { return nil }
    return .object(
      Dictionary(
        uniqueKeysWithValues: enums.map { type in
          (
            type.name,
            .object(
              Dictionary(uniqueKeysWithValues: type.cases.map { ($0.name, $0.rawValue.json) }))
          )
        }))
  }

  /// The digest of what the cases of all enums are stored as; nil where there are no enums.
  package var casesDigest: Digest? { casesJSON.map { Digest(of: $0.canonicalText) } }

  /// Whether each case that both schemas have is stored as the same value in both.
  package func storesCases(as other: Schema) -> Bool {
    enums.allSatisfy { type in
      guard let same = other.enumeration(named: type.name), type != same else { return true }
      let values = Dictionary(uniqueKeysWithValues: same.cases.map { ($0.name, $0.rawValue) })
      return type.cases.allSatisfy { values[$0.name] == nil || values[$0.name] == $0.rawValue }
    }
  }
}
