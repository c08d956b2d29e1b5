import StrataRealm
import StrataSchema

/// Two objects of a Realm file with one primary key, which a database has once only.
///
/// Realm keeps keys apart. A file may have equal ones nevertheless, and texts that are no UTF-8 become equal where what is not is replaced.
package struct RealmEqualKeys {
  package let model: String
  package let property: String
  /// The numbers of the objects in their class, from 1 in the order of the file.
  package let objects: (first: Int, second: Int)
  private let values: (first: RealmValue, second: RealmValue)

  /// The first that a file has; nil where each object has a key of its own.
  ///
  /// Keeps eight bytes an object of one class.
  ///
  /// - Parameter proceed: called again and again; what it throws ends the reading.
  package static func first(
    in source: RealmSource, proceed: () throws -> Void = {}
  ) throws -> RealmEqualKeys? {
    for entry in source.classes {
      guard let name = entry.model.primaryKey.first,
        let (column, property) = entry.columns.first(where: { $0.property.name == name })
      else { continue }
      var hashes: [Int] = []
      hashes.reserveCapacity(entry.table.count)
      try forEachKey(entry, column, source, proceed) { _, value in
        hashes.append(stored(value).hashValue)
        return true
      }
      let repeated = repeatedValues(of: hashes)
      if repeated.isEmpty { continue }
      // Different keys may have one hash.
      var met: [[UInt8]: (rank: Int, value: RealmValue)] = [:]
      var result: RealmEqualKeys?
      try forEachKey(entry, column, source, proceed) { rank, value in
        let key = stored(value)
        guard repeated.contains(key.hashValue) else { return true }
        guard let other = met[key] else {
          met[key] = (rank, value)
          return true
        }
        result = RealmEqualKeys(
          model: entry.model.name, property: property.name,
          objects: (other.rank + 1, rank + 1), values: (other.value, value))
        return false
      }
      if let result { return result }
    }
    return nil
  }

  /// Reads the keys of a class, until there is no more need.
  private static func forEachKey(
    _ entry: RealmSource.Class, _ column: Int, _ source: RealmSource, _ proceed: () throws -> Void,
    _ isNeeded: (Int, RealmValue) -> Bool
  ) throws {
    source.file.beginReading()
    var goesOn = true
    try entry.table.forEachChunk { chunk in
      guard goesOn else { return }
      try proceed()
      for row in 0..<chunk.count where goesOn {
        goesOn = isNeeded(chunk.first + row, try chunk.value(column, row))
      }
    }
  }

  private static func repeatedValues(of hashes: [Int]) -> Set<Int> {
    let sorted = hashes.sorted()
    var result: Set<Int> = []
    for (one, next) in zip(sorted, sorted.dropFirst()) where one == next { result.insert(one) }
    return result
  }

  /// A key's bytes in the database behind one that tells null from the others.
  private static func stored(_ value: RealmValue) -> [UInt8] {
    switch value {
    case .null: [0]
    case .string(let text): [1] + Array(text.utf8)
    case .damagedText(let bytes): [1] + Array(String(decoding: bytes, as: UTF8.self).utf8)
    case .int(let number): [1] + Array(String(number).utf8)
    case .objectID(let value): [1] + value.bytes
    case .uuid(let value): [1] + value.bytes
    default: [1] + Array("\(value)".utf8)
    }
  }

  /// What is wrong, as a sentence without its end.
  package var problem: String {
    let key =
      "objects \(objects.first) and \(objects.second) of \(model) have one primary key, \(property): \(Self.text(values.first))"
    guard isReplaced else { return key }
    return
      "\(key) and \(Self.text(values.second)), which are equal where what is no UTF-8 is replaced"
  }

  private var isReplaced: Bool {
    if case .damagedText = values.first { return true }
    if case .damagedText = values.second { return true }
    return false
  }

  private static func text(_ value: RealmValue) -> String {
    switch value {
    case .null: "null"
    case .string(let text): JSON.string(text).canonicalText
    case .damagedText(let bytes): "the bytes \(Hex.encode(bytes))"
    case .int(let number): String(number)
    case .objectID(let value): value.description
    case .uuid(let value): value.description
    default: "\(value)"
    }
  }
}
