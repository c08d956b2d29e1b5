import StrataSQLite
import StrataSchema

/// The objects whose link leads to an object: the other end of a to-one, a list or a set. It is computed, never
/// stored, and always right.
///
/// ```swift
/// for person in boss.reports { print(person.fullName) }
/// ```
public struct LinkingObjects<Element: Object> {
  private let results: Results<Element>?

  init(results: Results<Element>) { self.results = results }

  init(of object: Object, property: Int) {
    object.noteRead(property)
    guard let store = object.manager, let access = object.managedAccess,
      case .inverse(let model, let name) = access.model.properties[property].type,
      let source = try? store.access(named: model)
    else {
      results = nil
      return
    }
    let answers = object.answers(ofInverse: property) {
      Query(source).linking(to: object.row, through: name).ifCommitted(object.outcome)
        .linked(to: Query.LinkedObject(model: access.model.name, row: object.row))
    }
    results = Results(answers.query, answers.window)
  }

  /// What can be asked further; nil for a standalone object, to which nothing links.
  public var objects: Results<Element>? { results }
}

extension LinkingObjects: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { results?.count ?? 0 }
  public var count: Int { results?.count ?? 0 }

  /// Whether nothing links to the object; nothing is counted for it.
  public var isEmpty: Bool { results?.isEmpty ?? true }

  public var first: Element? { results?.first }

  public var last: Element? { results?.last }

  // As in ``Results``: the library's own steps compare each position with the end, which is counting all.
  public func index(after index: Int) -> Int { index + 1 }
  public func index(before index: Int) -> Int { index - 1 }
  public func index(_ index: Int, offsetBy distance: Int) -> Int { index + distance }
  public func distance(from start: Int, to end: Int) -> Int { end - start }

  public subscript(index: Int) -> Element {
    guard let results else {
      misuse("Nothing links to an object that belongs to no store.")
    }
    return results[index]
  }

  /// The position of an object, nil when it does not link to this one.
  public func index(of object: Element) -> Int? { results?.index(of: object) }

  /// The position of an object, nil when it does not link to this one.
  public func firstIndex(of object: Element) -> Int? { index(of: object) }

  /// Whether an object links to this one; looked for by its identity.
  public func contains(_ object: Element) -> Bool { results?.contains(object) ?? false }

  public func makeIterator() -> Results<Element>.Iterator {
    results?.makeIterator() ?? Results<Element>.Iterator(nil)
  }

  public var underestimatedCount: Int { 0 }

  public func _copyToContiguousArray() -> ContiguousArray<Element> {
    results?._copyToContiguousArray() ?? []
  }

  public func map<Value, Failure: Error>(
    _ transform: (Element) throws(Failure) -> Value
  ) throws(Failure) -> [Value] { try results?.map(transform) ?? [] }

  public subscript(bounds: Range<Int>) -> LiveSlice<LinkingObjects> {
    guard let results else {
      checkUse(bounds == 0..<0, "Nothing links to an object that belongs to no store.")
      return LiveSlice(self, bounds)
    }
    results.check(bounds)
    return LiveSlice(self, bounds)
  }
}

extension LinkingObjects: LiveCollection {
  public func _walk(over positions: Range<Int>) -> Results<Element>.PartIterator {
    results?._walk(over: positions) ?? Results<Element>.PartIterator()
  }
}

extension Object {
  /// What an inverse gives, the same each time: a look makes no new question, and knows what was answered before.
  fileprivate final func answers(
    ofInverse property: Int, _ query: () -> Query
  ) -> InverseAnswers.Known {
    // Several threads may look at a frozen object at once, and of a closed store nothing is answered.
    guard let manager, !manager.isFrozen, !manager.isClosed else { return .init(query()) }
    let answers = (collections.isEmpty ? nil : collections[property]) as? InverseAnswers
    if let known = answers?.known { return known }
    let kept = answers ?? InverseAnswers()
    let known = InverseAnswers.Known(query())
    manager.recentInverses.add(kept, knowing: known)
    if answers == nil { keep(kept, at: property) }
    return known
  }
}

extension Query {
  /// Only the objects whose property, a link or a collection of links, leads to this object.
  func linking(to row: Int64, through property: String) -> Query {
    let index = access.model.indexOfProperty(named: property)
    guard let collection = access.layout.collection(of: property) else {
      return filtered(
        by: "\(Self.alias).\(name: property) = \(value: .integer(row))", reading: index)
    }
    return filtered(
      by: """
        \(Self.alias)."_row" IN (SELECT "_owner" FROM \(name: collection.table.name) \
        WHERE "value" = \(value: .integer(row)))
        """,
      ofOneRow: """
        EXISTS (SELECT 1 FROM \(name: collection.table.name) \
        WHERE "value" = \(value: .integer(row)) AND "_owner" = \(Self.alias)."_row")
        """, reading: index)
  }
}
