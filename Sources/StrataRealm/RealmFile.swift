/// A Realm file of any format from 2 to 24, open for reading: <https://github.com/realm/realm-core>.
///
/// Plain, compacted and encrypted files are read as they are. Nothing is written, neither the file nor anything beside it; a file that an
/// app has open should be copied first, because the app may write what is being read.
package final class RealmFile {
  /// The formats that are read.
  package static let formats = 2...24
  /// Bytes of an encryption key.
  package static let keySize = RealmCipher.keySize

  package let format: Int
  package let isEncrypted: Bool
  /// Whether Realm wrote it as a compacted copy, which no app has written to since.
  package let isCompacted: Bool
  /// Whether the file belonged to Realm's synchronization.
  package private(set) var isSynchronized = false
  /// The version that the app gave its schema; nil where it gave none.
  package private(set) var schemaVersion: UInt64?
  /// All tables, those that Realm keeps for itself included.
  package private(set) var tables: [RealmTable] = []
  let bytes: RealmBytes

  private static let headerSize = 24
  private static let mark: [UInt8] = Array("T-DB".utf8)
  /// What ends a compacted copy.
  private static let streamingMark: UInt64 = 0x3034_1252_37E5_26C8

  /// Whether the first bytes are those of a file that is not encrypted.
  package static func isRealm(_ start: [UInt8]) -> Bool {
    start.count >= headerSize && start[16..<20].elementsEqual(mark)
  }

  /// The format of an encrypted file whose first page a key opens, whatever is damaged behind it; nil for another file or another key.
  package static func format(ofEncrypted path: String, key: [UInt8]) -> Int? {
    guard let mapped = try? MappedFile(path: path), EncryptedPages.isPossible(size: mapped.count),
      let cipher = RealmCipher(key: key), let bytes = try? RealmBytes(mapped, cipher: cipher),
      let header = try? start(of: bytes), isRealm(header)
    else { return nil }
    return Int(header[20 + Int(header[23] & 1)])
  }

  /// The bytes that a file begins with, which are decrypted.
  private static func start(of bytes: RealmBytes) throws(RealmError) -> [UInt8] {
    try bytes.require(0, headerSize)
    return Array(UnsafeRawBufferPointer(start: bytes.start, count: headerSize))
  }

  /// - Parameter key: 64 bytes; nil for a file that is not encrypted.
  /// - Throws: `RealmError`.
  package convenience init(path: String, key: [UInt8]? = nil) throws(RealmError) {
    try self.init(try MappedFile(path: path), key: key)
  }

  /// Reads the bytes of a file that are in memory.
  package convenience init(contents: [UInt8], key: [UInt8]? = nil) throws(RealmError) {
    try self.init(MappedFile(copying: contents), key: key)
  }

  private init(_ mapped: MappedFile, key: [UInt8]?) throws(RealmError) {
    let start = Array(UnsafeRawBufferPointer(start: mapped.start, count: min(24, mapped.count)))
    if Self.isRealm(start) {
      bytes = RealmBytes(mapped)
    } else {
      guard EncryptedPages.isPossible(size: mapped.count) else {
        throw RealmError("it is no Realm file, which has 'T-DB' at byte 16")
      }
      guard let key else {
        throw RealmError(
          "it is no Realm file, or it is encrypted and its key is needed (--key-file)")
      }
      guard let cipher = RealmCipher(key: key) else {
        throw RealmError("the key has \(key.count) bytes where \(Self.keySize) are expected")
      }
      bytes = try RealmBytes(mapped, cipher: cipher)
      guard Self.isRealm(try Self.start(of: bytes)) else {
        throw RealmError("the first half of the key is not the one that it was encrypted with")
      }
    }
    isEncrypted = bytes.isEncrypted
    try bytes.require(0, Self.headerSize)
    let slot = Int(try bytes.integer(UInt8.self, at: 23) & 1)
    format = Int(try bytes.integer(UInt8.self, at: 20 + slot))
    var top = try bytes.integer(UInt64.self, at: 8 * slot)
    isCompacted = slot == 0 && top == UInt64.max
    if isCompacted {
      guard bytes.count >= Self.headerSize + 16,
        try bytes.integer(UInt64.self, at: bytes.count - 8) == Self.streamingMark
      else { throw RealmError("its end is missing", at: bytes.count) }
      top = try bytes.integer(UInt64.self, at: bytes.count - 16)
    }
    // A file that nothing was ever written to.
    if top == 0 { return }
    guard Self.formats.contains(format) else {
      throw RealmError(
        "is of format \(format); formats \(Self.formats.lowerBound) to \(Self.formats.upperBound) are read",
        at: 20 + slot)
    }
    try readTables(Int(clamping: top))
  }

  /// A new reading of all objects begins. What a file can make a reading do is bounded; this begins anew.
  package func beginReading() { bytes.beginReading() }

  // MARK: - Tables

  private func readTables(_ ref: Int) throws(RealmError) {
    let top = try Node(bytes, ref)
    isSynchronized = (try top.tagged(at: 7) ?? 0) >= 3
    let names = try StringLeaf(
      bytes, try top.child(0, "the names of tables"), isText: true, isNullable: false,
      isLegacy: format < 10)
    let refs = try Node(bytes, try top.child(1, "the list of tables"))
    let reader = TableReader(bytes, format: format)
    for index in 0..<refs.count {
      // From format 10 on a deleted table leaves its place.
      guard try refs.tagged(at: index) == nil, let ref = try refs.ref(at: index) else { continue }
      guard index < names.count, case .string(let name) = try names.text(at: index, in: bytes)
      else { throw RealmError("a table has no name", at: ref) }
      try reader.add(name: name, index: index, ref: ref)
    }
    tables = try reader.tables()
    schemaVersion = try readSchemaVersion()
    if format < 10 { try readPrimaryKeys() }
  }

  package func table(named name: String) -> RealmTable? { tables.first { $0.name == name } }

  private func readSchemaVersion() throws(RealmError) -> UInt64? {
    guard let table = table(named: "metadata"), table.count > 0,
      let column = table.columns.firstIndex(where: { $0.name == "version" })
    else { return nil }
    guard case .int(let version)? = try firstChunk(of: table)?.value(column, 0), version != -1
    else { return nil }
    return UInt64(bitPattern: version)
  }

  private func firstChunk(of table: RealmTable) throws(RealmError) -> RealmChunk? {
    switch table.storage {
    case .clusters(let tree):
      guard let cluster = tree.clusters.first else { return nil }
      return try RealmChunk(table, cluster)
    case .trees(let columns): return RealmChunk(table, columns, first: 0, count: table.count)
    }
  }

  /// Before format 10 a table of its own says which property is a class's key.
  private func readPrimaryKeys() throws(RealmError) {
    guard let table = table(named: "pk"), table.count > 0,
      let names = table.columns.firstIndex(where: { $0.name == "pk_table" }),
      let keys = table.columns.firstIndex(where: { $0.name == "pk_property" }),
      let chunk = try firstChunk(of: table)
    else { return }
    for row in 0..<table.count {
      guard case .string(let name) = try chunk.value(names, row) else { continue }
      // Realm for Java wrote the table's whole name.
      guard let owner = self.table(named: "class_" + name) ?? self.table(named: name) else {
        continue
      }
      switch try chunk.value(keys, row) {
      case .string(let key): owner.primaryKey = owner.columns.firstIndex { $0.name == key }
      case .int(let place): owner.primaryKey = owner.columns.firstIndex { $0.place == Int(place) }
      default: break
      }
    }
  }
}
