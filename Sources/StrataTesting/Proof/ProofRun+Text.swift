/// What a report shows of data, for people.
extension ProofRun {
  /// Characters of a value, and objects, that a report shows.
  private static let maximumCharacters = 80
  private static let maximumShownObjects = 8

  static func short(_ text: String) -> String {
    text.count <= maximumCharacters ? text : text.prefix(maximumCharacters) + "…"
  }

  static func text(of data: ProofData, from version: Int) -> String {
    let lines = data.objects.prefix(maximumShownObjects).map { object in
      let values = object.values.sorted { $0.key < $1.key }
        .map { "\($0.key): \(short($0.value.proofText))" }
      let lists = object.collections.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
        .map { "\($0.key): \($0.value.count) elements" }
      return
        "    \(object.model) #\(object.identity) { \((values + lists).joined(separator: ", ")) }"
    }
    let rest = data.objects.count - lines.count
    return
      (["  the smallest data that shows it, at version \(version):"] + lines
      + (rest > 0 ? ["    and \(rest) more"] : [])).joined(separator: "\n")
  }
}
