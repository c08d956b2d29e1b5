import Strata
import StrataExpression
import StrataSQLite
import StrataSchema

/// What of a store a page asks for: objects of a model, one after the other, filtered and sorted.
struct RowQuery: Hashable {
  var model: String
  var filter = ""
  /// Key path and direction, the first one first.
  var sort: [SortKey] = []
  /// Only those whose link leads to an object.
  var linked: Linked?

  var isWholeTable: Bool { filter.isEmpty && linked == nil }

  struct Linked: Hashable {
    var property: String
    var target: String
    var identity: Int64
  }
}

/// A request that cannot be answered, in a sentence for the page.
package struct BrowseError: Error, CustomStringConvertible {
  /// The code of an edit of an element that is another one meanwhile: the page shows the elements anew.
  static let changed = "changed"
  /// Of an object whose identity is that of two by now.
  static let otherIdentities = BrowseError(
    """
    Another process has written meanwhile, and new objects that are not saved have other identities. Save or revert the changes, then \
    look at the object again.
    """, code: changed)

  package let description: String
  let code: String?

  package init(_ description: String, code: String? = nil) {
    self.description = description
    self.code = code
  }
}

/// An open file as a page sees it.
final class BrowsedContent: PageContent {
  /// Results that are kept with what they know of their positions: 8 bytes for each object that was scrolled past.
  private static let maximumResults = 3
  /// Queries whose number of objects is kept.
  private static let maximumTotals = 64
  /// Beyond are no objects.
  private static let maximumPosition = 1 << 48
  /// Objects of one answer at most.
  static let maximumRows = 500

  let store: Store
  var schema: Schema { store.definition.schema }
  private var results: [(query: RowQuery, results: Results<Object>)] = []
  private var counts: RowCounts
  private var totals: [RowQuery: Int] = [:]
  /// The connection that has the functions of `PageText`.
  private var databaseWithFunctions: Database?
  /// Goes up whenever anything may have changed.
  private(set) var change = 1

  init(_ store: Store) {
    self.store = store
    counts = RowCounts(store.database)
  }

  var description: (schema: String, version: Int)? { (schema.name, schema.version) }
  var takesConditions: Bool { true }
  var note: String? { nil }

  func models(within patience: Duration?) throws -> [JSON] {
    try counts.count(schema.storedModels.map(\.name), within: patience)
    return schema.storedModels.map { model in
      .object([
        "name": .string(model.name), "embedded": .bool(model.isEmbedded),
        "doc": model.doc.map(JSON.string) ?? .null,
        "count": counts[model.name].map { .int(Int64($0)) } ?? .null,
        "key": .array(model.primaryKey.map(JSON.string)),
      ])
    }
  }

  func firstModel() throws -> String? {
    let models = schema.storedModels.filter { !$0.isEmbedded }.map(\.name)
    return try models.first { try counts.hasRows($0) } ?? models.first
  }

  func columns(ofModel name: String) throws -> JSON {
    .object([
      "columns": .array(columns(of: try model(name)).map { Self.describe($0, in: schema) })
    ])
  }

  func export(_ query: RowQuery, as format: ExportFormat) throws -> () throws -> [UInt8]? {
    var export = try SelectionExport(content: snapshot(), query: query, format: format)
    return { try export.next() }
  }

  /// The content as it is now. What is not saved only this store can see: it stays as it is as long as nothing is edited.
  private func snapshot() throws -> BrowsedContent {
    if store.isInWriteTransaction { return BrowsedContent(store) }
    var configuration = store.configuration
    configuration.readOnly = true
    let snapshot = BrowsedContent(try Store(configuration: configuration))
    try snapshot.store.pinVersion()
    return snapshot
  }

  var cells: PageCells {
    get throws {
      try addFunctions()
      return PageCells(database: store.database, schema: schema)
    }
  }

  /// Of the store's connection, which may be another one by now.
  func addFunctions() throws {
    let database = store.database
    guard databaseWithFunctions !== database else { return }
    try PageText.addFunctions(to: database)
    databaseWithFunctions = database
  }

  /// Takes what other processes have written.
  func refresh() throws {
    if store.isInWriteTransaction { return }
    if try store.refresh() { changed() }
    try store.pinVersion()
  }

  func rest() { try? store.unpinVersion() }

  func changed() {
    change += 1
    counts.forget()
    totals = [:]
  }

  func model(_ name: String) throws -> Model {
    guard let model = schema.model(named: name), !model.isAbstract else {
      throw BrowseError("There is no model '\(name)'.")
    }
    return model
  }

  func object(_ model: String, _ identity: Int64) throws -> Object {
    guard let object = try store.object(named: model, identity: identity) else {
      throw BrowseError("There is no \(model) \(identity) any more.")
    }
    return object
  }

  // MARK: - Rows

  func rows(_ query: RowQuery) throws -> Results<Object> {
    if let index = results.firstIndex(where: { $0.query == query }) {
      let known = results.remove(at: index)
      results.append(known)
      return known.results
    }
    let shown = try model(query.model)
    var found = try store.objects(named: query.model)
    if let linked = query.linked {
      let target = try object(linked.target, linked.identity)
      let property = try model(query.model).property(named: linked.property)
      guard let property, property.isStored else {
        throw BrowseError("\(query.model) has no property '\(linked.property)'.")
      }
      let name = "#\(property.name)"
      found = try found.filter(
        property.type.isCollection ? "ANY \(name) == %@" : "\(name) == %@", arguments: [target])
    }
    if !query.filter.isEmpty { found = try found.filter(query.filter, arguments: []) }
    if !query.sort.isEmpty {
      // A page sorts by columns, which may have the names of words of the language.
      let keys = query.sort.map { key in
        shown.property(named: key.keyPath) == nil
          ? key : SortKey("#\(key.keyPath)", ascending: key.isAscending)
      }
      found = try found.sorted(by: keys)
    }
    if results.count >= Self.maximumResults { results.removeFirst() }
    results.append((query, found))
    return found
  }

  /// The properties that a table shows, in the order in which people look for them: the label, the key, values, links,
  /// collections, inverses.
  func columns(of model: Model) -> [Property] {
    let label = model.labelProperty?.name
    func rank(_ property: Property) -> Int {
      if property.name == label { return 0 }
      if model.primaryKey.contains(property.name) { return 1 }
      switch property.type {
      case .value(let type):
        if case .object = type.base { return 3 }
        return type.base == .scalar(.data) ? 4 : 2
      case .list, .set, .map: return 5
      case .inverse: return 6
      }
    }
    return model.properties.filter { !$0.isIgnored }.enumerated().sorted {
      (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
    }.map(\.element)
  }

  func page(_ query: RowQuery, from start: Int, count: Int) throws -> JSON {
    let model = try model(query.model)
    let found = try rows(query)
    let columns = columns(of: model)
    let reader = try cells
    let first = min(max(0, start), Self.maximumPosition)
    let wanted = max(0, min(count, Self.maximumRows))
    var rows: [JSON] = []
    let end = found.prefix(first + wanted).endIndex
    for index in first..<max(first, end) {
      let identity = Object.identity(of: found[index])
      guard let cells = try reader.cells(of: identity, model, columns) else { continue }
      rows.append(.object(["id": .string(String(identity)), "cells": .array(cells)]))
    }
    // Where the rows end, their number is known.
    let isEnd = end < first + wanted && (end > first || first == 0)
    let total = try soonTotal(query) ?? (isEnd ? end : nil)
    return .object([
      "total": total.map { .int(Int64($0)) } ?? .null, "from": .int(Int64(first)),
      "rows": .array(rows), "columns": .array(columns.map { Self.describe($0, in: schema) }),
    ])
  }

  /// The number of objects where it is known, or known soon.
  private func soonTotal(_ query: RowQuery) throws -> Int? {
    guard query.isWholeTable else { return totals[query] }
    try counts.count([query.model], within: RowCounts.patience)
    return counts[query.model]
  }

  func total(_ query: RowQuery) throws -> Int {
    if let total = try soonTotal(query) { return total }
    let total: Int
    if query.isWholeTable {
      try counts.count([query.model], within: nil)
      total = counts[query.model] ?? 0
    } else {
      total = try rows(query).count
    }
    if totals.count >= Self.maximumTotals { totals = [:] }
    totals[query] = total
    return total
  }

  // MARK: - Descriptions

  static func describe(_ property: Property, in schema: Schema) -> JSON {
    var members: [String: JSON] = [
      "name": .string(property.name), "type": .string(property.type.spelling),
      "optional": .bool(
        property.type.valueType.map { $0.isOptional || $0.base == .scalar(.any) } ?? true),
      "sortable": .bool(isSortable(property)), "required": .bool(isRequired(property)),
    ]
    if let doc = property.doc { members["doc"] = .string(doc) }
    switch property.type {
    case .value: members["kind"] = "value"
    case .list: members["kind"] = "list"
    case .set: members["kind"] = "set"
    case .map: members["kind"] = "map"
    case .inverse(let model, let link):
      members["kind"] = "inverse"
      members["model"] = .string(model)
      members["property"] = .string(link)
    }
    switch property.type.valueType?.base {
    case .scalar(let scalar)?: members["scalar"] = .string(scalar.rawValue)
    case .enumeration(let name)?:
      members["scalar"] = .string(schema.storedScalar(of: .enumeration(name))?.rawValue ?? "string")
      members["cases"] = .array(
        (schema.enumeration(named: name)?.cases ?? []).map {
          .object(["name": .string($0.name), "value": .string(PageCells.plainText($0.rawValue))])
        })
    case .object(let target)?:
      members["model"] = .string(target)
      members["embedded"] = .bool(schema.model(named: target)?.isEmbedded == true)
    case nil: break
    }
    return .object(members)
  }

  /// Whether a new object has to be given a value.
  private static func isRequired(_ property: Property) -> Bool {
    guard case .value(let type) = property.type, property.isStored else { return false }
    return !type.isOptional && type.base != .scalar(.any) && property.defaultValue == nil
      && property.generate == nil
  }

  private static func isSortable(_ property: Property) -> Bool {
    guard case .value(let type) = property.type else { return false }
    if case .object = type.base { return false }
    return true
  }
}
