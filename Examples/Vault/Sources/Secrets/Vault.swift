public import Strata

/// Texts in an encrypted file.
public final class Vault {
  private let store: Store

  /// Opens a vault, or makes one.
  /// - Throws: `StoreError`; `.wrongKey` for another passphrase
  public init(path: String, passphrase: String) throws {
    var configuration = Store.Configuration(path: path, schema: SecretsSchema.self)
    configuration.passphrase = passphrase
    store = try Store(configuration: configuration)
  }

  public var secrets: Results<Secret> { store.objects(Secret.self).sorted(by: \.name) }

  public func keep(_ text: String, as name: String) throws {
    try store.write { try store.add(Secret(name: name, text: text), update: .modified) }
  }
}
