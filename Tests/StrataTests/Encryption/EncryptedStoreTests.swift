import Foundation
import StrataCipher
import StrataSQLite
import StrataSchema
import StrataTestModels
import Testing

@testable import Strata

/// What a store of an encrypted file does, with each cipher and kind of key.
@Suite struct EncryptedStoreTests {
  /// A cipher with one kind of key.
  struct Lock: Sendable, CustomTestStringConvertible {
    var cipher: Store.Cipher
    var bytes: Int?

    var testDescription: String { "\(cipher), \(bytes.map { "\($0) bytes" } ?? "passphrase")" }

    func configure(_ configuration: inout Store.Configuration, wrong: Bool = false) {
      configuration.cipher = cipher
      if let bytes {
        configuration.encryptionKey = Data(
          (0..<bytes).map { UInt8(truncatingIfNeeded: $0 * 7 + (wrong ? 1 : 3)) })
      } else {
        configuration.passphrase = wrong ? "correct horse" : "correct horse battery staple"
      }
    }
  }

  static let locks = Store.Cipher.allCases.flatMap { cipher in
    [32, 64, nil].map { Lock(cipher: cipher, bytes: $0) }
  }
  /// Whose keys cost nothing to derive.
  static let keyLocks = Store.Cipher.allCases.map { Lock(cipher: $0, bytes: 32) }
  private static let isLong = ProcessInfo.processInfo.environment["STRATA_LONG_TESTS"] != nil
  static let secret = "a secret that must stand nowhere in the clear"

  let folder: TemporaryFolder
  let path: String

  init() throws {
    PageCiphers.install()
    folder = try TemporaryFolder()
    path = folder.file("a.db")
  }

  private func configuration(_ lock: Lock?, wrong: Bool = false, path: String? = nil)
    -> Store.Configuration
  {
    var configuration = Store.Configuration(path: path ?? self.path, schema: TestingSchema.self)
    lock?.configure(&configuration, wrong: wrong)
    return configuration
  }

  private func fill(_ lock: Lock?, path: String? = nil, dogs: Int = 40) throws {
    let store = try Store(configuration: configuration(lock, path: path))
    try store.write {
      for age in 0..<dogs { try store.add(Dog(name: "\(Self.secret) \(age)", age: age)) }
    }
    store.close()
  }

  private func ages(_ lock: Lock?, path: String? = nil) throws -> [Int] {
    let store = try Store(configuration: configuration(lock, path: path))
    defer { store.close() }
    let ages = try store.objects(Dog.self).sorted(by: "age").map { $0.age }
    // What a read could not throw, the next call does.
    try store.refresh()
    return ages
  }

  private func bytes(_ name: String) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(fileURLWithPath: name)))
  }

  /// The error of an opening, as `StoreError`.
  private func error(_ lock: Lock?, wrong: Bool = false) -> StoreError? {
    do {
      let store = try Store(configuration: configuration(lock, wrong: wrong))
      _ = store.objects(Dog.self).map { $0.name }
      try store.refresh()
      store.close()
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: locks)
  func whatIsWrittenIsReadAgain(lock: Lock) throws {
    try fill(lock)
    #expect(try ages(lock) == Array(0..<40))
    #expect(error(lock, wrong: true) == .wrongKey(path: path))
    #expect(error(nil) == .keyMissing(path: path))
    #expect(try ages(lock) == Array(0..<40))
  }

  @Test(arguments: keyLocks)
  func nothingStandsInTheClear(lock: Lock) throws {
    let store = try Store(configuration: configuration(lock))
    try store.write {
      for age in 0..<2_000 { try store.add(Dog(name: "\(Self.secret) \(age)", age: age)) }
    }
    try store.writeCopy(to: folder.file("copy.db"))
    // While it is open, the log is there.
    for name in ["a.db", "a.db-wal", "copy.db"] {
      let content = try bytes(folder.file(name))
      #expect(content.count > 512, "\(name)")
      // Long enough that no cipher gives them by chance.
      for text in ["a secret", "SQLite format", "CREATE TABLE"] {
        #expect(content.firstRange(of: Array(text.utf8)) == nil, "\(text) in \(name)")
      }
    }
    #expect(store.objects(Dog.self).count == 2_000)
    #expect(try ages(lock, path: folder.file("copy.db")).count == 2_000)
  }

  @Test func aKeyForAPlainFileIsAnError() throws {
    try fill(nil)
    #expect(error(Self.keyLocks[0]) == .notEncrypted(path: path))
    #expect(error(Self.keyLocks[1]) == .notEncrypted(path: path))
    #expect(try ages(nil).count == 40)
  }

  @Test func theOtherCipherIsAnError() throws {
    try fill(Self.keyLocks[0])
    #expect(error(Self.keyLocks[1]) == .otherCipher(path: path))
    let other = folder.file("b.db")
    try fill(Self.keyLocks[1], path: other)
    let configuration = configuration(Self.keyLocks[0], path: other)
    #expect(throws: StoreError.otherCipher(path: other)) {
      try Store(configuration: configuration)
    }
  }

  @Test func whatIsNoKeyIsRefused() throws {
    var configuration = configuration(nil)
    configuration.encryptionKey = Data(count: 16)
    #expect(
      throws: StoreError.invalidKey(path: path, reason: "a key has 32 or 64 bytes, not 16")
    ) { try Store(configuration: configuration) }
    configuration.encryptionKey = Data(count: 32)
    configuration.passphrase = "both"
    #expect(
      throws: StoreError.invalidKey(
        path: path, reason: "there is a key and a passphrase: leave one of them out")
    ) { try Store(configuration: configuration) }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  /// Every byte of the file that SQLite reads is covered: one flipped bit anywhere is an error, or stands where nothing is read. Two bits of each page are
  /// tried, and with STRATA_LONG_TESTS=1 eight.
  @Test(arguments: keyLocks)
  func aFlippedBitIsAnErrorAndNeverOtherData(lock: Lock) throws {
    try fill(lock)
    let whole = try bytes(path)
    var errors = 0
    for place in stride(from: 16, to: whole.count, by: Self.isLong ? 509 : 2039) {
      var damaged = whole
      damaged[place] ^= 1 << UInt8(place % 8)
      try Data(damaged).write(to: URL(fileURLWithPath: path))
      if let error = error(lock) {
        errors += 1
        switch error {
        case .corrupt, .wrongKey, .migrationFailed, .otherCipher: break
        default: Issue.record("byte \(place): \(error)")
        }
      } else {
        #expect(try ages(lock) == Array(0..<40), "byte \(place)")
      }
    }
    #expect(errors > 0)
  }

  @Test(arguments: keyLocks)
  func swappedPagesAndHalfAPageAreErrors(lock: Lock) throws {
    try fill(lock, dogs: 400)
    let whole = try bytes(path)
    let size = 4096
    let count = whole.count / size
    var found = 0
    for page in 1..<count - 1 {
      var swapped = whole
      swapped.replaceSubrange(
        page * size..<(page + 1) * size, with: whole[(page + 1) * size..<(page + 2) * size])
      swapped.replaceSubrange(
        (page + 1) * size..<(page + 2) * size, with: whole[page * size..<(page + 1) * size])
      try Data(swapped).write(to: URL(fileURLWithPath: path))
      if error(lock) != nil { found += 1 } else { #expect(try ages(lock) == Array(0..<400)) }
    }
    #expect(found > 0)
    for length in [whole.count - 100, whole.count - size, size + 1, 700] {
      try Data(whole[..<length]).write(to: URL(fileURLWithPath: path))
      #expect(error(lock) != nil, "\(length) bytes")
    }
    // Zeros in the place of a page are no page.
    for page in 1..<count {
      var holed = whole
      holed.replaceSubrange(
        page * size..<(page + 1) * size, with: [UInt8](repeating: 0, count: size))
      try Data(holed).write(to: URL(fileURLWithPath: path))
      if error(lock) == nil { #expect(try ages(lock) == Array(0..<400), "page \(page)") }
    }
  }

  /// What a process that was killed has left: the file and its log, without the log's index.
  private func killed(_ lock: Lock) throws -> String {
    let left = folder.file("left.db")
    let store = try Store(configuration: configuration(lock))
    for turn in 0..<4 {
      try store.write {
        for age in 0..<50 { try store.add(Dog(name: Self.secret, age: turn * 50 + age)) }
      }
    }
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: left + suffix)
    }
    store.close()
    return left
  }

  @Test(arguments: keyLocks)
  func theLogOfAKilledProcessIsRead(lock: Lock) throws {
    let left = try killed(lock)

    #expect(try ages(lock, path: left) == Array(0..<200))
  }

  /// SQLite would copy the log's pages into the file, where no key opens them any more, and remove the log.
  @Test(arguments: keyLocks)
  func anOpeningWithoutTheKeyLeavesTheLogOfAKilledProcess(lock: Lock) throws {
    let left = try killed(lock)
    let before = try (bytes(left), bytes(left + "-wal"))

    for _ in 0..<2 {
      #expect(throws: StoreError.keyMissing(path: left)) {
        try Store(configuration: configuration(nil, path: left))
      }
      #expect(throws: SQLiteError.self) {
        let database = try Database(path: left, mode: .readWrite)
        defer { database.close() }
        _ = try database.rows("SELECT * FROM sqlite_schema")
      }
    }

    #expect(try bytes(left) == before.0)
    #expect(try bytes(left + "-wal") == before.1)
    #expect(try ages(lock, path: left) == Array(0..<200))
  }

  /// SQLite would copy the journal's pages into the file before it looks at the file itself.
  @Test func anOpeningWithoutTheKeyLeavesTheJournalOfAKilledProcess() throws {
    let lock = Lock(cipher: .aesGCM, bytes: 32)
    try fill(lock)
    let left = folder.file("left.db")
    do {
      var given = configuration(lock)
      given.cipher = .aesGCM
      let vfs = try given.pageVFS()
      let database = try Database(path: path, mode: .readWrite, vfs: vfs)
      defer { database.close() }
      try database.setPragma("journal_mode", "DELETE")
      try database.setPragma("cache_size", 1)
      try database.begin(.immediate)
      try database.execute("UPDATE Dog SET name = name || 'x', age = age + 1")
      for suffix in ["", "-journal"] {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: left + suffix)
      }
      try database.rollback()
    }
    let before = try (bytes(left), bytes(left + "-journal"))

    #expect(throws: StoreError.keyMissing(path: left)) {
      try Store(configuration: configuration(nil, path: left))
    }

    #expect(try bytes(left) == before.0)
    #expect(try bytes(left + "-journal") == before.1)
    #expect(try ages(lock, path: left) == Array(0..<40))
  }

  /// As the shell and viewers do: with AES-256-GCM SQLite knows no such log, and in SQLCipher's form its pages may stand in the file.
  @Test(arguments: keyLocks)
  func anotherProgramLosesNothingOfTheLogOfAKilledProcess(lock: Lock) throws {
    let left = try killed(lock)

    for _ in 0..<2 {
      let shell = Process()
      shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      shell.arguments = ["sqlite3", "-batch", left, "SELECT * FROM sqlite_schema"]
      shell.standardError = FileHandle.nullDevice
      try shell.run()
      shell.waitUntilExit()
      #expect(shell.terminationStatus != 0)
    }

    #expect(try ages(lock, path: left) == Array(0..<200))
  }

  /// A flipped bit in the log ends it there: an earlier commit, never half of one.
  @Test(arguments: keyLocks)
  func aDamagedLogShowsAnEarlierCommit(lock: Lock) throws {
    let (kept, left) = (folder.file("kept.db"), folder.file("left.db"))
    do {
      let store = try Store(configuration: configuration(lock))
      for turn in 0..<4 {
        try store.write {
          for age in 0..<50 { try store.add(Dog(name: Self.secret, age: turn * 50 + age)) }
        }
      }
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: kept + suffix)
      }
    }
    let log = try bytes(kept + "-wal")
    var earlier = 0
    for place in stride(from: 3 * log.count / 4, to: log.count, by: Self.isLong ? 997 : 3989) {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: left + suffix)
      }
      try FileManager.default.copyItem(atPath: kept, toPath: left)
      var damaged = log
      damaged[place] ^= 4
      try Data(damaged).write(to: URL(fileURLWithPath: left + "-wal"))
      let found = try ages(lock, path: left)
      #expect(found.count % 50 == 0 && found == Array(0..<found.count), "byte \(place)")
      if found.count < 200 { earlier += 1 }
    }
    #expect(earlier > 0)
  }

  @Test(arguments: keyLocks)
  func twoStoresShareAFile(lock: Lock) throws {
    let one = try Store(configuration: configuration(lock))
    let two = try Store(configuration: configuration(lock))
    try one.write { try one.add(Dog(name: "Rex", age: 1)) }
    try two.refresh()
    try two.write { try two.add(Dog(name: "Ada", age: 2)) }
    try one.refresh()
    #expect(try one.objects(Dog.self).sorted(by: "age").map { $0.name } == ["Rex", "Ada"])
  }

  @Test(arguments: keyLocks)
  func aFileIsCompacted(lock: Lock) throws {
    try fill(lock, dogs: 20_000)
    var configuration = configuration(lock)
    do {
      let store = try Store(configuration: configuration)
      try store.write { try store.delete(Dog.self, where: "age > 9") }
    }
    let before = try bytes(path).count
    configuration.shouldCompactOnLaunch = { _, _ in true }
    let store = try Store(configuration: configuration)
    #expect(store.objects(Dog.self).count == 10)
    store.close()
    #expect(try bytes(path).count < before / 2)
  }

  @Test(arguments: keyLocks)
  func copiesHaveTheKeyThatTheyAreGiven(lock: Lock) throws {
    try fill(lock)
    let store = try Store(configuration: configuration(lock))
    let other = Data(repeating: 9, count: 64)
    try store.writeCopy(to: folder.file("key.db"), encryptionKey: other)
    try store.writeCopy(to: folder.file("words.db"), passphrase: "open sesame")
    try store.writePlainCopy(to: folder.file("plain.db"))

    #expect(try ages(nil, path: folder.file("plain.db")).count == 40)
    var configuration = configuration(nil, path: folder.file("key.db"))
    configuration.encryptionKey = other
    configuration.cipher = lock.cipher
    #expect(try Store(configuration: configuration).objects(Dog.self).count == 40)
    configuration = self.configuration(nil, path: folder.file("words.db"))
    configuration.passphrase = "open sesame"
    configuration.cipher = lock.cipher
    #expect(try Store(configuration: configuration).objects(Dog.self).count == 40)
  }

  @Test(arguments: keyLocks)
  func plainAndEncryptedSeedsBecomeEncryptedFiles(lock: Lock) throws {
    for (name, seedLock) in [("plain", nil), ("encrypted", lock)] {
      let seed = folder.file("seed-\(name).db")
      try fill(seedLock, path: seed)
      let place = folder.file("\(name).db")
      var configuration = configuration(lock, path: place)
      configuration.seedFileURL = URL(fileURLWithPath: seed)
      let store = try Store(configuration: configuration)
      #expect(store.objects(Dog.self).count == 40)
      store.close()
      #expect(try bytes(place).firstRange(of: Array("a secret".utf8)) == nil)
    }
  }

  @Test func anErrorOfASeedNamesTheSeed() throws {
    let seed = folder.file("seed.db")
    let lock = Self.keyLocks[0]
    try fill(lock, path: seed)
    func error(_ lock: Lock?, wrong: Bool = false) throws -> StoreError? {
      var configuration = configuration(lock, wrong: wrong)
      configuration.seedFileURL = URL(fileURLWithPath: seed)
      return #expect(throws: StoreError.self) { try Store(configuration: configuration) }
    }
    #expect(try error(lock, wrong: true) == .wrongKey(path: seed))
    #expect(try error(nil) == .keyMissing(path: seed))
    #expect(try error(Self.keyLocks[1]) == .otherCipher(path: seed))

    var damaged = try bytes(seed)
    damaged[damaged.count - 100] ^= 1
    try Data(damaged).write(to: URL(fileURLWithPath: seed))
    let error = try #require(try error(lock))

    #expect(error.description.contains(seed) && !error.description.contains(path), "\(error)")
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func aCopyOfAPlainStoreCanBeEncrypted() throws {
    try fill(nil)
    let store = try Store(configuration: configuration(nil))
    let copy = folder.file("copy.db")
    try store.writeCopy(to: copy, encryptionKey: Data(repeating: 9, count: 32))
    #expect(try bytes(copy).firstRange(of: Array("a secret".utf8)) == nil)
    var configuration = configuration(nil, path: copy)
    configuration.encryptionKey = Data(repeating: 9, count: 32)
    #expect(try Store(configuration: configuration).objects(Dog.self).count == 40)
    #expect(try Store.schemaVersion(of: configuration) == TestingSchema.definition.schema.version)
  }

  /// To delete a file takes no key.
  @Test(arguments: keyLocks)
  func anOpenFileIsNotDeletedWithoutItsKey(lock: Lock) throws {
    try fill(lock)
    let store = try Store(configuration: configuration(lock))
    for other in [configuration(nil), configuration(lock, wrong: true)] {
      #expect(throws: StoreError.fileIsOpen(path: path)) { try Store.deleteFiles(for: other) }
    }
    try store.write { try store.add(Dog(name: "Rex", age: 3)) }
    store.close()

    #expect(try Store.deleteFiles(for: configuration(nil)))
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
