import StrataSQLite
import StrataSchema

/// When the parts of one model changed last.
final class ModelClock {
  /// The count of the store's changes.
  private let now: UnsafeMutablePointer<UInt64>
  // In one piece, because each read of a property looks at the first of them: rows, membership, properties.
  private let marks: UnsafeMutablePointer<UInt64>
  private let count: Int
  /// Which rows were changed, once a result wants to know.
  @exclusivity(unchecked) var journal = RowJournal()
  /// By property; nil until a collection of it is read.
  @exclusivity(unchecked) private var collections: [CollectionClock?]
  /// The properties whose values are rows of a table of their own.
  private let collectionProperties: [Int]
  private let isCollection: [Bool]

  init(_ model: Model, now: UnsafeMutablePointer<UInt64>) {
    self.now = now
    count = model.properties.count + 2
    marks = .allocate(capacity: count)
    marks.initialize(repeating: now.pointee, count: count)
    collections = Array(repeating: nil, count: model.properties.count)
    isCollection = model.properties.map { $0.isStored && $0.type.isCollection }
    collectionProperties = isCollection.indices.filter { [isCollection] in isCollection[$0] }
  }

  deinit { marks.deallocate() }

  // MARK: - Looking

  /// When a column of any row changed, or a row was deleted. An object is current as long as this is what it was.
  var rows: UnsafeMutablePointer<UInt64> { marks }

  /// When an object came or went.
  var membership: UnsafeMutablePointer<UInt64> { marks + 1 }

  /// When any object's value of a property changed.
  func values(of property: Int) -> UnsafeMutablePointer<UInt64> { marks + 2 + property }

  /// Of a list, set or map.
  func collection(_ property: Int) -> CollectionClock {
    if let clock = collections[property] { return clock }
    let clock = CollectionClock(since: now.pointee)
    collections[property] = clock
    return clock
  }

  // MARK: - Changes

  func inserted(_ row: Int64) {
    now.pointee &+= 1
    marks[1] = now.pointee
    if journal.isActive { journal.note(row, .inserted, at: now.pointee) }
  }

  /// A value, or a change inside of a collection.
  func updated(_ row: Int64, property: Int) {
    now.pointee &+= 1
    marks[2 + property] = now.pointee
    if journal.isActive { journal.note(row, .updated(property), at: now.pointee) }
    if isCollection[property] {
      collections[property]?.changed(row, at: now.pointee)
    } else {
      marks[0] = now.pointee
    }
  }

  /// An element left a collection, and nothing else happened to it.
  func removed(_ element: SQLiteValue, from row: Int64, property: Int) {
    now.pointee &+= 1
    marks[2 + property] = now.pointee
    if journal.isActive { journal.note(row, .updated(property), at: now.pointee) }
    collections[property]?.removed(element, from: row, at: now.pointee)
  }

  func deleted(_ row: Int64) {
    now.pointee &+= 1
    marks[0] = now.pointee
    marks[1] = now.pointee
    if journal.isActive { journal.note(row, .deleted, at: now.pointee) }
    for property in collectionProperties { collections[property]?.changed(row, at: now.pointee) }
  }

  /// With more rows at once it is of no use to list them.
  private static let maximumListed = 16

  /// Properties of many rows.
  func updated(_ runs: [ClosedRange<Int64>], _ properties: PropertySet) {
    if runs.count <= Self.maximumListed,
      runs.reduce(into: 0, { $0 += $1.count }) <= Self.maximumListed
    {
      for row in runs.joined() {
        for property in properties.indices { updated(row, property: property) }
      }
      return
    }
    now.pointee &+= 1
    marks[0] = now.pointee
    for property in properties.indices where property + 2 < count {
      marks[2 + property] = now.pointee
    }
    journal.forget(at: now.pointee)
  }

  /// Whether anything has changed.
  func isChanged(after mark: UInt64) -> Bool { (0..<count).contains { marks[$0] > mark } }

  func changedEverything() {
    now.pointee &+= 1
    changedEverything(at: now.pointee)
  }

  func changedEverything(at mark: UInt64) {
    marks.update(repeating: mark, count: count)
    journal.forget(at: mark)
    for property in collectionProperties { collections[property]?.changedEverything(at: mark) }
  }
}
