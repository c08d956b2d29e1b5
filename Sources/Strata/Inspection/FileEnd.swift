package import StrataSQLite

/// Where a file ends, beside where its last page does.
package struct FileEnd: Hashable, Sendable {
  package let size: Int
  package let pageSize: Int
  /// Where the last page ends. What SQLite's header does not say is as many pages as the file has bytes for, a part of one, too.
  package let expected: Int

  /// Bytes that the last page lacks.
  package var missing: Int { max(0, expected - size) }
  /// Bytes behind the last page.
  package var surplus: Int { max(0, size - expected) }

  /// Nil where SQLite does not say, and where a log or a journal stands beside the file: it may be in the middle of being written.
  package init?(of database: Database, _ files: any FileOperations = POSIXFiles()) throws {
    func number(_ pragma: String) throws -> Int {
      Int(try database.firstValue("PRAGMA main.\(pragma)")?.ifInteger ?? 0)
    }
    let (pages, pageSize) = (try number("page_count"), try number("page_size"))
    guard pageSize > 0, let place = database.fileName, let size = try? files.size(of: place),
      !UntouchedDatabase.hasLogOrJournal(place, files)
    else { return nil }
    (self.size, self.pageSize, expected) = (size, pageSize, pages * pageSize)
  }
}
