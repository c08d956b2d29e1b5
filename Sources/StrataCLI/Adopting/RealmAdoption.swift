import Strata
import StrataAdopt
import StrataExpression
import StrataFiles
import StrataRealm
import StrataSQLite
import StrataSchema

/// One run of `strata adopt realm`: a file's schema and objects.
struct RealmAdoption: DataAdoption {
  let path: String
  let source: RealmSource

  init(path: String, keyFile: String?, name: String?) throws {
    try self.init(path: path, key: try keyFile.map(Self.key), name: name)
  }

  /// - Parameter key: 64 bytes; nil for a file that is not encrypted.
  init(path: String, key: [UInt8]?, name: String?) throws {
    self.path = path
    source = try RealmSource(path: path, key: key, name: name)
  }

  /// The 64 bytes of a file's key: as they are, or as 128 hexadecimal digits.
  static func key(inFile path: String) throws -> [UInt8] {
    let files = POSIXFiles()
    let bytes: [UInt8]
    if case .other? = try? files.status(of: path)?.kind {
      bytes = try KeyFile.contentOfPipe(path)
    } else {
      bytes = try start(ofKeyFile: path)
    }
    if bytes.count == RealmFile.keySize { return bytes }
    let digits = bytes.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard digits.count == 2 * RealmFile.keySize, let key = Hex.decode(digits) else {
      throw CommandFailure(
        "the key file \(path) holds \(bytes.count) bytes. A Realm key is \(RealmFile.keySize) bytes, or \(2 * RealmFile.keySize) hexadecimal digits; \(KeyOptions.variable) names that of the database."
      )
    }
    return key
  }

  private static func start(ofKeyFile path: String) throws -> [UInt8] {
    do {
      // More is no key, whatever it is.
      return try POSIXFiles().read(path, from: 0, count: 4 * RealmFile.keySize)
    } catch {
      throw CommandFailure("the key file \(path) cannot be read: \(error.reason)")
    }
  }

  var history: AdoptedHistory { source.history }

  var version: Int { source.history.versions[0].schema.version }

  func mayBe(version number: Int) -> Bool { source.file.schemaVersion == nil }

  func bring(into folder: String?, of project: AdoptedProject) throws -> AdoptedData {
    do {
      return try bring(into: folder, of: project, isChecked: true)
    } catch let error as RealmError {
      throw CommandFailure("\(path) is damaged: \(error). Nothing was written.")
    }
  }

  /// - Parameters:
  ///   - isChecked: whether the file is read a second time, to compare.
  ///   - keepsLeftOut: whether the values that the database cannot hold are written beside it, in the clear, and not only counted.
  /// - Throws: `RealmError` of a damaged file.
  func bring(
    into folder: String?, of project: AdoptedProject, isChecked: Bool, keepsLeftOut: Bool = true
  ) throws -> AdoptedData {
    let bar = ProgressBar(label: path, isVisible: Terminal.isErrorTerminal)
    defer { bar.finish() }
    let permissions = try permissions(ofSource: path, isEncrypted: source.file.isEncrypted)
    let leftOut = LeftOutFile(
      path: (keepsLeftOut ? folder : nil).map { $0 + "/" + AdoptedData.leftOutName },
      permissions: permissions)
    let objects = Double(max(1, source.objects))
    let transfer = RealmTransfer(source) { line in
      try leftOut.add(line)
    } progress: { [path] model, done in
      try Interruption.check("Reading \(path)")
      bar.update(share: Double(done) / objects, model)
    }
    let name = AdoptedData.databaseName(project.history.name)
    if let folder {
      do {
        try project.newDatabase(
          at: "\(folder)/\(name)", version: project.number(of: self), permissions: permissions
        ).create { database in
          database.stopsWhenInterrupted()
          return try transfer.run(into: database)
        }
      } catch let error as MigrationError where error.kind == .inputOutput {
        // SQLite refuses equal keys, and knows nothing of the file that they come from.
        try requireDifferentKeys()
        throw error
      }
    } else {
      _ = try transfer.run(into: nil)
      try requireDifferentKeys()
    }
    try leftOut.close()
    let check = try (isChecked ? folder : nil).map { folder in
      bar.update(share: 1, "checking")
      return try project.compare(
        "\(folder)/\(name)", version: project.number(of: self),
        with: try RealmProof(source) { try Interruption.check("Reading \(path)") }.sum(),
        of: path)
    }
    var data = AdoptedData(
      database: folder == nil ? nil : name, transfer: transfer.report, check: check)
    data.isSourceEncrypted = source.file.isEncrypted
    return data
  }

  /// - Throws: `CommandFailure` that names two objects with one primary key.
  private func requireDifferentKeys() throws {
    let equal = try RealmEqualKeys.first(in: source) { try Interruption.check("Reading \(path)") }
    guard let equal else { return }
    throw CommandFailure(
      "\(path): \(equal.problem). A database has one object with a key: change or delete one of the two in the Realm file, and adopt it again. Nothing was written."
    )
  }
}
