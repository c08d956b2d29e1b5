import Foundation
import Secrets

// Keeps texts in an encrypted file; the passphrase comes from VAULT_PASSPHRASE, because every user of a machine sees arguments:
//
//   vault FILE keep NAME TEXT
//   vault FILE list

let arguments = Array(CommandLine.arguments.dropFirst())
guard let passphrase = ProcessInfo.processInfo.environment["VAULT_PASSPHRASE"],
  arguments.count == 2 && arguments[1] == "list" || arguments.count == 4 && arguments[1] == "keep"
else {
  print("usage: VAULT_PASSPHRASE=… vault FILE keep NAME TEXT | list")
  exit(64)
}
do {
  let vault = try Vault(path: arguments[0], passphrase: passphrase)
  if arguments[1] == "keep" { try vault.keep(arguments[3], as: arguments[2]) }
  for secret in vault.secrets { print("\(secret.name): \(secret.text)") }
} catch {
  print("error: \(error)")
  exit(1)
}
