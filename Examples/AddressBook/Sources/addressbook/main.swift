import Foundation
import Migrations
import Models
import Strata

// An address book on the command line:
//
//   addressbook add "Ada Lovelace" home=555-0100 +mathematicians
//   addressbook list
//   addressbook find ada
//   addressbook group mathematicians
//   addressbook remove "Ada Lovelace"
//
// The file is contacts.db in the current folder, or what ADDRESSBOOK names. One that an older version wrote is brought
// up to date when it is opened.

do {
  let path = ProcessInfo.processInfo.environment["ADDRESSBOOK"] ?? "contacts.db"
  let store = try Store(
    configuration: Store.Configuration(
      path: path, schema: ContactsSchema.self, migrations: ContactsMigrations.self))
  let arguments = Array(CommandLine.arguments.dropFirst())
  guard let command = Command(arguments) else {
    print(
      "usage: addressbook add NAME [LABEL=NUMBER…] [+GROUP…] | list | find TEXT | group NAME | remove NAME"
    )
    exit(64)
  }
  try command.run(in: store)
} catch {
  print("error: \(error)")
  exit(1)
}
