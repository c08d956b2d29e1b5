import StrataSQLite

/// The parts of a SQLite file's header that tell whether it is whole,
/// <https://www.sqlite.org/fileformat.html#the_database_header>.
package struct SQLiteHeader {
  package static let byteCount = 100

  let pageSize: Int
  /// Pages that the header says the file has; nil where it does not say.
  let pageCount: Int?
  let applicationID: Int32
  /// Whether it is written by way of a log, as its file format numbers say.
  let usesLog: Bool

  /// Nil where the bytes are no SQLite header.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.byteCount, bytes.starts(with: Database.magic) else { return nil }
    func word(_ offset: Int) -> UInt32 {
      bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    let size = Int(bytes[16]) << 8 | Int(bytes[17])
    pageSize = size == 1 ? 65_536 : size
    // The count is valid only when the file was last changed by a library that keeps it.
    pageCount = word(24) == word(92) && word(28) > 0 ? Int(word(28)) : nil
    applicationID = Int32(bitPattern: word(68))
    usesLog = bytes[18] > 1 || bytes[19] > 1
  }

  package static func isRealm(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 24 && Array(bytes[16..<20]) == Array("T-DB".utf8)
  }
}
