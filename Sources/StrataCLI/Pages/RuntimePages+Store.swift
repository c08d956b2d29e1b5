import Strata
import StrataSource

extension RuntimePages {
  static let store: [DiagnosticPage] = [
    page(
      .fileAccess(path: "people.db", reason: "Permission denied"), "store-file-access",
      "The file of a store cannot be opened, read or written.",
      "The system's own reason stands behind the path: a folder that is missing, a right that this user does not have, a path that names a folder. Nothing was changed.",
      failing:
        #"let store = try Store(path: "/somewhere/else/people.db", schema: PeopleSchema.self)"#,
      repaired:
        "let store = try Store(path: FileManager.default.temporaryDirectory.path + \"/people.db\", schema: PeopleSchema.self)"
    ),
    page(
      .notADatabase(path: "people.db"), "store-not-a-database",
      "The file that should be a store is no SQLite database.",
      "It is something else under the name of a store, or it is encrypted and no key was given. The file is left as it is; give the store another path, or the key.",
      failing: """
        try "Dear diary".write(toFile: "people.db", atomically: true, encoding: .utf8)
        let store = try Store(path: "people.db", schema: PeopleSchema.self)
        """, repaired: #"let store = try Store(path: "store.db", schema: PeopleSchema.self)"#),
    page(
      .notAStore(path: "other.db"), "store-of-another-program",
      "The file is a SQLite database that Strata did not write.",
      "A store says in its `_strata` table which schema it was written with. Without that its tables belong to another program, and nothing is written among them. Give the store a path of its own; objects come in with `strata import`, as JSON lines.",
      failing: #"let store = try Store(path: "other.db", schema: PeopleSchema.self)"#,
      repaired: #"let store = try Store(path: "people.db", schema: PeopleSchema.self)"#),
    page(
      .corrupt(path: "people.db", reason: "database disk image is malformed"), "store-damaged",
      "The file of a store is damaged.",
      "A disk that failed, a copy that was made while the file was being written without its `-wal`, or a program that wrote into it: the sentence names the table and what is wrong in it (docs/layout.md says what a file has to be). `readOnly` still opens one in which only a write would go wrong. Put a backup in its place; `strata salvage people.db --output new.db` saves what is still readable.",
      failing: #"let store = try Store(path: "people.db", schema: PeopleSchema.self)"#, repaired: ""
    ),
    page(
      .fileIsNewer(path: "people.db", version: 9, newest: 5), "store-newer-than-app",
      "A newer version of the app wrote the file.",
      "An older app cannot read it, and leaves it as it is. The newer one's `strata downgrade` takes the file back to an older version, with the file from before the upgrade (docs/downgrade.md). A store that was open while another store or process upgraded its file says so at its next transaction, and writes nothing. Ask the user to update the app; `Store.open` answers `.newerThanApp` for a launch screen of one's own.",
      failing: #"let store = try Store(path: "people.db", schema: PeopleSchema.self)"#, repaired: ""
    ),
    page(
      .needsMigration(
        path: "people.db", from: 0, to: 5,
        reason: "the store was not given the migrations for it"), "store-needs-migration",
      "An older file was opened without the migrations that upgrade it.",
      "Give the store the migrations, or a migration block, or upgrade the file with the command before. Where the version is the same but the declarations are not, the sentence lists the changes: raise the version. A read-only store cannot upgrade.",
      failing: #"let store = try Store(path: "people.db", schema: PeopleSchema.self)"#,
      repaired: """
        let store = try Store(
          path: "people.db", schema: PeopleSchema.self, migrations: PeopleMigrations.self)
        """),
    page(
      .busy(path: "people.db"), "store-busy",
      "Another connection or process is writing, and did not finish in time.",
      "There is one writer at a time. Keep write transactions short, and try again; a program that stands still in a transaction holds all others up.",
      failing: "try store.write { try store.add(Person(fullName: \"Ada\", age: 36)) }",
      repaired: ""),
    page(
      .diskFull(path: "people.db"), "store-disk-full", "There is no room left to write.",
      "The transaction was undone; the file is as it was before it. Free some space and write again.",
      failing: "try store.write { try store.add(Person(fullName: \"Ada\", age: 36)) }",
      repaired: ""),
    page(
      .readOnly(path: "people.db"), "store-read-only",
      "A store that was opened read-only was written to.",
      "`readOnly` is for files that are not to change: seeds inside an app, files on a volume without write permission.",
      failing: """
        var configuration = Store.Configuration(path: "people.db", schema: PeopleSchema.self)
        configuration.readOnly = true
        let store = try Store(configuration: configuration)
        try store.write {}
        """,
      repaired: """
        let store = try Store(configuration: .init(path: "people.db", schema: PeopleSchema.self))
        try store.write {}
        """),
    page(
      .sqlite(
        code: 1,
        message:
          "people.db: a sum or another result does not fit into 64 bits (SQLite 1: integer overflow). Ask for fewer objects, or for an average."
      ), "store-sqlite",
      "SQLite refused something that has no code of its own here.",
      "The sentence says what it means and what helps; SQLite's extended result code and words stand in the parentheses. A transaction was undone.",
      failing: #"let total = try store.objects(Person.self).sum(of: \.age)"#,
      repaired: #"let mean = try store.objects(Person.self).average(of: \.age)"#),
    page(
      .closed, "store-closed", "The store was used after it was closed.",
      "`close()` gives the file back. Open another store for more work.",
      failing: "store.close()\ntry store.write {}",
      repaired: "try store.write {}\nstore.close()"),
    page(
      .encryptionUnavailable(path: "people.db"), "store-encryption-unavailable",
      "The configuration has a key, and the program was built without encryption.",
      "The file was not opened: it would have been written in the clear. The package's trait `Encryption` brings the ciphers; apps without it need no library of ciphers. In Package.swift: `.package(url: …, from: …, traits: [\"Encryption\"])`.",
      failing:
        opening(withKey: "key"),
      repaired:
        "let store = try Store(configuration: .init(path: \"people.db\", schema: PeopleSchema.self))"
    ),
    page(
      .keyMissing(path: "people.db"), "store-key-missing",
      "The file is encrypted, and the configuration has no key.",
      "Give the key or passphrase that the file was encrypted with. A file whose bytes have no order at all counts as encrypted: SQLCipher's files have no mark.",
      failing: #"let store = try Store(path: "people.db", schema: PeopleSchema.self)"#,
      repaired: opening(withKey: "key")),
    page(
      .wrongKey(path: "people.db"), "store-wrong-key",
      "The key or passphrase is not the one that the file was encrypted with.",
      "The file was not changed. Without its key a file cannot be read by anyone; there is no second way in. `strata rekey` gives a file another key.",
      failing: opening(withKey: "otherKey"),
      repaired: opening(withKey: "key")),
    page(
      .notEncrypted(path: "people.db"), "store-not-encrypted",
      "The configuration has a key, and the file is not encrypted.",
      "Nothing was read or written, so that a file which ought to be encrypted and is not does not go unnoticed. `strata rekey` encrypts a file; `writeCopy(to:encryptionKey:)` writes an encrypted copy of an open one.",
      failing: opening(withKey: "key"),
      repaired: """
        let plain = try Store(path: "people.db", schema: PeopleSchema.self)
        try plain.writeCopy(to: "encrypted.db", encryptionKey: key)
        """),
    page(
      .otherCipher(path: "people.db"), "store-other-cipher",
      "The file is encrypted with another cipher than the configuration's.",
      "`Store.Configuration.cipher` is AES-256-GCM unless it is set; a file in SQLCipher 4's form is opened with `.sqlCipher`. `strata rekey --cipher` brings a file from one to the other.",
      failing: """
        var configuration = Store.Configuration(path: "people.db", schema: PeopleSchema.self)
        configuration.passphrase = passphrase
        let store = try Store(configuration: configuration)
        """,
      repaired: """
        var configuration = Store.Configuration(path: "people.db", schema: PeopleSchema.self)
        configuration.passphrase = passphrase
        configuration.cipher = .sqlCipher
        let store = try Store(configuration: configuration)
        """),
    page(
      .invalidKey(path: "people.db", reason: "a key has 32 or 64 bytes, not 16"),
      "store-key-invalid", "What was given as a key cannot be one.",
      "A key has 32 random bytes, or the 64 of the classic form; a text of people's choice is a passphrase, which has a property of its own. One of the two is given, not both.",
      failing: """
        var configuration = Store.Configuration(path: "people.db", schema: PeopleSchema.self)
        configuration.encryptionKey = Data("open sesame".utf8)
        """,
      repaired: """
        var configuration = Store.Configuration(path: "people.db", schema: PeopleSchema.self)
        configuration.passphrase = "open sesame"
        """),
    page(
      .fileIsOpen(path: "people.db"), "store-file-open",
      "The file of a store cannot be deleted while a store has it open.",
      "Perhaps another process has. What it read and wrote from then on would be lost with the file.",
      failing: "try Store.deleteFiles(for: configuration)",
      repaired: "store.close()\ntry Store.deleteFiles(for: configuration)"),
    page(
      .tooManyActiveVersions(
        path: "people.db", maximum: 2,
        holders: ["a store frozen at App/List.swift:12 (version 7)"]),
      "store-too-many-versions",
      "Readers of the process hold more versions of the data than the configuration allows.",
      "A frozen object holds the version that it shows, and an open store the one on which it stands; the file grows as long as they do. The message names where each was frozen or opened.",
      failing: """
        configuration.maximumActiveVersions = 2
        kept.append(person.freeze())
        """,
      repaired: """
        kept.removeAll()
        try store.write { person.age += 1 }
        """),
    page(
      .twoFormsOfMigration, "store-two-forms-of-migration",
      "The configuration has migrations and a migration block.",
      "Both lead to the same version, and which of them a file would take could depend on the file. Steps from version to version are what `strata verify` proves; a block that comes from Realm can stay alone until a version is frozen.",
      failing: """
        let store = try Store(
          configuration: .init(
            schema: PeopleSchema.self, migrations: PeopleMigrations.self,
            migrationBlock: { migration, oldSchemaVersion in }))
        """,
      repaired: """
        let store = try Store(
          configuration: .init(
            schema: PeopleSchema.self, migrationBlock: { migration, oldSchemaVersion in }))
        """),
    page(
      .noSchema, "store-without-schema", "Nothing says which schema a store is to have.",
      "A new file takes its tables from the schema in the configuration.",
      failing: "let store = try Store(configuration: .init(path: \"people.db\"))",
      repaired:
        "let store = try Store(configuration: .init(path: \"people.db\", schema: PeopleSchema.self))"
    ),
    page(
      .unknownModel(name: "Person"), "store-unknown-model",
      "A class belongs to another schema than the store.",
      "Every store has the models of one schema. Open a second store for the other one.",
      failing: """
        let store = try Store(path: "shop.db", schema: ShopSchema.self)
        try store.write { try store.add(Person(fullName: "Ada", age: 36)) }
        """,
      repaired: """
        let store = try Store(path: "people.db", schema: PeopleSchema.self)
        try store.write { try store.add(Person(fullName: "Ada", age: 36)) }
        """),
    page(
      .unknownProperty(model: "Person", property: "surname"), "store-unknown-property",
      "A name is no property of the model.",
      "Names of properties as text are compared with the schema when they are used. The declaration says which there are.",
      failing: #"try store.objects(Person.self).sorted(by: "surname")"#,
      repaired: #"try store.objects(Person.self).sorted(by: "fullName")"#),
    page(
      .invalidQuery(text: "age >", problem: "a value is missing behind '>'"), "store-invalid-query",
      "A condition cannot be understood, or does not fit the schema.",
      "The sentence says the place and what was expected. docs/expressions.md has the whole language of conditions.",
      failing: #"try store.objects(Person.self).filter("age >")"#,
      repaired: #"try store.objects(Person.self).filter("age > 30")"#),
    page(
      .invalidJSON(problem: "a value is missing"), "store-invalid-json", "A text is no JSON.",
      "The sentence says what was expected. Nothing was made of the part before it.",
      failing: #"try store.write { try store.create(Person.self, json: "{\"fullName\":}") }"#,
      repaired:
        #"try store.write { try store.create(Person.self, json: "{\"fullName\":\"Ada\"}") }"#),
    page(
      .alreadyInWriteTransaction, "store-nested-write",
      "A write transaction was begun, a copy written, or a store invalidated inside of a write transaction.",
      "Transactions are not nested: the outer one would not know what became of the inner one. `writeCopy(to:)` writes a version of the data and `invalidate()` lets go of one, and what a running transaction has written is no version yet. Ask `isInWriteTransaction` where a function may be called in both states.",
      failing: "try store.write { try store.beginWrite() }",
      repaired: "try store.beginWrite()\ntry store.commitWrite()"),
    page(
      .notInWriteTransaction, "store-not-writing",
      "Something was changed outside of a write transaction.",
      "Every change belongs to a transaction, so that it happens as a whole or not at all.",
      failing: "try store.add(Person(fullName: \"Ada\", age: 36))",
      repaired: "try store.write { try store.add(Person(fullName: \"Ada\", age: 36)) }"),
    page(
      .frozen, "store-frozen", "A frozen store was to be written to.",
      "A frozen store shows one version of the data for ever. `thaw()` gives the live store, object or collection.",
      failing: "try person.freeze().store?.write { }",
      repaired: "try store.write { frozenPerson.thaw()?.age += 1 }"),
    page(
      .cannotObserve(
        what: "A result",
        reason: "its store is in a write transaction: observe before or after it"),
      "store-cannot-observe", "Something was to be observed that cannot be, or not now.",
      "Inside of a write transaction there is no version yet that an observer could begin with; a read-only or frozen store never changes; an object that belongs to no store has no observers.",
      failing: "try store.write { token = try people.observe { show($0) } }",
      repaired: "token = try people.observe { show($0) }"),
    page(
      .tokenOfAnotherStore, "store-foreign-token",
      "A transaction was to leave out an observer of another store.",
      "A store tells its own observers of a commit, and can leave them out. Those of another store, also of the same file, hear of it when that store moves on.",
      failing: """
        let token = try second.objects(Person.self).observe { _ in }
        try store.write(withoutNotifying: [token]) { person.age += 1 }
        """,
      repaired: """
        let token = try store.objects(Person.self).observe { _ in }
        try store.write(withoutNotifying: [token]) { person.age += 1 }
        """),
    page(
      .otherStoreWrites(path: "people.db", store: "App.swift:12"), "store-waits-for-itself",
      "A second store of a file was to write while another one of the same thread is in a write transaction.",
      "One connection writes to a file at a time, and others wait for it. On one thread that waiting would never end. `Store()` gives the same store to all of an actor or a thread.",
      failing: """
        try store.beginWrite()
        try second.write { }
        """,
      repaired: """
        try store.write { }
        try second.write { }
        """),
    page(
      .changedThroughOtherStore(model: "Person", property: "age"), "store-other-store-writes",
      "An object of one store was changed in the write transaction of another store of the same file.",
      "An object is written through the connection of its store. Nothing of the transaction is stored.",
      failing: """
        let ada = store.objects(Person.self)[0]
        try second.write { ada.age += 1 }
        """,
      repaired: """
        let ada = store.objects(Person.self)[0]
        try store.write { ada.age += 1 }
        """),
  ]
}
