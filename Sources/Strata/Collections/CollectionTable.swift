import StrataSQLite

/// The table of one list, set or map, with what each change of it would have to find out anew.
final class CollectionTable {
  package let codec: ColumnCodec
  let quotedName: String
  /// Adds an element of a list: owner, order key, value.
  let insertIntoList: String

  init(_ layout: CollectionLayout) {
    codec = layout.codec
    quotedName = SQL.identifier(layout.table.name)
    insertIntoList = "INSERT INTO \(quotedName) (_owner, _index, value) VALUES (?1, ?2, ?3)"
  }
}
