import StrataExpression
import StrataFrontend
import StrataHistory
import StrataSchema

/// Since which version a model or a property is there, and under which names it came through the versions.
struct Origin {
  /// The version that it came in.
  private(set) var version: Int
  /// Older names, newest first, each with the version that gave it up.
  private(set) var olderNames: [(name: String, until: Int)] = []

  /// - Parameters:
  ///   - path: its name in the newest of the versions.
  ///   - working: the number of the declarations, where that is what `path` is of.
  init(of path: SchemaPath, history: HistoryReading, upTo version: Int, isWorking: Bool) {
    var path = path
    self.version = version
    var older = history.history.versions.map(\.schema).filter { schema in
      isWorking ? schema.version <= version : schema.version < version
    }
    var reached = version
    while let schema = older.popLast() {
      // Declarations that bear the newest version's number continue it under the same names.
      let step = schema.version == reached ? nil : history.steps[reached]?.step
      let renames = step?.renames ?? Renames()
      guard let model = renames.oldModel(of: path.model, in: schema) else { return }
      var before = SchemaPath(model.name)
      if let name = path.property {
        guard let property = renames.oldProperty(of: name, in: model) else { return }
        before.property = property.name
      }
      if step?.drop.contains(before) == true { return }
      let isRenamed = path.property.map { $0 != before.property } ?? (path.model != before.model)
      if isRenamed { olderNames.append((before.property ?? before.model, reached)) }
      path = before
      reached = schema.version
      self.version = schema.version
    }
  }

  var text: String {
    "Since version \(version)."
      + olderNames.map { " Called `\($0.name)` before version \($0.until)." }.joined()
  }
}
