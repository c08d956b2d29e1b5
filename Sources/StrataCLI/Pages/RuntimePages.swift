import Strata
package import StrataSource

/// What there is to say about what stops a store or an upgrade: errors that a program meets while it runs.
package enum RuntimePages {
  /// Sorted by code.
  package static let all = (store + objects + files + upgrades)
    .sorted { $0.kind.code < $1.kind.code }

  /// A page whose sentence is the error's own, so that the two are always the same.
  static func page(
    _ error: StoreError, _ name: String, _ summary: String, _ explanation: String,
    failing: String, repaired: String
  ) -> DiagnosticPage {
    DiagnosticPage(
      DiagnosticKind(error.code, name, summary), explanation,
      failing: [ExampleFile("example.swift", failing)],
      repaired: repaired.isEmpty ? [] : [ExampleFile("example.swift", repaired)],
      said: "\(error) [\(error.code)]\n")
  }

  /// Swift that opens an encrypted file.
  static func opening(withKey key: String) -> String {
    """
    var configuration = Store.Configuration(path: "people.db", schema: PeopleSchema.self)
    configuration.encryptionKey = \(key)
    let store = try Store(configuration: configuration)
    """
  }

  /// A page about an upgrade that did not happen. `{code}` in what was said stands for the code.
  static func page(
    _ kind: MigrationError.Kind, _ name: String, _ summary: String, _ explanation: String,
    failing: String, said: String, repaired: String = ""
  ) -> DiagnosticPage {
    let code = MigrationError(kind, said).code
    return DiagnosticPage(
      DiagnosticKind(code, name, summary), explanation,
      failing: [ExampleFile("example.sh", failing)],
      repaired: repaired.isEmpty ? [] : [ExampleFile("example.sh", repaired)],
      said: "error: \(said) [\(code)]\n")
  }
}
