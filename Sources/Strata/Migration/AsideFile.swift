import StrataSQLite

/// A file beside the database in which its new content is built.
///
/// It needs no journal: whatever happens to it, the old file is whole, and the next run begins anew.
final class AsideFile {
  /// Stands behind the database's own name, so that leftovers are recognised.
  static let suffix = "-strata-upgrade"
  /// Kibibytes of pages that a connection keeps.
  private static let cacheSize: Int64 = 8192

  let path: String
  let database: Database
  private let files: any FileOperations
  private var isRemoved = false

  init(
    path: String, vfs: String?, pageSize: Int64, permissions: UInt32, files: any FileOperations
  ) throws {
    self.path = path
    self.files = files
    try files.removeIfPresent(path)
    // Made by us, so that nobody who may not read the database can read its copy.
    try files.write([], to: path, permissions: permissions)
    database = try Database(path: path, mode: .readWrite, vfs: vfs)
    try database.setPragma("page_size", .integer(pageSize))
    try database.setPragma("journal_mode", "OFF", in: "main")
    try database.setPragma("synchronous", "OFF", in: "main")
    try database.setPragma("locking_mode", "EXCLUSIVE", in: "main")
    try database.setPragma("cache_size", .integer(-Self.cacheSize))
    try database.setPragma("secure_delete", false)
    try database.setPragma("foreign_keys", false)
  }

  /// Closes and removes the file.
  func remove() {
    guard !isRemoved else { return }
    isRemoved = true
    database.close()
    try? files.removeIfPresent(path)
  }

  deinit { remove() }

  /// What an interrupted run has left beside a database.
  static func leftovers(of path: String, files: any FileOperations) throws -> [String] {
    let name = FilePaths.name(of: path) + suffix
    let folder = FilePaths.folder(of: path)
    return try files.contents(ofFolder: folder).filter { $0.hasPrefix(name) }
      .map { folder + "/" + $0 }
  }

  /// Removes them. Only who holds the write lock may call it.
  static func removeLeftovers(of path: String, files: any FileOperations) throws {
    for leftover in try leftovers(of: path, files: files) { try files.removeIfPresent(leftover) }
  }
}
