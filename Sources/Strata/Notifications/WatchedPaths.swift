import StrataExpression
import StrataSQLite
import StrataSchema

/// What an observer of objects is interested in: properties, and what links lead to.
///
/// Without key paths that is everything, and what links lead to up to ``maximumDepth`` of them.
struct WatchedPaths {
  /// Links that are followed where no key path says how far.
  static let maximumDepth = 4

  private final class Node {
    /// By property; what follows it.
    var children: [Int: Node] = [:]
  }

  private let root: Node?

  /// Everything.
  init() { root = nil }

  /// - Throws: `StoreError.invalidQuery` for a path that names no property, or leads through a value or an inverse.
  init(_ keyPaths: [String], of model: Model, in schema: Schema) throws(StoreError) {
    let root = Node()
    for path in keyPaths {
      var (node, model): (Node, Model?) = (root, model)
      for name in path.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
        let name = String(name) ?? ""
        guard let current = model else {
          throw .invalidQuery(text: path, problem: "'\(name)' stands behind a value")
        }
        guard let index = current.indexOfProperty(named: name) else {
          throw .invalidQuery(text: path, problem: "\(current.name) has no property '\(name)'")
        }
        let property = current.properties[index]
        guard property.isStored else {
          var problem = "'\(name)' is not stored: only stored properties are observed"
          if case .inverse(let source, let link) = property.type {
            problem = "'\(name)' is computed of \(source).\(link): observe the objects of \(source)"
          }
          throw .invalidQuery(text: path, problem: problem)
        }
        let next = node.children[index] ?? Node()
        node.children[index] = next
        node = next
        model = property.type.linkedModel.flatMap { schema.model(named: $0) }
      }
    }
    self.root = root
  }

  /// The own properties; nil for all.
  var properties: Set<Int>? { root.map { Set($0.children.keys) } }

  /// Whether a key path goes through a link to another object.
  var leadToOthers: Bool {
    root.map { $0.children.values.contains { !$0.children.isEmpty } } ?? true
  }

  /// The rows of a model of which something that is watched has changed.
  func changedRows(_ record: ChangeRecord, of access: ModelAccess) throws -> RowSet {
    guard root == nil, let shared = record.sharedRows else {
      return try foundRows(record, of: access)
    }
    return try shared.rows(of: access.index, at: access.store.generation) {
      try foundRows(record, of: access)
    }
  }

  private func foundRows(_ record: ChangeRecord, of access: ModelAccess) throws -> RowSet {
    var finder = Finder(record: record)
    var rows = try finder.rows(of: access, root, depth: Self.maximumDepth)
    rows.normalize()
    return rows
  }

  /// The rows of which a property has changed, or what it leads to.
  func changedRows(
    _ record: ChangeRecord, of access: ModelAccess, through property: Int
  ) throws -> RowSet {
    guard let node = root?.children[property] else { return RowSet() }
    let single = Node()
    single.children[property] = node
    var finder = Finder(record: record)
    var rows = try finder.rows(of: access, single, depth: Self.maximumDepth)
    rows.normalize()
    return rows
  }

  private struct Finder {
    let record: ChangeRecord
    private struct Key: Hashable {
      let model: Int
      let depth: Int
    }
    private var known: [Key: RowSet] = [:]

    init(record: ChangeRecord) { self.record = record }

    mutating func rows(of access: ModelAccess, _ node: Node?, depth: Int) throws -> RowSet {
      let key = Key(model: access.index, depth: depth)
      if node == nil, let rows = known[key] { return rows }
      var rows = record.updatedRows(of: access.index) { set in
        guard let node else { return true }
        return node.children.keys.contains { set.contains($0) }
      }
      if node == nil, depth > 0 { try addHoldersInAny(access, depth, to: &rows) }
      for (property, target) in access.targets.enumerated() {
        guard let target, !rows.isEverything, access.model.properties[property].isStored else {
          continue
        }
        if let node, node.children[property] == nil { continue }
        let next = node?.children[property]
        // A path that ends at a link is about the link alone.
        if let next, next.children.isEmpty { continue }
        if depth <= 0 && next == nil { continue }
        var changed = try self.rows(of: target, next, depth: depth - 1)
        if changed.isEmpty { continue }
        changed.normalize()
        rows.formUnion(try holders(of: changed, access, property))
      }
      if node == nil { known[key] = rows }
      return rows
    }

    /// The objects of which a property of type `any`, or an element of such a collection, leads to a changed object.
    private mutating func addHoldersInAny(
      _ access: ModelAccess, _ depth: Int, to rows: inout RowSet
    ) throws {
      let properties = access.anyProperties
      if properties.isEmpty || rows.isEverything { return }
      var changed: [String: RowSet] = [:]
      for case let target? in access.store.accesses where !target.isEmbedded {
        var set = try self.rows(of: target, nil, depth: depth - 1)
        set.normalize()
        if !set.isEmpty { changed[target.model.name] = set }
      }
      if changed.isEmpty { return }
      access.store.lockIfShared()
      defer { access.store.unlockIfShared() }
      for property in properties {
        rows.formUnion(try access.holders(inAny: property, of: changed))
      }
    }

    /// The objects whose property leads to one of these.
    private func holders(
      of targets: RowSet, _ access: ModelAccess, _ property: Int
    ) throws -> RowSet {
      let name = access.model.properties[property].name
      let collection = access.layout.collection(of: name)
      let table = collection.map { SQL.identifier($0.table.name) } ?? access.quotedTable
      let holder = collection == nil ? "\"_row\"" : "\"_owner\""
      let link = collection == nil ? SQL.identifier(name) : "\"value\""
      let condition = targets.isEverything ? "IS NOT NULL" : "BETWEEN ?1 AND ?2"
      var rows = RowSet()
      access.store.lockIfShared()
      defer { access.store.unlockIfShared() }
      try access.store.database.withStatement(
        "SELECT \(holder) FROM \(table) WHERE \(link) \(condition)"
      ) { statement in
        for range in targets.isEverything ? [0...0] : targets.ranges {
          if !targets.isEverything {
            try statement.bind(range.lowerBound, at: 1)
            try statement.bind(range.upperBound, at: 2)
          }
          while try statement.step() {
            let row = statement.integer(at: 0)
            rows.insert(row...row)
          }
          statement.reset()
        }
      }
      return rows
    }
  }
}
