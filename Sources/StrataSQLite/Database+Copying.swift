import CSQLite

extension Database {
  /// Writes the whole content to a new file, as small as it can be.
  ///
  /// - Parameters:
  ///   - vfs: that of the new file; the pages get the bytes that it needs at their ends. The connection has to be one that was
  ///     opened by a URI, to write, though its own file may be read-only.
  ///   - pageSize: of the new file; nil for the same.
  package func vacuum(into path: String, vfs: String?, pageSize: Int64? = nil) throws {
    let wanted = PageVFS.reservedBytes(of: vfs)
    let name = vfs ?? Self.systemVFS
    let own = try pragma("page_size").ifInteger
    // VACUUM INTO keeps the size of pages.
    if mustShrinkPages(to: wanted) || pageSize ?? own != own {
      return try copyContent(into: path, vfs: name, pageSize: pageSize)
    }
    var count = Int32(wanted)
    _ = sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
    // It answers what stood there, and would go to the file itself with the next VACUUM.
    defer { _ = sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &count) }
    try execute("VACUUM INTO ?", .text(FilePaths.uri(path, "vfs=" + name)))
  }

  /// Bytes that are free at the end of each page, which say how pages are encrypted and whether they have checksums.
  package var reservedBytes: Int {
    var count: Int32 = -1
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
    return code == SQLITE_OK ? Int(count) : 0
  }

  /// Whether the pages of a plain file have checksums.
  var hasChecksums: Bool { reservedBytes == ChecksummedPages.byteCount }

  /// Whether pages of another file may be copied into this one as they are: both have checksums, or neither has. A page without its
  /// checksum is damaged in a file that has them; a checksum in a file that has none takes the place of content.
  package func takesPages(of other: Database) -> Bool {
    hasChecksums == other.hasChecksums && !lacksChecksums
  }

  /// VACUUM never leaves fewer bytes of a page free than there were. That does no harm, unless their number says whether the pages have
  /// checksums.
  private func mustShrinkPages(to wanted: Int) -> Bool {
    let mark = ChecksummedPages.byteCount
    let count = reservedBytes
    return (wanted == mark && count > mark) || (wanted == 0 && count == mark)
  }

  /// Writes the content by statements, as SQLite's VACUUM did before it had pages copied: tables, rows, indexes, and the definitions of
  /// what has no pages of its own.
  private func copyContent(into path: String, vfs: String, pageSize: Int64?) throws {
    let copy = "copy"
    try attach(FilePaths.uri(path, "vfs=" + vfs), as: copy)
    do {
      let own = try pageSize ?? pragma("page_size").ifInteger ?? 4096
      try setPragma("page_size", .integer(own), in: copy)
      // Definitions are written as they stand, and the tables of a full-text index filled like any other.
      try set(.defensive, false)
      try setPragma("writable_schema", true)
      // A draft needs no journal; with one, a transaction over two files has a third file that names both, which a kill leaves behind.
      try setPragma("journal_mode", "OFF", in: copy)
      try transaction { try copyContent(to: copy) }
      try setPragma("writable_schema", false)
      try set(.defensive, true)
      try detach(copy)
    } catch {
      _ = try? setPragma("writable_schema", false)
      try? set(.defensive, true)
      try? detach(copy)
      throw error
    }
  }

  private func copyContent(to copy: String) throws {
    let own = "name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    try define("TABLE", "type = 'table' AND rootpage > 0 AND \(own)", in: copy)
    for row in try rows(
      "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND rootpage > 0 AND (\(own) OR name = 'sqlite_sequence')"
    ) {
      let table = SQL.identifier(row[0].ifText ?? "")
      if row[0].ifText == "sqlite_sequence" { try execute("DELETE FROM \(copy).\(table)") }
      try execute("INSERT INTO \(copy).\(table) SELECT * FROM main.\(table)")
    }
    for kind in ["INDEX", "UNIQUE INDEX"] {
      try define(kind, "type = 'index' AND sql LIKE 'CREATE \(kind) %'", in: copy)
    }
    try execute(
      """
      INSERT INTO \(copy).sqlite_schema SELECT type, name, tbl_name, 0, sql FROM main.sqlite_schema
      WHERE type IN ('view', 'trigger') OR (type = 'table' AND rootpage = 0)
      """)
    for name in ["user_version", "application_id"] {
      try setPragma(name, .integer(try pragma(name, in: "main").ifInteger ?? 0), in: copy)
    }
  }

  /// Runs definitions of the file, which SQLite keeps with `CREATE TABLE` and the like before the name, for the copy.
  private func define(_ kind: String, _ condition: String, in copy: String) throws {
    let start = "CREATE \(kind) "
    for row in try rows("SELECT sql FROM main.sqlite_schema WHERE \(condition) ORDER BY rowid") {
      guard let sql = row[0].ifText, sql.hasPrefix(start) else { continue }
      try execute("CREATE \(kind) \(copy).\(sql.dropFirst(start.count))")
    }
  }
}
