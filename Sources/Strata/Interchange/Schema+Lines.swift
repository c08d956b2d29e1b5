package import StrataSchema

extension Schema {
  /// What keeps objects of a model from being JSON lines of their own, as the end of a sentence about the file: "has no model Persn";
  /// nil where nothing does.
  package func reasonAgainstLines(of name: String) -> String? {
    let names = storedModels.lazy.filter { !$0.isEmbedded }.map(\.name).joined(separator: ", ")
    guard let model = model(named: name) else {
      return "has no model \(name.prefix(60)); it has \(names.isEmpty ? "none" : names)"
    }
    if model.isAbstract { return "has no objects of \(name) itself, which is abstract" }
    if model.isEmbedded {
      return "has objects of \(name) inside of their owners only, because it is embedded"
    }
    return nil
  }
}
