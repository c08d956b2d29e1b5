import StrataExpression
import StrataFrontend
import StrataSchema
import StrataSource
import StrataYAML

/// A step file as it stands, also with mistakes: its entries, and which names of which version they mention.
struct StepText {
  let file: SourceFile
  let entries: [YAMLEntry]

  /// Nil where the text is no mapping.
  init?(_ file: SourceFile) {
    var ignored = Diagnostics()
    guard let document = YAMLComposer.compose(file, reporting: &ignored) else { return nil }
    self.file = file
    switch document.root?.content {
    case .mapping(let entries, _)?: self.entries = entries
    case nil: entries = []
    default: return nil
    }
  }

  func entry(_ key: String) -> YAMLEntry? { entries.first { $0.key == key } }

  /// The entries of one of the step's mappings.
  func entries(of key: String) -> [YAMLEntry] { entry(key)?.value.entries ?? [] }

  var renames: Renames {
    var renames = Renames()
    for entry in entries(of: "rename") {
      guard let path = SchemaPath(entry.key), let new = entry.value.scalar?.text else { continue }
      if path.property == nil {
        renames.models[path.model] = new
      } else {
        renames.properties[path] = new
      }
    }
    return renames
  }

  /// - Parameters:
  ///   - old: the version before; nil where there is none.
  ///   - new: the version that the step reaches, a frozen one by its number.
  func occurrences(
    old: (table: DeclarationTable, version: Int)?, new: (table: DeclarationTable, version: Int?)
  ) -> [Occurrence] {
    var found = OccurrenceList(file: file, version: new.version)
    let renames = renames
    /// The name that a model has in the new version.
    func newName(_ model: String) -> String { renames.models[model] ?? model }
    for entry in entries(of: "rename") {
      guard let path = SchemaPath(entry.key) else { continue }
      if let old {
        found.add(path: path, at: entry.keyRange, in: old.table, version: .some(old.version))
      }
      guard let name = entry.value.scalar?.text else { continue }
      let target =
        path.property == nil ? SchemaPath(name) : SchemaPath(newName(path.model), name)
      if let symbol = new.table.symbol(target) { found.add(symbol, entry.value.range) }
    }
    for model in entries(of: "set") {
      if let symbol = new.table.symbol(SchemaPath(model.key)) { found.add(symbol, model.keyRange) }
      let oldModel = renames.models.first { $0.value == model.key }?.key ?? model.key
      for property in model.value.entries ?? [] {
        if let symbol = new.table.symbol(SchemaPath(model.key, property.key)) {
          found.add(symbol, property.keyRange)
        }
        if let old {
          ExpressionNames(of: oldModel, in: old.table, version: old.version, for: .step)
            .collect(property.value, into: &found)
        }
      }
    }
    if let old {
      for model in entries(of: "back") {
        found.add(
          path: SchemaPath(model.key), at: model.keyRange, in: old.table,
          version: .some(old.version))
        for property in model.value.entries ?? [] {
          found.add(
            path: SchemaPath(model.key, property.key), at: property.keyRange, in: old.table,
            version: .some(old.version))
          ExpressionNames(
            of: newName(model.key), in: new.table, version: new.version, for: .back
          ).collect(property.value, into: &found)
        }
      }
      for model in entries(of: "delete") {
        found.add(
          path: SchemaPath(model.key), at: model.keyRange, in: old.table,
          version: .some(old.version))
        ExpressionNames(of: model.key, in: old.table, version: old.version, for: .step)
          .collect(model.value, into: &found)
      }
      for model in entries(of: "deduplicate") {
        found.add(
          path: SchemaPath(model.key), at: model.keyRange, in: old.table,
          version: .some(old.version))
        for name in model.value.entries?.first(where: { $0.key == "by" })?.value.elements ?? [] {
          guard let text = name.scalar?.text,
            let symbol = old.table.symbol(SchemaPath(model.key, text))
          else { continue }
          found.add(symbol, name.range, version: .some(old.version))
        }
      }
      for node in entry("drop")?.value.elements ?? [] {
        guard let path = node.scalar.flatMap({ SchemaPath($0.text) }) else { continue }
        found.add(path: path, at: node.range, in: old.table, version: .some(old.version))
      }
    }
    collectRepairs(new, into: &found)
    for node in entry("swift")?.value.elements ?? [] {
      guard let symbol = node.scalar.flatMap({ new.table.symbol(SchemaPath($0.text)) }) else {
        continue
      }
      found.add(symbol, node.range)
    }
    for element in entry("accept")?.value.elements ?? [] {
      guard let at = element.entries?.first(where: { $0.key == "at" })?.value,
        let path = at.scalar.flatMap({ SchemaPath($0.text) })
      else { continue }
      if new.table.symbol(path) != nil || new.table.hasRule(path) {
        found.add(path: path, at: at.range, in: new.table)
      } else if let old {
        found.add(path: path, at: at.range, in: old.table, version: .some(old.version))
      }
    }
    return found.occurrences
  }

  /// Of rules and of the objects that break them: all names are those of the version that the step reaches.
  private func collectRepairs(
    _ new: (table: DeclarationTable, version: Int?), into found: inout OccurrenceList
  ) {
    for rule in entries(of: "repair") {
      guard let path = SchemaPath(rule.key) else { continue }
      found.add(path: path, at: rule.keyRange, in: new.table, isRule: true)
      let names = ExpressionNames(
        of: path.model, in: new.table, version: new.version, for: .query)
      for part in rule.value.entries ?? [] {
        guard part.key == "set" else {
          names.collect(part.value, into: &found)
          continue
        }
        for property in part.value.entries ?? [] {
          if let symbol = new.table.symbol(SchemaPath(path.model, property.key)) {
            found.add(symbol, property.keyRange)
          }
          names.collect(property.value, into: &found)
        }
      }
    }
  }
}

extension YAMLNode {
  var entries: [YAMLEntry]? {
    if case .mapping(let entries, _) = content { return entries }
    return nil
  }

  var elements: [YAMLNode]? {
    if case .sequence(let elements, _) = content { return elements }
    return nil
  }
}
