import StrataSchema

/// A list or set of an object of a frozen version. Reading one makes the step look beyond its object.
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
    row.replaceElements(
      index, row.elements(index) + [CollectionElement(key: nil, value: encode(element))])
  }

  public func removeAll() { replaceAll(with: []) }
}

/// A map of an object of a frozen version: values by string key.
public struct FrozenMap<Element>: Sequence {
  let row: FrozenRow
  let index: Int
  let decode: (Value) -> Element
  let encode: (Element) -> Value

  /// All values by key.
  public var dictionary: [String: Element] {
    Dictionary(row.elements(index).map { ($0.key ?? "", decode($0.value)) }) { _, last in last }
  }

  public subscript(key: String) -> Element? {
    get { dictionary[key] }
    nonmutating set {
      var elements = row.elements(index).filter { $0.key != key }
      if let newValue { elements.append(CollectionElement(key: key, value: encode(newValue))) }
      row.replaceElements(index, elements)
    }
  }

  public func makeIterator() -> Dictionary<String, Element>.Iterator { dictionary.makeIterator() }

  /// Replaces all values.
  public func replaceAll(with values: [String: Element]) {
    row.replaceElements(
      index, values.map { CollectionElement(key: $0.key, value: encode($0.value)) })
  }
}

extension FrozenRow {
  public func link<Target: FrozenObject>(_ index: Int) -> FrozenLink<Target>? {
    guard case .link(let identity)? = try? read(index) else { return nil }
    return FrozenLink(identity: identity)
  }

  public func setLink<Target: FrozenObject>(_ index: Int, _ link: FrozenLink<Target>?) {
    write(index, link.map { .link($0.identity) } ?? .null)
  }

  public func list<T: StoredValue>(_ index: Int) -> FrozenList<T> {
    FrozenList(
      row: self, index: index, decode: { self.decode($0) }, encode: { self.encode($0) })
  }

  public func links<Target: FrozenObject>(_ index: Int) -> FrozenList<FrozenLink<Target>> {
    FrozenList(
      row: self, index: index, decode: { FrozenLink(value: $0) }, encode: { .link($0.identity) })
  }

  public func map<T: StoredValue>(_ index: Int) -> FrozenMap<T> {
    FrozenMap(
      row: self, index: index, decode: { self.decode($0) }, encode: { self.encode($0) })
  }

  public func linkMap<Target: FrozenObject>(_ index: Int) -> FrozenMap<FrozenLink<Target>> {
    FrozenMap(
      row: self, index: index, decode: { FrozenLink(value: $0) }, encode: { .link($0.identity) })
  }

  func elements(_ index: Int) -> [CollectionElement] {
    guard let workspace else {
      failure = failure ?? StepContext.LooksBeyond(version: environment.version)
      return []
    }
    do {
      return try workspace.elements(of: model.properties[index], in: self)
    } catch {
      failure = failure ?? error
      return []
    }
  }

  func replaceElements(_ index: Int, _ elements: [CollectionElement]) {
    guard let workspace else {
      failure = failure ?? StepContext.LooksBeyond(version: environment.version)
      return
    }
    do {
      try workspace.replaceElements(of: model.properties[index], in: self, with: elements)
    } catch {
      failure = failure ?? error
    }
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
