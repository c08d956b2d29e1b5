import StrataExpression
import StrataFrontend
import StrataSchema
import StrataSource
import StrataYAML

/// A step file as it stands, also with mistakes: its entries, and which names of which version they mention.
struct StepText {
  let file: SourceFile
  let entries: [YAMLEntry]
  /// Whether the step is written in brackets.
  let isFlow: Bool

  /// Nil where the text is no mapping.
  init?(_ file: SourceFile) {
    var ignored = Diagnostics()
    guard let document = YAMLComposer.compose(file, reporting: &ignored) else { return nil }
    self.file = file
    switch document.root?.content {
    case .mapping(let entries, let isFlow)?:
      self.entries = entries
      self.isFlow = isFlow
    case nil:
      entries = []
      isFlow = false
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
        if let old { collect(property.value, of: oldModel, old, into: &found) }
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
          collectBack(property.value, of: newName(model.key), new.table, into: &found)
        }
      }
      for model in entries(of: "delete") {
        found.add(
          path: SchemaPath(model.key), at: model.keyRange, in: old.table,
          version: .some(old.version))
        collect(model.value, of: model.key, old, into: &found)
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
      if new.table.symbol(path) != nil {
        found.add(path: path, at: at.range, in: new.table)
      } else if let old {
        found.add(path: path, at: at.range, in: old.table, version: .some(old.version))
      }
    }
    return found.occurrences
  }

  // MARK: Expressions

  /// The properties that an expression names.
  private func collect(
    _ node: YAMLNode, of model: String, _ old: (table: DeclarationTable, version: Int),
    into found: inout OccurrenceList
  ) {
    guard let scalar = node.scalar, let expression = try? Expression.parse(scalar.text) else {
      return
    }
    visit(expression, ["old": model]) { model, name, end in
      let part = end - name.utf8.count..<end
      let place = scalar.place(of: part, at: node.range, in: file)
      if let symbol = old.table.symbol(SchemaPath(model, name)) {
        found.add(symbol, place, version: .some(old.version))
      }
    } target: { model, name in
      let type = old.table.property(SchemaPath(model, name))?.declaration
      return type?.type?.name.value ?? type?.inverse?.model
    }
  }

  /// The properties of the newer version that a way back names.
  private func collectBack(
    _ node: YAMLNode, of model: String, _ new: DeclarationTable, into found: inout OccurrenceList
  ) {
    guard let scalar = node.scalar,
      let expression = try? Expression.parse(scalar.text, for: .back)
    else { return }
    visit(expression, ["new": model]) { model, name, end in
      let place = scalar.place(of: end - name.utf8.count..<end, at: node.range, in: file)
      if let symbol = new.symbol(SchemaPath(model, name)) { found.add(symbol, place) }
    } target: { model, name in
      let type = new.property(SchemaPath(model, name))?.declaration
      return type?.type?.name.value ?? type?.inverse?.model
    }
  }

  /// Calls `member` for each property of a known model, with the end of its name in the text.
  ///
  /// - Returns: the model of the objects that the expression gives.
  @discardableResult
  private func visit(
    _ expression: Expression, _ variables: [String: String],
    member: (_ model: String, _ name: String, _ end: Int) -> Void,
    target: (_ model: String, _ name: String) -> String?
  ) -> String? {
    switch expression.kind {
    case .object(.old): return variables["old"]
    case .object(.new): return variables["new"]
    case .object(.variable(let name)): return variables["$" + name]
    case .object(.subject): return nil
    case .member(let base, let name):
      guard let model = visit(base, variables, member: member, target: target) else { return nil }
      member(model, name, expression.range.upperBound)
      return target(model, name)
    case .element(let base, let index):
      visit(index, variables, member: member, target: target)
      return visit(base, variables, member: member, target: target)
    case .subquery(let collection, let variable, let condition):
      var inner = variables
      inner["$" + variable] = visit(collection, variables, member: member, target: target)
      visit(condition, inner, member: member, target: target)
      return nil
    case .lookup(let model, let key):
      for part in key { visit(part, variables, member: member, target: target) }
      guard case .member(_, let name) = model.kind else { return nil }
      return name
    default:
      for child in expression.children { visit(child, variables, member: member, target: target) }
      return nil
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

  var isFlow: Bool {
    switch content {
    case .mapping(_, let isFlow), .sequence(_, let isFlow): isFlow
    default: false
    }
  }
}
