package import Strata
import StrataSQLite
package import StrataSchema

/// What is asked of a file's objects before a change of its schema, and the answers.
package struct FileProbe: Sendable {
  package struct Questions: Sendable {
    /// Properties whose nils are counted.
    package var nils: Set<SchemaPath> = []
    /// Collections whose objects with a nil element are counted.
    package var nilElements: Set<SchemaPath> = []
    /// Collections whose objects with elements are counted.
    package var filled: Set<SchemaPath> = []
    /// Model → properties in which objects may agree.
    package var duplicates: [(model: String, properties: [String])] = []
    /// Values that are looked for in all properties of an enum, by what they are called.
    package var values: [(path: SchemaPath, enumeration: String, value: Value)] = []

    package init() {}
  }

  package var version: Int
  /// Objects of each model.
  package var counts: [String: Int] = [:]
  package var nils: [SchemaPath: Int] = [:]
  package var nilElements: [SchemaPath: Int] = [:]
  package var filled: [SchemaPath: Int] = [:]
  /// In the order of the questions.
  package var duplicates: [Int] = []
  package var values: [Int] = []
}

extension FileInspector {
  /// Counts in a file, without changing anything.
  ///
  /// - Parameter questions: what to count, once the file's schema is known. What it throws is thrown.
  package func probe(
    _ path: String, _ questions: (StoredSchema) throws -> FileProbe.Questions
  ) throws -> FileProbe {
    try checkFile(path)
    return try looking(at: path) { database in
      let stored = try stored(in: database, path: path)
      let asked = try questions(stored)
      var probe = FileProbe(version: stored.version)
      let prober = Prober(database: database, schema: stored.schema)
      for model in stored.schema.storedModels {
        probe.counts[model.name] = try prober.count(SQL.identifier(model.name))
      }
      for path in asked.nils { probe.nils[path] = try prober.nils(path) }
      for path in asked.nilElements {
        probe.nilElements[path] = try prober.owners(path, ofNil: true)
      }
      for path in asked.filled { probe.filled[path] = try prober.owners(path, ofNil: false) }
      for key in asked.duplicates {
        probe.duplicates.append(try prober.duplicates(key.model, key.properties))
      }
      for value in asked.values {
        probe.values.append(try prober.objects(with: value.value, of: value.enumeration))
      }
      return probe
    }
  }
}

private struct Prober {
  let database: Database
  let schema: Schema

  func count(_ source: String) throws -> Int {
    let statement = try database.prepare("SELECT count(*) FROM \(source)")
    guard try statement.step() else { return 0 }
    return Int(statement.integer(at: 0))
  }

  /// Whether the path is a property with a column of its own.
  private func column(_ model: String, _ name: String) -> String? {
    guard let property = schema.model(named: model)?.property(named: name), property.isStored,
      case .value = property.type
    else { return nil }
    return SQL.identifier(name)
  }

  func nils(_ path: SchemaPath) throws -> Int? {
    guard let name = path.property, let column = column(path.model, name) else { return nil }
    return try count("\(SQL.identifier(path.model)) WHERE \(column) IS NULL")
  }

  /// Objects whose collection has an element, or one that is nil; nil where the path is no stored collection.
  func owners(_ path: SchemaPath, ofNil: Bool) throws -> Int? {
    guard let name = path.property,
      let property = schema.model(named: path.model)?.property(named: name), property.isStored,
      property.type.isCollection
    else { return nil }
    let table = SQL.identifier(LayoutNames.collection(path.model, name))
    let condition = ofNil ? " WHERE \(SQL.identifier(LayoutNames.value)) IS NULL" : ""
    return try count("(SELECT DISTINCT \(LayoutNames.owner) FROM \(table)\(condition))")
  }

  /// Objects that agree with an earlier one in all of the properties.
  func duplicates(_ model: String, _ names: [String]) throws -> Int {
    let columns = names.compactMap { column(model, $0) }
    guard columns.count == names.count, !columns.isEmpty else { return 0 }
    let list = columns.joined(separator: ", ")
    let present = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let table = SQL.identifier(model)
    return try count("\(table) WHERE \(present)")
      - count("(SELECT DISTINCT \(list) FROM \(table) WHERE \(present))")
  }

  func objects(with value: Value, of enumeration: String) throws -> Int {
    var total = 0
    for model in schema.storedModels {
      for property in model.storedProperties
      where property.type.valueType?.base == .enumeration(enumeration) {
        let table: String
        let column: String
        if case .value = property.type {
          (table, column) = (SQL.identifier(model.name), SQL.identifier(property.name))
        } else {
          table = SQL.identifier(LayoutNames.collection(model.name, property.name))
          column = SQL.identifier(LayoutNames.value)
        }
        let statement = try database.prepare("SELECT count(*) FROM \(table) WHERE \(column) = ?1")
        switch value {
        case .int(let number): try statement.bind(number, at: 1)
        case .string(let text): try statement.bind(text, at: 1)
        default: continue
        }
        if try statement.step() { total += Int(statement.integer(at: 0)) }
      }
    }
    return total
  }
}
