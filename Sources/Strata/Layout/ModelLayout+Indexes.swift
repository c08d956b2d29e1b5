import StrataSQLite
import StrataSchema

extension ModelLayout {
  /// The primary key, unique, indexed and compound indexes, and one for each link.
  static func indexes(of model: Model, in schema: Schema) -> [IndexDefinition] {
    var result: [IndexDefinition] = []
    if !model.primaryKey.isEmpty {
      result.append(
        IndexDefinition(
          name: "\(model.name).primaryKey", table: model.name, columns: model.primaryKey,
          isUnique: true))
      result += nullKeyIndex(of: model)
    }
    for property in model.storedProperties {
      guard case .value(let type) = property.type else { continue }
      let name = "\(model.name).\(property.name)"
      let isEmbedded = property.type.linkedModel.flatMap(schema.model(named:))?.isEmbedded == true
      if property.isUnique || (property.type.isToOne && isEmbedded) {
        result.append(
          IndexDefinition(
            name: "\(name).unique", table: model.name, columns: [property.name], isUnique: true))
      } else if property.type.isToOne {
        result.append(
          IndexDefinition(name: "\(name).link", table: model.name, columns: [property.name]))
      } else if property.index == .ordinary, model.primaryKey != [property.name] {
        result.append(
          IndexDefinition(name: "\(name).index", table: model.name, columns: [property.name]))
      } else if type.base.scalar == .any {
        result.append(.links(name: "\(name).link", table: model.name, column: property.name))
      }
    }
    for columns in model.indexes {
      result.append(
        IndexDefinition(
          name: "\(model.name).(\(columns.joined(separator: ","))).index", table: model.name,
          columns: columns))
    }
    for columns in model.uniques {
      result.append(
        IndexDefinition(
          name: "\(model.name).(\(columns.joined(separator: ","))).unique", table: model.name,
          columns: columns, isUnique: true))
    }
    return result
  }

  /// SQLite takes every NULL for different; of a primary key one null at most is allowed.
  private static func nullKeyIndex(of model: Model) -> [IndexDefinition] {
    let columns = model.primaryKey.compactMap(model.property(named:))
    let optional = columns.filter { $0.type.valueType?.isOptional == true }
    guard !optional.isEmpty else { return [] }
    let terms = columns.flatMap { property -> [String] in
      let column = SQL.identifier(property.name)
      return property.type.valueType?.isOptional == true
        ? ["\(column) IS NULL", "ifnull(\(column), 0)"] : [column]
    }
    return [
      IndexDefinition(
        name: "\(model.name).primaryKey.null", table: model.name, terms: terms, isUnique: true,
        condition: optional.map { "\(SQL.identifier($0.name)) IS NULL" }.joined(separator: " OR "))
    ]
  }

  static func fulltexts(of model: Model) -> [FulltextDefinition] {
    model.storedProperties.filter { $0.index == .fulltext }.map {
      FulltextDefinition(
        name: LayoutNames.fulltext(model.name, $0.name), table: model.name, column: $0.name)
    }
  }
}

extension IndexDefinition {
  /// Finds the holders of links in a column of type `any`, and has no entry for anything else.
  static func links(name: String, table: String, column: String) -> IndexDefinition {
    IndexDefinition(
      name: name, table: table, terms: [SQL.identifier(column)], isUnique: false,
      condition: linkCondition(column: column))
  }

  /// A query has to say this to use the index.
  package static func linkCondition(column: String) -> String {
    let tag = AnyCoding.Tag.object.rawValue
    let digits = String(tag, radix: 16)
    return "substr(\(SQL.identifier(column)), 1, 1) = x'\(tag < 16 ? "0" : "")\(digits)'"
  }
}
