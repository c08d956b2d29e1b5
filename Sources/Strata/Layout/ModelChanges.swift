/// What one transaction did to the objects of one model, in runs of consecutive rows.
package struct ModelChanges: Sendable {
  /// One or more rows that were changed in the same way.
  package struct Run: Hashable, Sendable {
    package var kind: ChangeLog.Kind
    package var rows: ClosedRange<Int64>
    package var properties: PropertySet
  }

  package private(set) var runs: [Run] = []
  /// Whether there were more changes than are counted.
  package private(set) var isEverything = false

  /// Which runs are kept where the log takes no more.
  enum Precision: Hashable {
    case asTheLog
    case everyChange
  }
  var precision = Precision.asTheLog
  /// How many runs are kept then.
  static let maximumPreciseRuns = 100_000

  package init() {}

  package var isEmpty: Bool { runs.isEmpty && !isEverything }

  @usableFromInline mutating func insert(_ row: Int64) { add(.insert, row, PropertySet()) }
  @usableFromInline mutating func delete(_ row: Int64) { add(.delete, row, PropertySet()) }

  @usableFromInline mutating func update(_ row: Int64, property: Int) {
    if isEverything { return }
    if let last = runs.indices.last, runs[last].rows.contains(row) {
      // A new object's values are part of its insertion.
      if runs[last].kind == .insert { return }
      // The usual case: several properties of one object, one after the other.
      if runs[last].kind == .update, runs[last].rows.count == 1 {
        runs[last].properties.insert(property)
        return
      }
    }
    add(.update, row, PropertySet(property))
  }

  /// How far the changes of a model had come at some moment.
  struct Mark {
    fileprivate let count: Int
    /// Only the last run grows.
    fileprivate let last: Run?
    fileprivate let isEverything: Bool
  }

  var mark: Mark { Mark(count: runs.count, last: runs.last, isEverything: isEverything) }

  /// Forgets what came behind the mark. Where that was more than is counted, runs of before are not known any more.
  mutating func takeBack(to mark: Mark) {
    if isEverything {
      if mark.count == 0 { isEverything = mark.isEverything }
      return
    }
    runs.removeSubrange(min(mark.count, runs.count)...)
    if let last = mark.last, !runs.isEmpty { runs[runs.count - 1] = last }
  }

  /// Forgets what became of rows from one on, which have never been there.
  mutating func forget(from first: Int64) {
    while let last = runs.last, last.rows.upperBound >= first {
      runs.removeLast()
      if last.rows.lowerBound < first {
        var rest = last
        rest.rows = last.rows.lowerBound...first - 1
        runs.append(rest)
      }
    }
  }

  /// Consecutive rows at once.
  mutating func update(_ rows: ClosedRange<Int64>, properties: PropertySet) {
    add(.update, rows, properties)
  }

  mutating func changeEverything() {
    isEverything = true
    runs = []
  }

  private mutating func add(_ kind: ChangeLog.Kind, _ row: Int64, _ properties: PropertySet) {
    add(kind, row...row, properties)
  }

  private mutating func add(
    _ kind: ChangeLog.Kind, _ rows: ClosedRange<Int64>, _ properties: PropertySet
  ) {
    if isEverything { return }
    if let last = runs.indices.last, runs[last].rows.upperBound + 1 == rows.lowerBound,
      runs[last].kind == kind, runs[last].properties == properties
    {
      runs[last].rows = runs[last].rows.lowerBound...rows.upperBound
      return
    }
    if runs.count >= ChangeLog.maximumEntriesOfModel {
      if precision == .asTheLog || runs.count >= Self.maximumPreciseRuns {
        changeEverything()
        return
      }
    }
    runs.append(Run(kind: kind, rows: rows, properties: properties))
  }

  /// As the log keeps them.
  var entries: [(ChangeLog.Kind, ClosedRange<Int64>?, [Int])] {
    if isEverything || runs.count > ChangeLog.maximumEntriesOfModel {
      return [(.all, nil, [])]
    }
    return runs.map { ($0.kind, $0.rows, $0.properties.indices) }
  }
}

/// Some properties of a model, by index.
package struct PropertySet: Hashable, Sendable {
  // Few models have more than 64 properties.
  private var first: UInt64 = 0
  private var others: [UInt64] = []

  package init() {}

  package init(_ index: Int) { insert(index) }

  package init(_ indices: Set<Int>) {
    for index in indices { insert(index) }
  }

  package mutating func insert(_ index: Int) {
    if index < 64 {
      first |= 1 << UInt64(index)
      return
    }
    let word = index / 64 - 1
    while others.count <= word { others.append(0) }
    others[word] |= 1 << UInt64(index % 64)
  }

  package func contains(_ index: Int) -> Bool {
    if index < 64 { return first & 1 << UInt64(index) != 0 }
    let word = index / 64 - 1
    return word < others.count && others[word] & 1 << UInt64(index % 64) != 0
  }

  package func intersects(_ other: PropertySet) -> Bool {
    if first & other.first != 0 { return true }
    // Nearly always one is empty, and nothing is to be walked over.
    if others.isEmpty || other.others.isEmpty { return false }
    return zip(others, other.others).contains { $0 & $1 != 0 }
  }

  package var isEmpty: Bool { first == 0 && others.allSatisfy { $0 == 0 } }

  package var indices: [Int] { (0..<64 * (others.count + 1)).filter(contains) }

  package mutating func formUnion(_ other: PropertySet) {
    first |= other.first
    if other.others.isEmpty { return }
    for (index, word) in other.others.enumerated() where word != 0 {
      while others.count <= index { others.append(0) }
      others[index] |= word
    }
  }
}
