import CSQLite

/// Reads single pages of a database file, whatever the tables say of them.
///
/// The connection's VFS reads them: it decrypts them and looks at their checksums. What stands in a write-ahead log is not seen.
package final class PageReader {
  /// The first 100 bytes of the file, <https://www.sqlite.org/fileformat2.html#the_database_header>.
  package let header: [UInt8]
  package let pageSize: Int
  /// Bytes of a page that SQLite uses; those behind them are reserved.
  package let usableSize: Int
  /// Pages that are there.
  package let pageCount: Int

  private static let headerSize = 100
  /// The byte that SQLite locks. Nothing else stands on its page.
  private static let lockByte = 0x4000_0000

  /// Keeps the file open.
  private let database: Database
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let methods: UnsafePointer<sqlite3_io_methods>

  /// Nil for a database in memory, and where SQLite does not say how large pages are.
  package init?(_ database: Database) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard
      sqlite3_file_control(database.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods,
      let size = try? database.pragma("page_size", in: "main").ifInteger,
      let count = try? database.pragma("page_count", in: "main").ifInteger
    else { return nil }
    var header = [UInt8](repeating: 0, count: Self.headerSize)
    guard Self.read(file, methods, into: &header, at: 0) else { return nil }
    (self.database, self.file, self.methods, self.header) = (database, file, methods, header)
    (pageSize, pageCount) = (Int(size), Int(count))
    usableSize = pageSize - Int(header[20])
  }

  /// The page that holds no content because SQLite's locks are on it.
  package var lockPage: Int { Self.lockByte / pageSize + 1 }

  /// Reads a page.
  ///
  /// - Parameters:
  ///   - number: from 1.
  ///   - page: gets the page's bytes.
  /// - Returns: whether the page is there, and is what was written.
  package func read(_ number: Int, into page: inout [UInt8]) -> Bool {
    guard number >= 1, number <= pageCount else { return false }
    if page.count != pageSize { page = [UInt8](repeating: 0, count: pageSize) }
    return Self.read(file, methods, into: &page, at: Int64(number - 1) * Int64(pageSize))
  }

  private static func read(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ methods: UnsafePointer<sqlite3_io_methods>,
    into bytes: inout [UInt8], at offset: Int64
  ) -> Bool {
    let code = bytes.withUnsafeMutableBytes {
      methods.pointee.xRead(file, $0.baseAddress, Int32($0.count), offset)
    }
    return code == SQLITE_OK
  }
}
