import Strata
import StrataExpression
import StrataSQLite
import StrataSchema

/// All of a file's objects in memory, read without the object store.
final class MemoryObjects {
  let schema: Schema
  private var values: [String: [Int64: [Value]]] = [:]
  private var entries: [String: [Int64: [(key: String, value: Value)]]] = [:]

  convenience init(path: String, schema: Schema) throws {
    try self.init(database: try Database(path: path, mode: .readOnly), schema: schema)
  }

  init(database: Database, schema: Schema) throws {
    self.schema = schema
    for model in TableLayout(schema).models {
      let name = model.model.name
      values[name] = [:]
      let select = try database.prepare("SELECT * FROM \(SQL.identifier(name)) ORDER BY _row")
      let columns = Dictionary(
        uniqueKeysWithValues: (0..<select.columnCount).map { (select.columnName(at: $0), $0) })
      while try select.step() {
        values[name]?[select.integer(at: columns["_row"] ?? 0)] = try model.codecs.enumerated().map
        {
          index, codec in
          guard let codec, let column = columns[model.model.properties[index].name] else {
            return .null
          }
          return try codec.read(select, at: column)
        }
      }
      for collection in model.collections {
        let hasKey = collection.kind != .set
        let select = try database.prepare(
          "SELECT _owner, value\(hasKey ? ", _index" : "") FROM \(SQL.identifier(collection.table.name)) "
            + "ORDER BY _owner\(hasKey ? ", _index" : "")")
        var found: [Int64: [(key: String, value: Value)]] = [:]
        while try select.step() {
          let key = collection.kind == .map ? select.string(at: 2) : ""
          found[select.integer(at: 0), default: []].append(
            (key, try collection.codec.read(select, at: 1)))
        }
        entries[collection.table.name] = found
      }
    }
  }

  func rows(of model: String) -> [Int64] { (values[model] ?? [:]).keys.sorted() }

  func value(_ model: String, _ row: Int64, _ property: Int) -> Value {
    values[model]?[row]?[property] ?? .null
  }

  func entries(_ model: Model, _ row: Int64, _ property: Int) -> [(key: String, value: Value)] {
    let property = model.properties[property]
    guard case .inverse(let source, let link) = property.type else {
      return entries["\(model.name).\(property.name)"]?[row] ?? []
    }
    guard let sourceModel = schema.model(named: source),
      let index = sourceModel.indexOfProperty(named: link)
    else { return [] }
    return rows(of: source).filter { candidate in
      if let held = entries["\(source).\(link)"] {
        return held[candidate]?.contains { $0.value == .link(row) } ?? false
      }
      return value(source, candidate, index) == .link(row)
    }.map { ("", .link($0)) }
  }
}

extension MemoryObjects: Equatable {
  static func == (left: MemoryObjects, right: MemoryObjects) -> Bool {
    func texts(_ objects: MemoryObjects) -> [String: [Int64: [String]]] {
      objects.entries.mapValues { $0.mapValues { $0.map { "\($0.key): \($0.value)" } } }
    }
    return left.values == right.values && texts(left) == texts(right)
  }
}

struct MemoryContext: EvaluationContext {
  let objects: MemoryObjects
  let model: String
  let row: Int64

  var subjectIdentity: Int64? { row }

  private func place(_ object: EvaluatedObject) -> (model: Model, row: Int64) {
    switch object {
    case .subject: (objects.schema.model(named: model) ?? Model(name: ""), row)
    case .object(let model, let identity): (objects.schema.models[model], identity)
    }
  }

  func value(_ property: Int, of object: EvaluatedObject) -> Value {
    let (model, row) = place(object)
    return objects.value(model.name, row, property)
  }

  func objects(ofModel model: Int) -> [Value] {
    objects.rows(of: objects.schema.models[model].name).map { .link($0) }
  }

  func elements(_ property: Int, of object: EvaluatedObject) -> [Value] {
    entries(property, of: object).map(\.value)
  }

  func entries(_ property: Int, of object: EvaluatedObject) -> [(key: String, value: Value)] {
    let (model, row) = place(object)
    return objects.entries(model, row, property)
  }
}

extension Object {
  /// The row, which only the file and these tests know.
  var identityForTests: Int64 { Object.identity(of: self) }
}
