import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataSchema
import StrataSource

/// What can be written at a place.
struct Completion {
  /// How many proposals an answer has at most.
  static let maximumItems = 2_000

  /// The kinds of the protocol, "CompletionItemKind".
  enum Kind: Int64 {
    case field = 5
    case variable = 6
    case classKind = 7
    case property = 10
    case value = 12
    case enumKind = 13
    case keyword = 14
    case enumMember = 20
    case typeParameter = 25
  }

  struct Item {
    var label: String
    var kind: Kind
    var detail: String?
    /// What is written, where that is not the label.
    var text: String?
  }

  let project: OpenProject
  let path: String

  /// The proposals and the bytes that they replace.
  func items(at offset: Int) -> (items: [Item], replacing: Range<Int>)? {
    guard let file = project.file(at: path), ProjectFolder.isYAML(path) else { return nil }
    let cursor = YAMLCursor(file.bytes, at: offset)
    let names = project.names
    var items: [Item]
    if project.folder.isStep(path) {
      items = stepItems(cursor, names, StepText(file), number: StepReader.number(of: file))
    } else if ProjectFolder.name(path) == Settings.fileName {
      items = settingsItems(cursor)
    } else {
      items = schemaItems(cursor, names)
    }
    if cursor.isKey {
      items.removeAll { cursor.siblings.contains($0.label) }
      for index in items.indices where items[index].text == nil {
        items[index].text = items[index].label + ": "
      }
    }
    if items.count > Self.maximumItems {
      let prefix = file.text(in: cursor.word).lowercased()
      items = Array(
        items.lazy.filter { $0.label.lowercased().hasPrefix(prefix) }.prefix(Self.maximumItems))
    }
    return (items, cursor.word)
  }

  // MARK: Declarations

  private func schemaItems(_ cursor: YAMLCursor, _ names: ProjectNames) -> [Item] {
    let keys = cursor.keys
    let table = names.working
    if cursor.isKey { return keyItems(cursor, isStep: false) }
    switch (keys.first, keys.count) {
    case ("version", 1):
      return names.newestVersion.map { [Item(label: String($0 + 1), kind: .value)] } ?? []
    case ("models", 3):
      switch ModelKey(rawValue: keys[2]) {
      case .primaryKey, .indexes, .unique: return propertyItems(of: keys[1], table)
      case .extends: return modelItems(table).filter { $0.label != keys[1] }
      case .embedded, .abstract: return words(["true", "false"])
      default: return []
      }
    case ("models", 4) where keys[2] == "properties": return typeItems(table)
    case ("models", 5) where keys[2] == "properties":
      return valueItems(PropertyKey(rawValue: keys[4]), of: SchemaPath(keys[1], keys[3]), table)
    case ("enums", 3) where keys[2] == "type":
      return words(EnumType.RawType.allCases.map(\.rawValue))
    default: return []
    }
  }

  private func valueItems(_ key: PropertyKey?, of path: SchemaPath, _ table: DeclarationTable)
    -> [Item]
  {
    switch key {
    case .type: return typeItems(table)
    case .deleteRule: return words(Property.DeleteRule.allCases.map(\.rawValue))
    case .generate: return words(Property.Generator.allCases.map(\.rawValue))
    case .indexed: return words(["true", "false", "fulltext"])
    case .unique, .ignored: return words(["true", "false"])
    case .linkingObjects:
      return table.models.values.filter { $0.isAbstract?.value != true }.flatMap { model in
        model.properties.filter { $0.type?.name.value == path.model }.map {
          Item(label: "\(model.name.value).\($0.name.value)", kind: .property)
        }
      }.sorted { $0.label < $1.label }
    case .default:
      let type = table.property(path)?.declaration.type?.name.value
      if type == "bool" { return words(["true", "false"]) }
      let cases = type.flatMap { table.enums[$0]?.cases } ?? []
      return cases.map { Item(label: $0.name.value, kind: .enumMember) }
    default: return []
    }
  }

  private func typeItems(_ table: DeclarationTable) -> [Item] {
    var items = ScalarType.allCases.map { type in
      Item(label: type.rawValue, kind: .keyword, detail: ScalarNotes.text(type.rawValue))
    }
    for (label, note) in ScalarNotes.collections {
      items.append(Item(label: label, kind: .typeParameter, detail: note))
    }
    items += modelItems(table)
    for name in table.enums.keys.sorted() {
      items.append(Item(label: name, kind: .enumKind, detail: table.enums[name]?.doc))
    }
    return items
  }

  private func modelItems(_ table: DeclarationTable) -> [Item] {
    table.models.keys.sorted().map {
      Item(label: $0, kind: .classKind, detail: table.models[$0]?.doc)
    }
  }

  private func propertyItems(of model: String, _ table: DeclarationTable, prefix: String = "")
    -> [Item]
  {
    table.properties(of: model).map {
      Item(label: prefix + $0.name.value, kind: .property, detail: $0.type?.spelling)
    }
  }

  private func keyItems(_ cursor: YAMLCursor, isStep: Bool) -> [Item] {
    KeyHelp.keys(under: cursor.keys, isStep: isStep).map {
      Item(label: $0.key, kind: .field, detail: $0.text)
    }
  }

  private func words(_ words: [String]) -> [Item] { words.map { Item(label: $0, kind: .value) } }

  // MARK: Steps

  private func stepItems(
    _ cursor: YAMLCursor, _ names: ProjectNames, _ step: StepText?, number: Int?
  ) -> [Item] {
    let around = names.versions(around: number ?? names.workingVersion ?? 0)
    let (old, new) = (around.old?.table, around.new.table)
    let keys = cursor.keys
    let renames = step?.renames ?? Renames()
    func oldModel(_ name: String) -> String {
      renames.models.first { $0.value == name }?.key ?? name
    }
    if cursor.isKey {
      switch (keys.first, keys.count) {
      case ("rename", 1): return old.map { gone($0, new, renames) } ?? []
      case ("set", 1): return modelItems(new)
      case ("set", 2): return propertyItems(of: keys[1], new)
      case ("back", 2): return old.map { propertyItems(of: keys[1], $0) } ?? []
      case ("back", 1), ("delete", 1), ("deduplicate", 1): return old.map(modelItems) ?? []
      case ("repair", 1):
        return new.models.keys.sorted().flatMap { model in
          (new.models[model]?.rules ?? []).map {
            Item(
              label: "\(model).\($0.name.value)", kind: .property, detail: $0.sentence?.value)
          }
        }
      case ("repair", 3) where keys[2] == "set":
        return SchemaPath(keys[1]).map { propertyItems(of: $0.model, new) } ?? []
      // The elements of these lists are no keys, also where only a dash stands before them.
      case ("drop", 1): return old.map { plain(gone($0, new, renames)) } ?? []
      case ("swift", 1): return plain(modelItems(new))
      default: return keyItems(cursor, isStep: true)
      }
    }
    switch (keys.first, keys.count) {
    case ("to", 1):
      return [number ?? names.workingVersion].compactMap {
        $0.map { Item(label: String($0), kind: .value) }
      }
    case ("rename", 2):
      guard let path = SchemaPath(keys[1]), let old else { return [] }
      if path.property == nil {
        return modelItems(new).filter { old.models[$0.label] == nil }
      }
      let model = renames.models[path.model] ?? path.model
      return propertyItems(of: model, new).filter {
        old.property(SchemaPath(path.model, $0.label)) == nil
      }
    case ("set", 3):
      return old.map { propertyItems(of: oldModel(keys[1]), $0, prefix: "old.") } ?? []
    case ("back", 3):
      return propertyItems(of: renames.models[keys[1]] ?? keys[1], new, prefix: "new.")
    case ("delete", 2): return old.map { propertyItems(of: keys[1], $0, prefix: "old.") } ?? []
    case ("deduplicate", 3) where keys[2] == "by":
      return old.map { propertyItems(of: keys[1], $0) } ?? []
    case ("deduplicate", 3): return words(Deduplication.Keep.allCases.map(\.rawValue))
    case ("drop", 1): return old.map { gone($0, new, renames) } ?? []
    case ("swift", 1): return modelItems(new)
    case ("accept", 2) where keys[1] == "rule":
      return RuleCatalogue.all.map { Item(label: $0.name, kind: .value, detail: $0.summary) }
    case ("accept", 2) where keys[1] == "at":
      return paths(new) + (old.map { gone($0, new, renames) } ?? [])
    default: return []
    }
  }

  private func plain(_ items: [Item]) -> [Item] {
    items.map { Item(label: $0.label, kind: $0.kind, detail: $0.detail, text: $0.label) }
  }

  private func paths(_ table: DeclarationTable) -> [Item] {
    table.models.keys.sorted().flatMap { model in
      [Item(label: model, kind: .classKind)] + propertyItems(of: model, table, prefix: model + ".")
    }
  }

  /// The old models and properties that the new version does not have under the same name.
  private func gone(_ old: DeclarationTable, _ new: DeclarationTable, _ renames: Renames) -> [Item]
  {
    paths(old).filter { item in
      guard let path = SchemaPath(item.label) else { return false }
      let model = renames.models[path.model] ?? path.model
      return new.symbol(SchemaPath(model, path.property)) == nil
    }
  }

  // MARK: Settings

  private func settingsItems(_ cursor: YAMLCursor) -> [Item] {
    switch (cursor.keys.first, cursor.keys.count, cursor.isKey) {
    case (nil, _, true):
      return SettingsReader.keys.map { Item(label: $0, kind: .field) }
    case ("rules", 1, true):
      return RuleCatalogue.all.filter { !$0.hasFixedSeverity }
        .map { Item(label: $0.name, kind: .field, detail: $0.summary) }
    case ("rules", 2, false): return words(Settings.RuleSeverity.allCases.map(\.rawValue))
    case ("generate", 1, true): return ["access", "imports"].map { Item(label: $0, kind: .field) }
    case ("generate", 2, false) where cursor.keys[1] == "access":
      return words(Settings.Access.allCases.map(\.rawValue))
    default: return []
    }
  }
}
