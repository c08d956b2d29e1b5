import StrataExpression
import StrataSchema

extension Results {
  /// Only the objects that fulfil a condition, written as Realm's and `NSPredicate`'s users do.
  ///
  /// ```swift
  /// let tan = try store.objects(Dog.self).filter("color = %@ AND name BEGINSWITH %@", "tan", "B")
  /// ```
  /// - Parameters:
  ///   - condition: such as `age > 30 AND ANY dogs.name == 'Rex'`.
  ///   - arguments: for `%@` by turn and `$0` by number: values, objects, arrays of values, nil.
  /// - Throws: `StoreError.invalidQuery`, which says where the condition is wrong and what was expected, what the database cannot
  ///   do, or, for a condition that computes, which value cannot be computed: such a condition is asked at once;
  ///   `.belongsToAnotherStore`, `.notManaged`, `.invalidated` for an argument that is no object of the store's file.
  public func filter(_ condition: String, _ arguments: Any?...) throws(StoreError) -> Results {
    try filter(condition, arguments: arguments)
  }

  /// The same with the arguments in an array.
  public func filter(_ condition: String, arguments: [Any?]) throws(StoreError) -> Results {
    let resolved = try QueryCompiler(query.access).condition(condition, arguments)
    let narrowed = query.filtered(by: resolved, text: condition)
    try narrowed.checkNewestText()
    return Results(narrowed)
  }

  /// Sorted by a key path, which may follow links: `"boss.name"`. What is equal stays in the order that it had; nil
  /// stands before everything.
  ///
  /// - Throws: `StoreError.invalidQuery`
  public func sorted(by keyPath: String, ascending: Bool = true) throws(StoreError) -> Results {
    try sorted(by: [SortKey(keyPath, ascending: ascending)])
  }

  /// Sorted by several key paths, the first one first.
  ///
  /// - Throws: `StoreError.invalidQuery`
  public func sorted(by keys: [SortKey]) throws(StoreError) -> Results {
    let compiler = QueryCompiler(query.access)
    var sorts: [Query.Sort] = []
    for key in keys {
      if key.isRank {
        sorts.append(try query.rank(isAscending: key.isAscending))
        continue
      }
      sorts.append(
        Query.Sort(
          node: try compiler.sortable(key.keyPath), isAscending: key.isAscending,
          text: key.keyPath))
    }
    let sorted = query.sorted(by: sorts)
    try sorted.checkRoom()
    return Results(sorted)
  }

  /// Sorted by one key, such as `.rank` for the answers of a search.
  ///
  /// ```swift
  /// let found = try mails.where { $0.body.matches("swift AND migr*") }.sorted(by: .rank)
  /// ```
  /// - Throws: `StoreError.invalidQuery`
  public func sorted(by key: SortKey) throws(StoreError) -> Results { try sorted(by: [key]) }

  /// Sorted by a property.
  public func sorted<Value: StoredValue>(
    by keyPath: KeyPath<Element, Value>, ascending: Bool = true
  ) -> Results {
    let node = query.access.node(of: keyPath)
    return Results(query.sorted(by: [Query.Sort(node: node, isAscending: ascending)]))
  }

  /// Of objects that agree in these key paths only the first one.
  ///
  /// - Throws: `StoreError.invalidQuery`
  public func distinct(by keyPaths: [String]) throws(StoreError) -> Results {
    let compiler = QueryCompiler(query.access)
    var nodes: [ResolvedNode] = []
    for keyPath in keyPaths { nodes.append(try compiler.single(keyPath)) }
    let different = query.distinct(by: nodes)
    try different.checkRoom()
    return Results(different)
  }

  /// Of objects that agree in a property only the first one.
  public func distinct<Value: StoredValue>(by keyPath: KeyPath<Element, Value>) -> Results {
    Results(query.distinct(by: [query.access.node(of: keyPath)]))
  }

  /// The first so many objects at most.
  public func limit(_ count: Int) -> Results { Results(query.limited(to: count)) }

  /// The objects at these positions, in their order.
  ///
  /// - Precondition: each is a position of the result.
  public func objects(at indexes: some Sequence<Int>) -> [Element] { indexes.map { self[$0] } }

  /// Sets a property of all objects, by name, in the database; a list, set or map, or a new object, of one after the other.
  ///
  /// - Throws: `StoreError.notInWriteTransaction`, `.unknownProperty`, `.wrongType`, `.missingRequired`, `.notUnique`
  public func setValue(_ value: Any?, forKey name: String) throws(StoreError) {
    let access = query.access
    guard let property = access.model.indexOfProperty(named: name) else {
      throw .unknownProperty(model: access.model.name, property: name)
    }
    if access.layout.codecs[property] != nil, access.targets[property] == nil {
      try query.store.update(query, [name: value])
      return
    }
    try query.store.checkInWriteTransaction()
    for object in Array(self) { try object.setValue(value, forKey: name) }
  }

  /// The position of an object, nil when it is not among them.
  public func index(of object: Element) -> Int? {
    mayHold(object) ? window.index(of: object.row) : nil
  }

  /// The position of an object, nil when it is not among them: the library's own search would look at one after the other.
  public func firstIndex(of object: Element) -> Int? { index(of: object) }

  /// Whether an object is among them; looked for by its identity.
  public func contains(_ object: Element) -> Bool {
    mayHold(object) && window.contains(object.row)
  }

  /// Whether an object is one of the model in the file that is asked, so that its row tells whether it is among them.
  private func mayHold(_ object: Element) -> Bool {
    object.store?.isSameFile(as: query.store) == true
      && object.model.model.name == query.access.model.name
  }

  /// The first position of an object that fulfils a condition.
  ///
  /// - Throws: `StoreError.invalidQuery`, `.closed`
  public func index(
    matching condition: String, _ arguments: Any?...
  ) throws(StoreError) -> Int? {
    if query.store.isClosed { throw .closed }
    guard let first = try filter(condition, arguments: arguments).first else { return nil }
    return index(of: first)
  }
}

/// One key path to sort by, and in which direction.
public struct SortKey: Hashable, Sendable {
  public var keyPath: String
  public var isAscending: Bool

  public init(_ keyPath: String, ascending: Bool = true) {
    self.keyPath = keyPath
    isAscending = ascending
  }

  /// How well an object fits what a `TEXT` condition searches, the best ones first; `@rank` as a text. It takes how often the words
  /// are there, how rare they are and how long the text is (BM25).
  public static let rank = SortKey("@rank")

  var isRank: Bool { keyPath == SortKey.rank.keyPath }
}

extension ModelAccess {
  /// The property that a key path of the class names.
  func node<Root: Object, Value>(of keyPath: KeyPath<Root, Value>) -> ResolvedNode {
    .property(.subject, KeyPathProperties.property(of: keyPath, generated))
  }
}
