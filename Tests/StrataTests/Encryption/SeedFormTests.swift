import Foundation
import Strata
import StrataCipher
import StrataTestModels
import Testing

/// Seeds of each form for stores of each form. The bytes that pages leave free at their ends say which one a file has.
@Suite struct SeedFormTests {
  enum Form: CaseIterable {
    case plain, checksums, aesGCM, sqlCipher

    func configuration(_ path: String) -> Store.Configuration {
      var configuration = Store.Configuration(path: path, schema: TestingSchema.self)
      configuration.checksums = self == .checksums
      if self == .aesGCM || self == .sqlCipher {
        configuration.cipher = self == .aesGCM ? .aesGCM : .sqlCipher
        configuration.encryptionKey = Data(0..<32)
      }
      return configuration
    }
  }

  let folder: TemporaryFolder

  init() throws {
    PageCiphers.install()
    folder = try TemporaryFolder()
  }

  private func fill(_ form: Form) throws -> Store {
    let store = try Store(configuration: form.configuration(folder.file("seed.db")))
    try store.write { for age in 0..<400 { try store.add(Dog(name: "Dog \(age)", age: age)) } }
    return store
  }

  private func bytesFree(_ name: String) throws -> UInt8 {
    try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))[20]
  }

  /// Begins a store of a form with a seed.
  private func begin(_ form: Form, with seed: String) throws {
    var configuration = form.configuration(folder.file("begun.db"))
    configuration.seedFileURL = URL(fileURLWithPath: folder.file(seed))

    let store = try Store(configuration: configuration)

    try store.write { try store.add(Dog(name: "Max", age: 400)) }
    #expect(store.objects(Dog.self).map(\.age) == Array(0...400))
    store.close()
  }

  @Test(arguments: [Form.plain, .checksums], Form.allCases)
  func plainOnesWithChecksumsAndWithout(seed: Form, store: Form) throws {
    try fill(seed).close()
    #expect(try bytesFree("seed.db") == (seed == .checksums ? 8 : 0))

    try begin(store, with: "seed.db")

    if store == .plain { #expect(try bytesFree("begun.db") == (seed == .checksums ? 8 : 0)) }
    if store == .checksums { #expect(try bytesFree("begun.db") == 8) }
  }

  /// Their pages still leave as many bytes free as the cipher took.
  @Test(arguments: [Form.aesGCM, .sqlCipher], Form.allCases)
  func decryptedOnes(seed: Form, store: Form) throws {
    let encrypted = try fill(seed)
    try encrypted.writePlainCopy(to: folder.file("decrypted.db"))
    encrypted.close()
    #expect(try bytesFree("decrypted.db") >= 32)

    try begin(store, with: "decrypted.db")

    if store == .checksums { #expect(try bytesFree("begun.db") == 8) }
  }

  /// A store in memory has no file, but what it writes into one has the key that it was given.
  @Test(arguments: [Form.aesGCM, .sqlCipher])
  func copiesOfAStoreInMemoryHaveTheKeyOfItsConfiguration(form: Form) throws {
    var configuration = form.configuration(folder.file("none.db"))
    configuration.fileURL = nil
    configuration.inMemoryIdentifier = "a store with a key, \(form)"
    let store = try Store(configuration: configuration)
    try store.write { for age in 0..<400 { try store.add(Dog(name: "Dog \(age)", age: age)) } }
    let copy = folder.file("copy.db")

    try store.writeCopy(to: copy)
    try store.writePlainCopy(to: folder.file("plain.db"))

    let content = try Data(contentsOf: URL(fileURLWithPath: copy))
    #expect(content.range(of: Data("SQLite format".utf8)) == nil)
    #expect(content.range(of: Data("Dog 7".utf8)) == nil)
    #expect(throws: StoreError.keyMissing(path: copy)) {
      try Store(path: copy, schema: TestingSchema.self)
    }
    let copied = try Store(configuration: form.configuration(copy))
    #expect(copied.objects(Dog.self).map(\.age) == Array(0..<400))
    copied.close()
    let plain = try Store(path: folder.file("plain.db"), schema: TestingSchema.self)
    #expect(plain.objects(Dog.self).count == 400)
    plain.close()
    store.close()
  }
}
