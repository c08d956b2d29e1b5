import StrataSchema

/// The place of a collection: a property of an object.
struct MigrationCollection {
  enum Kind { case list, set, map }

  let object: MigrationObject
  let name: String
  let kind: Kind

  init(_ object: MigrationObject, _ name: String, _ kind: Kind) {
    self.object = object
    self.name = name
    self.kind = kind
  }

  private var session: ClassicSession? { object.isInvalidated ? nil : object.face.session }

  /// Each element with its key in a map.
  var elements: [(key: String, value: Any?)] {
    session?.elements(of: object, named: name, kind) ?? []
  }

  func replace(_ value: Any?) { session?.set(value, of: object, named: name) }
}

/// A list of an object of a migration: values, or ``MigrationObject``s.
///
/// Reading goes to the file each time; loop over the list, or take ``objects`` or ``values(as:)`` once.
public struct MigrationList: RandomAccessCollection {
  let collection: MigrationCollection

  init(_ collection: MigrationCollection) { self.collection = collection }

  private var elements: [Any?] { collection.elements.map(\.value) }

  public var startIndex: Int { 0 }
  public var endIndex: Int { elements.count }
  public func makeIterator() -> IndexingIterator<[Any?]> { elements.makeIterator() }

  public subscript(position: Int) -> Any? {
    get { elements[position] }
    nonmutating set { change { $0[position] = newValue } }
  }

  /// The elements that are objects.
  public var objects: [MigrationObject] { elements.compactMap { $0 as? MigrationObject } }

  /// The elements that are values of a type.
  public func values<Value>(as type: Value.Type) -> [Value] { elements.compactMap { $0 as? Value } }

  public func append(_ element: Any?) { change { $0.append(element) } }
  public func append(contentsOf elements: some Sequence<Any?>) {
    change { $0.append(contentsOf: elements) }
  }
  public func insert(_ element: Any?, at index: Int) { change { $0.insert(element, at: index) } }
  public func remove(at index: Int) { change { $0.remove(at: index) } }
  public func removeAll() { collection.replace([Any?]()) }

  private func change(_ body: (inout [Any?]) -> Void) {
    var changed = elements
    body(&changed)
    collection.replace(changed)
  }
}

/// A set of an object of a migration, in the order of its values.
public struct MigrationSet: Sequence {
  let collection: MigrationCollection

  init(_ collection: MigrationCollection) { self.collection = collection }

  private var elements: [Any?] { collection.elements.map(\.value) }

  public var count: Int { elements.count }
  public var isEmpty: Bool { count == 0 }
  public func makeIterator() -> IndexingIterator<[Any?]> { elements.makeIterator() }

  /// The elements that are objects.
  public var objects: [MigrationObject] { elements.compactMap { $0 as? MigrationObject } }

  /// The elements that are values of a type.
  public func values<Value>(as type: Value.Type) -> [Value] { elements.compactMap { $0 as? Value } }

  /// Adds an element; one that is there already stays once.
  public func insert(_ element: Any?) { collection.replace(elements + [element]) }
  public func removeAll() { collection.replace([Any?]()) }
}

/// A map of an object of a migration: values, or ``MigrationObject``s, by string key.
public struct MigrationMap: Sequence {
  let collection: MigrationCollection

  init(_ collection: MigrationCollection) { self.collection = collection }

  /// All entries of a map, told apart by the bytes of their keys; a dictionary takes keys for one that differ in Unicode normalisation.
  struct Entries {
    var all: [(key: String, value: Any?)]

    fileprivate func index(of key: String) -> Int? {
      all.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
    }
  }

  private var entries: Entries {
    Entries(all: collection.elements.sorted { $0.key.precedesInBytes($1.key) })
  }

  public var count: Int { collection.elements.count }
  public var isEmpty: Bool { count == 0 }
  /// In order.
  public var keys: [String] { entries.all.map(\.key) }
  public func makeIterator() -> IndexingIterator<[(key: String, value: Any?)]> {
    entries.all.makeIterator()
  }

  /// The value of a key; nil where there is none. Assigning nil removes the key.
  public subscript(key: String) -> Any? {
    get {
      let entries = entries
      return entries.index(of: key).flatMap { entries.all[$0].value }
    }
    nonmutating set {
      var changed = entries
      if let place = changed.index(of: key) { changed.all.remove(at: place) }
      if let newValue { changed.all.append((key, newValue)) }
      collection.replace(changed)
    }
  }

  public func removeAll() { collection.replace([String: Any?]()) }
}
