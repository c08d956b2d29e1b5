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

  /// Nil where the block knows that the object is gone. What goes with another object's deletion, and is changed all the same, is an error.
  private var session: ClassicSession? {
    object.isDeleted || !object.face.session.isOpen ? nil : object.face.session
  }

  /// Each element with its key in a map.
  var elements: [(key: String, value: Any?)] {
    session?.elements(of: object, named: name, kind) ?? []
  }

  func replace(_ value: Any?) { session?.set(value, of: object, named: name) }

  func append(_ element: Any?) { session?.append(element, to: self) }

  func set(_ value: Any?, at key: String) { session?.set(value, at: key, of: self) }

  /// Whether a place is one of the collection's; one that is not stops the upgrade.
  func has(_ index: Int, in places: Range<Int>) -> Bool {
    if places.contains(index) { return true }
    guard let session else { return false }
    session.recordRead(
      session.problem(
        "The index \(index) is outside of \(object.className).\(name), which has \(elements.count) element\(elements.count == 1 ? "" : "s")."
      ), object)
    return false
  }
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
    get {
      let elements = elements
      return collection.has(position, in: elements.indices) ? elements[position] : nil
    }
    nonmutating set {
      change { if collection.has(position, in: $0.indices) { $0[position] = newValue } }
    }
  }

  /// The elements that are objects.
  public var objects: [MigrationObject] { elements.compactMap { $0 as? MigrationObject } }

  /// The elements that are values of a type.
  public func values<Value>(as type: Value.Type) -> [Value] { elements.compactMap { $0 as? Value } }

  public func append(_ element: Any?) { collection.append(element) }
  public func append(contentsOf elements: some Sequence<Any?>) {
    for element in elements { collection.append(element) }
  }
  /// One that is outside of the list stops the upgrade.
  public func insert(_ element: Any?, at index: Int) {
    change {
      if collection.has(index, in: 0..<$0.count + 1) { $0.insert(element, at: index) }
    }
  }
  /// One that is outside of the list stops the upgrade.
  public func remove(at index: Int) {
    change { if collection.has(index, in: $0.indices) { $0.remove(at: index) } }
  }
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
  public func insert(_ element: Any?) { collection.append(element) }
  public func removeAll() { collection.replace([Any?]()) }
}

/// A map of an object of a migration: values, or ``MigrationObject``s, by string key.
public struct MigrationMap: Sequence {
  let collection: MigrationCollection

  init(_ collection: MigrationCollection) { self.collection = collection }

  /// Keys are told apart by their bytes; a dictionary takes some for one that differ in Unicode normalisation.
  private var entries: [(key: String, value: Any?)] {
    collection.elements.sorted { $0.key.precedesInBytes($1.key) }
  }

  public var count: Int { collection.elements.count }
  public var isEmpty: Bool { count == 0 }
  /// In order.
  public var keys: [String] { entries.map(\.key) }
  public func makeIterator() -> IndexingIterator<[(key: String, value: Any?)]> {
    entries.makeIterator()
  }

  /// The value of a key; nil where there is none. Assigning nil removes the key.
  public subscript(key: String) -> Any? {
    get {
      collection.elements.first { $0.key.isSpelled(like: key) }.flatMap(\.value)
    }
    nonmutating set { collection.set(newValue, at: key) }
  }

  public func removeAll() { collection.replace([String: Any?]()) }
}
