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

  /// Where the numbers stand that say how the rest of the file is read: the size of pages, two versions, the bytes that pages leave free, and
  /// three that are the same in every file.
  package static let form = 16..<24
  private static let fixed: [UInt8] = [64, 32, 32]

  /// The form of a file that begins as a SQLite file and has numbers there which no file has; nil where they may be right.
  ///
  /// A size of pages that makes no sense is taken for that of Strata's files, and a version for the other one.
  package static func mendedForm(_ start: [UInt8]) -> [UInt8]? {
    guard start.count >= byteCount, start.starts(with: Database.magic) else { return nil }
    let versions: ClosedRange<UInt8> = 1...2
    var form = Array(start[Self.form])
    if PageSizes.size(form[0], form[1]) == nil {
      form[0] = UInt8(Database.strataPageSize >> 8)
      form[1] = UInt8(Database.strataPageSize & 0xFF)
    }
    let version = form[2...3].first(where: versions.contains) ?? versions.upperBound
    for place in 2...3 where !versions.contains(form[place]) { form[place] = version }
    form.replaceSubrange(5..., with: fixed)
    return form == Array(start[Self.form]) ? nil : form
  }
}
