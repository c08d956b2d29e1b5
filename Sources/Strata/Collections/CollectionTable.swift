import StrataSQLite

/// The table of one list, set or map, with what each change of it would have to find out anew.
final class CollectionTable {
  package let codec: ColumnCodec
  let quotedName: String
  // The statements of single elements: owner, order key or key of a map, value.
  /// Adds an element of a list or map.
  let insertIntoList: String
  /// Adds an element of a set.
  let insertIntoSet: String
  let replace: String
  let remove: String
  /// Removes an element of a set.
  let removeFromSet: String
  /// Gives an element of a list another order key, the last parameter.
  let move: String
  // The statements of all elements of an owner.
  /// Reads the keys and values of a list or map, in their order.
  let read: String
  /// Finds the order key of a list's last element.
  let lastKey: String
  /// Finds the value of a map's key, the second parameter.
  let valueOfKey: String
  /// Finds a set's value, the second parameter.
  let isInSet: String
  /// Reads the values of a set, in their order.
  let readSet: String
  let removeAll: String
  /// What queries ask about its objects; nil for a collection of values.
  let questions: CollectionQuestions?

  init(_ layout: CollectionLayout, holdsObjects: Bool) {
    codec = layout.codec
    quotedName = SQL.identifier(layout.table.name)
    insertIntoList = "INSERT INTO \(quotedName) (_owner, _index, value) VALUES (?1, ?2, ?3)"
    insertIntoSet = "INSERT INTO \(quotedName) (_owner, value) VALUES (?1, ?2)"
    replace = "UPDATE \(quotedName) SET value = ?3 WHERE _owner = ?1 AND _index = ?2"
    remove = "DELETE FROM \(quotedName) WHERE _owner = ?1 AND _index = ?2"
    removeFromSet = "DELETE FROM \(quotedName) WHERE _owner = ?1 AND value IS ?2"
    move = "UPDATE \(quotedName) SET _index = ?3 WHERE _owner = ?1 AND _index = ?2"
    read = "SELECT _index, value FROM \(quotedName) WHERE _owner = ?1 ORDER BY _index"
    lastKey =
      "SELECT _index FROM \(quotedName) WHERE _owner = ?1 ORDER BY _index DESC LIMIT 1"
    valueOfKey = "SELECT value FROM \(quotedName) WHERE _owner = ?1 AND _index = ?2"
    isInSet = "SELECT 1 FROM \(quotedName) WHERE _owner = ?1 AND value IS ?2"
    readSet = "SELECT value FROM \(quotedName) WHERE _owner = ?1 ORDER BY value"
    removeAll = "DELETE FROM \(quotedName) WHERE _owner = ?1"
    questions = holdsObjects ? CollectionQuestions(quotedName) : nil
  }

  /// A query for the values of an owner: all, or that of one order key or key.
  func values(of owner: Int64, _ key: SQLiteValue?) -> SQLText {
    let all: SQLText =
      "SELECT value FROM \(SQLText(trusted: quotedName)) WHERE _owner = \(value: .integer(owner))"
    return key.map { "\(all) AND _index = \(value: $0)" } ?? all
  }
}
