import StrataExpression
import StrataSQLite
import StrataSchema

extension Translation {
  /// A SELECT that gives the collection's elements as `value`, a list's in its order.
  mutating func rows(of collection: ResolvedCollection) -> SQLText {
    switch collection {
    case .elements(let object, let index):
      let model = model(of: object)
      let owner = row(of: object)
      let table = makeAlias()
      return elements(
        model, index, alias: table, owner: owner, source: nil, keepsOrder: true)
    case .values(.all(let model), _, let index):
      let alias = makeAlias()
      return
        "SELECT \(alias).\(name: property(model, index).name) AS value FROM \(table(model)) \(alias)"
    case .values(let objects, let model, let index):
      let inner = rows(of: objects)
      let (source, target) = (makeAlias(), makeAlias())
      return
        """
        SELECT \(target).\(name: property(model, index).name) AS value FROM (\(inner)) \(source) \
        LEFT JOIN \(table(model)) \(target) ON \(target)."_row" = \(source).value
        """
    case .elementsOfEach(let objects, let model, let index):
      let inner = rows(of: objects)
      let (source, table) = (makeAlias(), makeAlias())
      return elements(
        model, index, alias: table, owner: "\(source).value", source: (inner, source),
        keepsOrder: false)
    case .filter(.all(let model), let slot, let condition):
      let alias = makeAlias()
      slots[slot] = Variable(
        sql: "\(alias).\"_row\"", kind: .link, table: alias, isReached: isReached(collection))
      let test = self.condition(condition)
      return "SELECT \(alias).\"_row\" AS value FROM \(table(model)) \(alias) WHERE \(test)"
    case .filter(let objects, let slot, let condition):
      let inner = rows(of: objects)
      let source = makeAlias()
      slots[slot] = Variable(
        sql: "\(source).value", kind: kind(of: objects), isReached: isReached(objects))
      let test = self.condition(condition)
      return "SELECT \(source).value AS value FROM (\(inner)) \(source) WHERE \(test)"
    case .list(let nodes, let omitsNil):
      if nodes.isEmpty { return "SELECT NULL AS value WHERE 0" }
      let kind = kind(of: collection)
      let all = rows(ofList: nodes.map { value($0, as: kind) })
      return omitsNil ? "SELECT value FROM (\(all)) WHERE value IS NOT NULL" : all
    case .all(let model):
      let alias = makeAlias()
      return "SELECT \(alias).\"_row\" AS value FROM \(table(model)) \(alias)"
    case .conditional(let condition, let first, let second):
      let test = self.condition(condition)
      let joined = kind(of: collection)
      let (a, b) = (
        cell("value", of: kind(of: first), as: joined),
        cell("value", of: kind(of: second), as: joined)
      )
      return
        """
        SELECT \(a) AS value FROM (\(rows(of: first))) WHERE \(test) \
        UNION ALL SELECT \(b) AS value FROM (\(rows(of: second))) WHERE (\(test)) IS NOT TRUE
        """
    case .each(let inner, let slot, let node):
      let rows = rows(of: inner)
      let source = makeAlias()
      slots[slot] = Variable(
        sql: "\(source).value", kind: kind(of: inner), isReached: isReached(inner))
      return "SELECT \(value(node)) AS value FROM (\(rows)) \(source)"
    }
  }

  /// SQLite takes 500 SELECTs in a compound one, but any number of rows behind VALUES.
  private static let maximumSelects = 200

  /// A SELECT that gives these values, of which there is at least one, in their order.
  private func rows(ofList values: [SQLText]) -> SQLText {
    if values.count <= Self.maximumSelects {
      let selects = values.map { value -> SQLText in "SELECT \(value) AS value" }
      return SQLText.joined(selects, by: " UNION ALL ")
    }
    let rows = SQLText.joined(values.map { value -> SQLText in "(\(value))" }, by: ", ")
    // Under a name that no model has, because what stands in the rows may read the model's table.
    return "WITH \"a list\"(value) AS (VALUES \(rows)) SELECT value FROM \"a list\""
  }

  /// The elements of one collection property.
  private func elements(
    _ model: Int, _ index: Int, alias: SQLText, owner: SQLText,
    source: (sql: SQLText, alias: SQLText)?, keepsOrder: Bool
  ) -> SQLText {
    let from: SQLText = source.map { "(\($0.sql)) \($0.alias) JOIN " } ?? ""
    let join: SQLText = source == nil ? "WHERE" : "ON"
    let property = property(model, index)
    if case .inverse(let sourceName, let link) = property.type {
      let sourceModel = schema.models[modelIndex(named: sourceName)]
      if let collection = layout.model(named: sourceName)?.collection(of: link) {
        let table: SQLText = "\(name: LayoutNames.collection(sourceModel.name, link))"
        guard let source else {
          return
            "SELECT DISTINCT \(alias).\"_owner\" AS value FROM \(table) \(alias) WHERE \(alias).\"value\" = \(owner)"
        }
        let owners: SQLText = "\(table) \(alias) ON \(alias).\"value\" = \(owner)"
        if collection.kind == .set {
          return
            "SELECT \(alias).\"_owner\" AS value FROM (\(source.sql)) \(source.alias) JOIN \(owners)"
        }
        // An owner comes once for each object of the path, however often it holds that one.
        return
          """
          SELECT value FROM (SELECT DISTINCT \(source.alias).place, \(alias)."_owner" AS value FROM \
          (SELECT value, row_number() OVER () AS place FROM (\(source.sql))) \(source.alias) JOIN \(owners))
          """
      }
      return
        """
        SELECT \(alias)."_row" AS value FROM \(from)\(name: sourceModel.name) \(alias) \
        \(join) \(alias).\(name: link) = \(owner)
        """
    }
    let table = collectionTable(model, index)
    let isOrdered = keepsOrder && layout.isOrdered(property)
    let order: SQLText = isOrdered ? " ORDER BY \(alias).\"_index\"" : ""
    return
      """
      SELECT \(alias)."value" AS value FROM \(from)\(table) \(alias) \
      \(join) \(alias)."_owner" = \(owner)\(order)
      """
  }

  /// A join from whose rows one can tell the subject, for conditions that can start at the other end: its tables, the
  /// subject's identity and the value. Nil where a path does not begin with a collection of the subject.
  mutating func join(
    _ collection: ResolvedCollection
  ) -> (from: SQLText, owner: SQLText, value: SQLText)? {
    switch collection {
    case .elements(.subject, let index):
      let property = property(subjectModel, index)
      let alias = makeAlias()
      if case .inverse(let sourceName, let link) = property.type {
        if layout.model(named: sourceName)?.collection(of: link) != nil {
          let table: SQLText = "\(name: LayoutNames.collection(sourceName, link))"
          return ("\(table) \(alias)", "\(alias).\"value\"", "\(alias).\"_owner\"")
        }
        return (
          "\(name: sourceName) \(alias)", "\(alias).\(name: link)", "\(alias).\"_row\""
        )
      }
      return (
        "\(collectionTable(subjectModel, index)) \(alias)", "\(alias).\"_owner\"",
        "\(alias).\"value\""
      )
    case .values(let objects, let model, let index):
      guard let inner = join(objects) else { return nil }
      let alias = makeAlias()
      return (
        "\(inner.from) LEFT JOIN \(table(model)) \(alias) ON \(alias).\"_row\" = \(inner.value)",
        inner.owner, "\(alias).\(name: property(model, index).name)"
      )
    default: return nil
    }
  }
}

extension TableLayout {
  /// Whether a collection's elements have an order: those of a list, and a map's by its keys.
  func isOrdered(_ property: Property) -> Bool {
    switch property.type {
    case .list, .map: true
    case .set, .value, .inverse: false
    }
  }
}
