import StrataSource

extension AdoptSource {
  /// What such a history is called.
  var title: String {
    switch self {
    case .coredata: "a Core Data model"
    case .room: "schemas of Room"
    case .drift: "schemas of drift"
    case .realm: "a Realm file"
    case .sqlite: "a SQLite database"
    }
  }

  /// Whether a file or folder is a version of the system's histories.
  func isVersion(_ name: String) -> Bool {
    switch self {
    case .coredata: name.hasSuffix(".xcdatamodel")
    case .realm: name.hasSuffix(".realm")
    case .sqlite: [".sqlite", ".sqlite3", ".db"].contains(where: name.hasSuffix)
    case .room: name.hasSuffix(".json") && JSONHistory.versionNumber(name.dropLast(5)) != nil
    case .drift:
      name.hasPrefix("drift_schema_v") && name.hasSuffix(".json")
        && JSONHistory.versionNumber(name.dropFirst(14).dropLast(5)) != nil
    }
  }

  /// For the sentence that says that a folder has no history of this system: that it has one of another.
  func hint(for folder: String, names: [String]) -> String {
    let inner = names.flatMap { (try? SourceFolder.list(folder + "/" + $0)) ?? [] }
    let other = AdoptSource.allCases.first { other in
      other != self && (names + inner).contains(where: other.isVersion)
    }
    if let other { return "; it holds \(other.title): strata adopt \(other.rawValue)" }
    if names.contains(where: { $0.hasSuffix(".mom") }) {
      return "; it is a compiled one, and its source is a .xcdatamodeld"
    }
    return ""
  }
}
