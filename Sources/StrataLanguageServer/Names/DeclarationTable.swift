import StrataExpression
import StrataFrontend
import StrataSchema
import StrataSource
import StrataYAML

/// The declarations of one version by name, also where some of them have errors.
package struct DeclarationTable {
  let files: [SourceFile]
  let declarations: [FileDeclarations]
  private(set) var models: [String: ModelDeclaration] = [:]
  private(set) var enums: [String: EnumDeclaration] = [:]

  init(files: [SourceFile], declarations: [FileDeclarations]) {
    self.files = files
    self.declarations = declarations
    for own in declarations {
      for model in own.models where models[model.name.value] == nil {
        models[model.name.value] = model
      }
      for enumeration in own.enums where enums[enumeration.name.value] == nil {
        enums[enumeration.name.value] = enumeration
      }
    }
  }

  var header: HeaderDeclaration? { declarations.lazy.compactMap(\.headers.first).first }

  /// The model and its ancestors.
  func lineOfDescent(_ name: String) -> [ModelDeclaration] {
    var line: [ModelDeclaration] = []
    var next: String? = name
    while let name = next, line.count <= SchemaCompiler.maximumInheritance, let model = models[name]
    {
      line.append(model)
      next = model.extends?.value
    }
    return line
  }

  func property(_ path: SchemaPath) -> (owner: String, declaration: PropertyDeclaration)? {
    guard let name = path.property else { return nil }
    for model in lineOfDescent(path.model) {
      if let found = model.properties.first(where: { $0.name.value == name }) {
        return (model.name.value, found)
      }
    }
    return nil
  }

  /// A model's properties with those that it inherits, in the order of declaration. Frozen versions say inherited ones again: each is
  /// here once, as the model itself says it.
  func properties(of model: String) -> [PropertyDeclaration] {
    var properties: [PropertyDeclaration] = []
    var places: [String: Int] = [:]
    for property in lineOfDescent(model).reversed().flatMap(\.properties) {
      if let place = places[property.name.value] {
        properties[place] = property
      } else {
        places[property.name.value] = properties.count
        properties.append(property)
      }
    }
    return properties
  }

  /// The symbol of a model, or of a property where the model or an ancestor declares it.
  func symbol(_ path: SchemaPath) -> Symbol? {
    guard let name = path.property else {
      if models[path.model] != nil { return .model(path.model) }
      return enums[path.model] != nil ? .enumeration(path.model) : nil
    }
    if let found = property(path) { return .property(SchemaPath(found.owner, name)) }
    let isCase = enums[path.model]?.cases?.contains { $0.name.value == name } ?? false
    return isCase ? .enumCase(path) : nil
  }

  /// Whether a model or an ancestor declares a rule: `Person.adult`.
  func hasRule(_ path: SchemaPath) -> Bool {
    lineOfDescent(path.model).contains { model in
      model.rules.contains { $0.name.value == path.property }
    }
  }

  /// Where a symbol is declared.
  func declaration(of symbol: Symbol) -> (file: Int, range: Range<Int>)? {
    switch symbol {
    case .model(let name): models[name].map { ($0.file, $0.name.range) }
    case .enumeration(let name): enums[name].map { ($0.file, $0.name.range) }
    case .property(let path):
      models[path.model].flatMap { model in
        model.properties.first { $0.name.value == path.property }.map {
          (model.file, $0.name.range)
        }
      }
    case .enumCase(let path):
      enums[path.model].flatMap { declared in
        declared.cases?.first { $0.name.value == path.property }.map {
          (declared.file, $0.name.range)
        }
      }
    }
  }

  func doc(of symbol: Symbol) -> String? {
    switch symbol {
    case .model(let name): models[name]?.doc
    case .enumeration(let name): enums[name]?.doc
    case .property(let path): property(path)?.declaration.details?.contents.doc
    case .enumCase: nil
    }
  }

  /// The concrete models that have a model's declarations, the model itself among them.
  func concreteModels(below name: String) -> [String] {
    models.values.filter { model in
      model.isAbstract?.value != true
        && lineOfDescent(model.name.value).contains { $0.name.value == name }
    }.map(\.name.value).sorted()
  }

  // MARK: Occurrences

  /// All names in one file that stand for something.
  func occurrences(inFile index: Int, version: Int?) -> [Occurrence] {
    var found = OccurrenceList(file: files[index], version: version)
    let own = declarations[index]
    for model in own.models { collect(model, into: &found) }
    for enumeration in own.enums { addDeclarations(of: enumeration, to: &found) }
    return found.occurrences
  }

  /// The names that one file declares, each model and enum before its properties and cases.
  func declarations(inFile index: Int, version: Int?) -> [Occurrence] {
    var found = OccurrenceList(file: files[index], version: version)
    for model in declarations[index].models {
      let name = model.name.value
      found.add(.model(name), model.name.range, isDeclaration: true)
      for property in model.properties {
        found.add(
          .property(SchemaPath(name, property.name.value)), property.name.range,
          isDeclaration: true)
      }
    }
    for enumeration in declarations[index].enums { addDeclarations(of: enumeration, to: &found) }
    return found.occurrences
  }

  private func addDeclarations(of enumeration: EnumDeclaration, to found: inout OccurrenceList) {
    found.add(.enumeration(enumeration.name.value), enumeration.name.range, isDeclaration: true)
    for declared in enumeration.cases ?? [] {
      found.add(
        .enumCase(SchemaPath(enumeration.name.value, declared.name.value)), declared.name.range,
        isDeclaration: true)
    }
  }

  private func collect(_ model: ModelDeclaration, into found: inout OccurrenceList) {
    let name = model.name.value
    found.add(.model(name), model.name.range, isDeclaration: true)
    if let extends = model.extends, models[extends.value] != nil {
      found.add(.model(extends.value), extends.range)
    }
    for compound in [model.primaryKey].compactMap({ $0 }) + model.indexes + model.uniques {
      for part in compound.names {
        if let symbol = symbol(SchemaPath(name, part.value)) { found.add(symbol, part.range) }
      }
    }
    for property in model.properties {
      found.add(
        .property(SchemaPath(name, property.name.value)), property.name.range, isDeclaration: true)
      if let type = property.type {
        if models[type.name.value] != nil {
          found.add(.model(type.name.value), type.name.range)
        } else if let declared = enums[type.name.value] {
          found.add(.enumeration(type.name.value), type.name.range)
          if let node = property.details?.contents.defaultValue, let scalar = node.scalar,
            declared.cases?.contains(where: { $0.name.value == scalar.text }) == true
          {
            found.add(.enumCase(SchemaPath(type.name.value, scalar.text)), node.range)
          }
        }
      }
      if let inverse = property.inverse {
        found.add(path: SchemaPath(inverse.model, inverse.property), at: inverse.range, in: self)
      }
    }
    guard !model.rules.isEmpty else { return }
    let names = ExpressionNames(of: name, in: self, version: found.version, for: .query)
    for rule in model.rules {
      guard let condition = rule.condition, let text = rule.text else { continue }
      names.collect(condition, text.scalar, at: text.range, into: &found)
    }
  }
}

/// Collects the names of one file; what is quoted counts without its quotes.
struct OccurrenceList {
  let file: SourceFile
  let version: Int?
  private(set) var occurrences: [Occurrence] = []

  init(file: SourceFile, version: Int?) {
    self.file = file
    self.version = version
  }

  mutating func add(
    _ symbol: Symbol, _ range: Range<Int>, isDeclaration: Bool = false, version: Int?? = nil
  ) {
    guard let place = Self.place(of: symbol.name, at: range, in: file) else { return }
    occurrences.append(
      Occurrence(
        symbol: ScopedSymbol(version: version ?? self.version, symbol: symbol), path: file.path,
        range: place, isDeclaration: isDeclaration))
  }

  /// `Person` or `Person.email`.
  ///
  /// - Parameter isRule: whether the path's second part is a rule's name, which is no symbol.
  mutating func add(
    path: SchemaPath, at range: Range<Int>, in table: DeclarationTable, version: Int?? = nil,
    isRule: Bool = false
  ) {
    guard let place = Self.place(of: path.description, at: range, in: file) else { return }
    let model = place.lowerBound..<place.lowerBound + path.model.utf8.count
    if let symbol = table.symbol(SchemaPath(path.model)) { add(symbol, model, version: version) }
    guard path.property != nil, !isRule, let symbol = table.symbol(path) else { return }
    add(symbol, model.upperBound + 1..<place.upperBound, version: version)
  }

  /// Where a text stands, without quotes; nil where it is written with escapes.
  private static func place(of text: String, at range: Range<Int>, in file: SourceFile) -> Range<
    Int
  >? {
    let count = text.utf8.count
    guard range.upperBound <= file.bytes.count else { return nil }
    for start in [range.lowerBound, range.lowerBound + 1]
    where start + count <= range.upperBound && range.count - count <= 2 {
      if file.bytes[start..<start + count].elementsEqual(text.utf8) { return start..<start + count }
    }
    return nil
  }
}
