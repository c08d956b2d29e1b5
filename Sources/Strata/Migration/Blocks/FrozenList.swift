import StrataSchema

/// A list or set of an object of a frozen version. Reading one makes the step look beyond its object.
///
/// Each of the properties and positions reads all elements: what asks for several takes `elements` once.
public struct FrozenList<Element>: Sequence {
  let row: FrozenRow
  let index: Int
  let decode: (Value) -> Element
  let encode: (Element) -> Value

  /// The elements: a list's in its order, a set's in the order of their values.
  public var elements: [Element] {
    row.elements(index).map { decode($0.value) }
  }

  public var count: Int { row.elements(index).count }

  public var isEmpty: Bool { count == 0 }

  public subscript(position: Int) -> Element { elements[position] }

  public func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }

  /// Replaces all elements.
  public func replaceAll(with elements: some Sequence<Element>) {
    row.replaceElements(index, elements.map { CollectionElement(key: nil, value: encode($0)) })
  }

  public func append(_ element: Element) {
    row.inWorkspace(or: appendOnTrial(encode(element))) {
      try $0.append(encode(element), to: row.model.properties[index], in: row)
    }
  }

  private func appendOnTrial(_ value: Value) {
    let elements = row.elementsOnTrial(index)
    if case .set = row.model.properties[index].type, elements.contains(where: { $0.value == value })
    {
      return
    }
    row.setOnTrial(index, elements + [CollectionElement(key: nil, value: value)])
  }

  public func removeAll() { replaceAll(with: []) }
}

/// A map of an object of a frozen version: values by string key. Keys are the same where their bytes are, as in the file.
public struct FrozenMap<Element>: Sequence {
  let row: FrozenRow
  let index: Int
  let decode: (Value) -> Element
  let encode: (Element) -> Value

  /// All values by key. Of keys that Swift takes for one though their bytes differ (`é` in its two forms) it has one; a walk over the
  /// map goes over all of them.
  public var dictionary: [String: Element] {
    Dictionary(entries) { _, last in last }
  }

  private var entries: [(key: String, value: Element)] {
    row.elements(index).map { ($0.key ?? "", decode($0.value)) }
  }

  public subscript(key: String) -> Element? {
    get {
      row.inWorkspace(or: row.elementsOnTrial(index).last { $0.hasKey(key) }?.value) {
        try $0.value(at: key, of: row.model.properties[index], in: row)
      }.map(decode)
    }
    nonmutating set {
      row.inWorkspace(or: setOnTrial(newValue.map(encode), at: key)) {
        try $0.set(newValue.map(encode), at: key, of: row.model.properties[index], in: row)
      }
    }
  }

  private func setOnTrial(_ value: Value?, at key: String) {
    let others = row.elementsOnTrial(index).filter { !$0.hasKey(key) }
    row.setOnTrial(index, others + (value.map { [CollectionElement(key: key, value: $0)] } ?? []))
  }

  /// Walks over all values with their keys.
  public func makeIterator() -> IndexingIterator<[(key: String, value: Element)]> {
    entries.makeIterator()
  }

  /// Replaces all values.
  public func replaceAll(with values: [String: Element]) {
    replaceAll(with: values.map { ($0.key, $0.value) })
  }

  /// Replaces all values by those of a sequence, as another map is one; of several with the same key the last stays.
  public func replaceAll(with entries: some Sequence<(key: String, value: Element)>) {
    var elements: [CollectionElement] = []
    var places: [[UInt8]: Int] = [:]
    for entry in entries {
      let bytes = Array(entry.key.utf8)
      let element = CollectionElement(key: entry.key, value: encode(entry.value))
      if let place = places[bytes] {
        elements[place] = element
      } else {
        places[bytes] = elements.count
        elements.append(element)
      }
    }
    row.replaceElements(index, elements)
  }
}

extension FrozenRow {
  public func link<Target: FrozenObject>(_ index: Int) -> FrozenLink<Target>? {
    guard case .link(let identity) = kept(index) else { return nil }
    return FrozenLink(identity: identity)
  }

  public func setLink<Target: FrozenObject>(_ index: Int, _ link: FrozenLink<Target>?) {
    write(index, link.map { .link($0.identity) } ?? .null)
  }

  public func list<T: StoredValue>(_ index: Int) -> FrozenList<T> {
    FrozenList(
      row: self, index: index, decode: { self.decode($0) }, encode: { self.encode($0, for: index) })
  }

  public func links<Target: FrozenObject>(_ index: Int) -> FrozenList<FrozenLink<Target>> {
    FrozenList(
      row: self, index: index, decode: { FrozenLink(value: $0) }, encode: { .link($0.identity) })
  }

  public func map<T: StoredValue>(_ index: Int) -> FrozenMap<T> {
    FrozenMap(
      row: self, index: index, decode: { self.decode($0) }, encode: { self.encode($0, for: index) })
  }

  public func linkMap<Target: FrozenObject>(_ index: Int) -> FrozenMap<FrozenLink<Target>> {
    FrozenMap(
      row: self, index: index, decode: { FrozenLink(value: $0) }, encode: { .link($0.identity) })
  }

  func elements(_ index: Int) -> [CollectionElement] {
    inWorkspace(or: elementsOnTrial(index)) {
      try $0.elements(of: model.properties[index], in: self)
    }
  }

  func replaceElements(_ index: Int, _ elements: [CollectionElement]) {
    inWorkspace(or: setOnTrial(index, elements)) {
      try $0.replaceElements(of: model.properties[index], in: self, with: elements)
    }
  }

  /// Does something with a collection; an error is kept.
  ///
  /// - Parameter onTrial: what is done where a block may only see the object itself, and is run again.
  func inWorkspace<Result>(
    or onTrial: @autoclosure () -> Result, _ body: (any StepWorkspace) throws -> Result
  ) -> Result {
    checkIsOfRunningBlock()
    if let workspace {
      do { return try body(workspace) } catch { fail(error) }
    } else {
      fail(StepContext.LooksBeyond(version: environment.version))
    }
    return onTrial()
  }
}

extension CollectionElement {
  /// Keys are the same where their bytes are.
  fileprivate func hasKey(_ key: String) -> Bool {
    self.key.map { $0.isSpelled(like: key) } ?? false
  }
}

extension FrozenLink {
  fileprivate init(value: Value) {
    guard case .link(let identity) = value else {
      // Elements of a collection of links are links; a nil element has no object.
      self.init(identity: 0)
      return
    }
    self.init(identity: identity)
  }
}
