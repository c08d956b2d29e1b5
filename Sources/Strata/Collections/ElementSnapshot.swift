import StrataSchema

/// The elements of a collection as they were when a walk over them began: the collection may be changed meanwhile.
struct ElementSnapshot {
  private enum Elements {
    case standalone([StandaloneValue])
    case stored(PiecedArray<Value>)
  }

  private let core: CollectionCore
  private let elements: Elements
  /// Of a map.
  let keys: PiecedArray<String>
  let count: Int

  init(
    standalone elements: [StandaloneValue], of core: CollectionCore,
    keys: PiecedArray<String> = PiecedArray()
  ) {
    self.core = core
    self.keys = keys
    self.elements = .standalone(elements)
    count = elements.count
  }

  init(
    stored values: PiecedArray<Value>, of core: CollectionCore,
    keys: PiecedArray<String> = PiecedArray()
  ) {
    self.core = core
    self.keys = keys
    elements = .stored(values)
    count = values.count
  }

  func element<Element: StoredElement>(at index: Int) -> Element {
    let cell =
      switch elements {
      case .standalone(let elements): elements[index].cell ?? .null
      case .stored(let values): core.cell(values[index])
      }
    return Element._generatedValue(of: cell) ?? Element._generatedFallback
  }
}

/// The positions of a walk over a part of a snapshot. Those at the end may have been taken away.
private struct SnapshotWalk {
  let snapshot: ElementSnapshot
  private var index: Int
  private let end: Int

  init(_ snapshot: ElementSnapshot, _ positions: Range<Int>?) {
    self.snapshot = snapshot
    index = positions?.lowerBound ?? 0
    end = min(positions?.upperBound ?? snapshot.count, snapshot.count)
  }

  mutating func next() -> Int? {
    guard index < end else { return nil }
    defer { index += 1 }
    return index
  }
}

/// Walks over the elements of a ``List`` or a ``MutableSet`` as they are when the walk begins.
///
/// The collection may be changed meanwhile, and objects in it deleted; those say so with `isInvalidated`.
public struct ElementIterator<Element: StoredElement>: IteratorProtocol {
  private var walk: SnapshotWalk

  init(_ snapshot: ElementSnapshot, over positions: Range<Int>? = nil) {
    walk = SnapshotWalk(snapshot, positions)
  }

  public mutating func next() -> Element? {
    walk.next().map { walk.snapshot.element(at: $0) }
  }
}

/// Walks over the entries of a ``Map`` as they are when the walk begins.
public struct EntryIterator<Value: StoredElement>: IteratorProtocol {
  private var walk: SnapshotWalk

  init(_ snapshot: ElementSnapshot, over positions: Range<Int>? = nil) {
    walk = SnapshotWalk(snapshot, positions)
  }

  public mutating func next() -> (key: String, value: Value)? {
    walk.next().map { (walk.snapshot.keys[$0], walk.snapshot.element(at: $0)) }
  }
}
