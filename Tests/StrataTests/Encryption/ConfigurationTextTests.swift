import Foundation
import Strata
import Testing

/// What a program prints of a configuration goes to logs, which are in the clear.
@Suite struct ConfigurationTextTests {
  private var configuration: Store.Configuration {
    var configuration = Store.Configuration(path: "/data/people.db")
    configuration.readOnly = true
    configuration.passphrase = "open sesame"
    configuration.encryptionKey = Data(repeating: 213, count: 32)
    return configuration
  }

  @Test("a configuration is its file, and whether there is a key")
  func description() {
    #expect("\(configuration)" == "Store.Configuration(/data/people.db, encrypted, read-only)")
    #expect("\(Store.Configuration(path: "a.db"))".hasSuffix("/a.db)"))
    #expect(
      "\(Store.Configuration(inMemoryIdentifier: "test"))"
        == "Store.Configuration(in memory: test)")
  }

  @Test("nothing that prints it, or looks into it, has the key or the passphrase")
  func secrets() {
    var dumped = ""
    dump([configuration], to: &dumped)
    for text in ["\(configuration)", String(reflecting: [configuration]), dumped] {
      #expect(!text.contains("sesame") && !text.contains("213"), "\(text)")
    }
    #expect(dumped.contains("busyTimeout") && dumped.contains("isEncrypted: true"))
  }
}
