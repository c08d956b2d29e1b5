import StrataSQLite

/// What went wrong with a store. Every case says what happened and what to do instead; `code` names it for ever.
public enum StoreError: Error, Hashable, Sendable {
  // Files
  /// The file cannot be opened, read or written; the system's reason.
  case fileAccess(path: String, reason: String)
  /// The file is no SQLite database.
  case notADatabase(path: String)
  /// The file is a SQLite database of another program.
  case notAStore(path: String)
  /// The file's own description is damaged, or its content is.
  case corrupt(path: String, reason: String)
  /// A newer version of the app wrote the file.
  case fileIsNewer(path: String, version: Int, newest: Int)
  /// The file has to be upgraded, and the store was not given the migrations for it, or may not write.
  case needsMigration(path: String, from: Int, to: Int, reason: String)
  /// The upgrade of an older file was stopped; the file is as it was.
  case migrationFailed(MigrationError)
  /// Another connection is writing, and did not finish in time.
  case busy(path: String)
  /// There is no room left.
  case diskFull(path: String)
  /// The store was opened with `readOnly`.
  case readOnly(path: String)
  /// Anything else that SQLite refused: its extended result code, and a sentence that says what it means and where.
  case sqlite(code: Int, message: String)
  /// The store was closed.
  case closed
  /// There is a key, and this program was built without the package's trait `Encryption`.
  case encryptionUnavailable(path: String)
  /// The file is encrypted, and the configuration has no key.
  case keyMissing(path: String)
  /// The key or passphrase is not the one that the file was encrypted with.
  case wrongKey(path: String)
  /// The configuration has a key, and the file is not encrypted.
  case notEncrypted(path: String)
  /// The file is encrypted with another cipher than the configuration names.
  case otherCipher(path: String)
  /// What was given as a key cannot be one.
  case invalidKey(path: String, reason: String)
  /// The file cannot be deleted, because a store has it open, perhaps in another process.
  case fileIsOpen(path: String)
  /// Readers of this process hold more versions of the data than the configuration allows.
  case tooManyActiveVersions(path: String, maximum: Int, holders: [String])

  /// The configuration has `migrations` and a `migrationBlock`: which of them would upgrade a file?
  case twoFormsOfMigration

  // Schemas
  /// Neither the configuration nor the file says which schema.
  case noSchema
  /// The class belongs to another schema than the store.
  case unknownModel(name: String)
  case unknownProperty(model: String, property: String)
  /// A condition or key path cannot be understood, does not fit the schema, or cannot be computed. The text is empty where none
  /// says what was asked, as for `sum()`; the problem says it then.
  case invalidQuery(text: String, problem: String)

  /// A text is no JSON.
  case invalidJSON(problem: String)

  // Transactions
  case alreadyInWriteTransaction
  case notInWriteTransaction
  /// The store was frozen.
  case frozen
  /// Something cannot be observed as it is, or not now.
  case cannotObserve(what: String, reason: String)
  /// A token of `withoutNotifying` is that of an observer of another store.
  case tokenOfAnotherStore
  /// Another store of the same file is in a write transaction of the same thread or task, which would wait for itself.
  case otherStoreWrites(path: String, store: String)
  /// An object of one store was changed while another store of the same file is in the write transaction.
  case changedThroughOtherStore(model: String, property: String)

  // Objects
  /// A frozen object, or one of another store, was added, linked to, deleted or named in a condition. `thaw()`, `thaw(in:)` and its key
  /// lead to the store's own; `detached()` of it is added as a new object.
  case belongsToAnotherStore(model: String)
  /// The object belongs to no store.
  case notManaged(model: String)
  /// The object was deleted.
  case invalidated(model: String)
  case duplicatePrimaryKey(model: String, key: String)
  case notUnique(model: String, properties: [String])
  /// A required property, or a required link, has no value at the commit.
  case missingRequired(model: String, property: String)
  /// An object breaks a rule of its model at the commit; nothing of the transaction was stored.
  case ruleBroken(BrokenRule)
  /// `deny`: something still links to a deleted object.
  case deleteDenied(model: String, property: String)
  /// A value is not of the property's type.
  case wrongType(model: String, property: String, expected: String, found: String)
  /// The model has no primary key, and the call needs one.
  case noPrimaryKey(model: String)
  /// An embedded object lives in its owner only.
  case embeddedWithoutOwner(model: String)
}

extension StoreError {
  /// The code of the catalogue, `STR5…`.
  public var code: String {
    switch self {
    case .fileAccess: "STR5001"
    case .notADatabase: "STR5002"
    case .notAStore: "STR5003"
    case .corrupt: "STR5004"
    case .fileIsNewer: "STR5005"
    case .needsMigration: "STR5006"
    case .migrationFailed(let error): error.code
    case .busy: "STR5007"
    case .diskFull: "STR5008"
    case .readOnly: "STR5009"
    case .sqlite: "STR5010"
    case .closed: "STR5011"
    case .encryptionUnavailable: "STR5012"
    case .keyMissing: "STR5060"
    case .wrongKey: "STR5061"
    case .notEncrypted: "STR5062"
    case .otherCipher: "STR5063"
    case .invalidKey: "STR5064"
    case .fileIsOpen: "STR5013"
    case .tooManyActiveVersions: "STR5014"
    case .twoFormsOfMigration: "STR5015"
    case .noSchema: "STR5020"
    case .unknownModel: "STR5021"
    case .unknownProperty: "STR5022"
    case .invalidQuery: "STR5023"
    case .invalidJSON: "STR5024"
    case .alreadyInWriteTransaction: "STR5030"
    case .notInWriteTransaction: "STR5031"
    case .frozen: "STR5032"
    case .cannotObserve: "STR5033"
    case .tokenOfAnotherStore: "STR5034"
    case .otherStoreWrites: "STR5035"
    case .changedThroughOtherStore: "STR5036"
    case .belongsToAnotherStore: "STR5040"
    case .notManaged: "STR5049"
    case .invalidated: "STR5041"
    case .duplicatePrimaryKey: "STR5042"
    case .notUnique: "STR5043"
    case .missingRequired: "STR5044"
    case .deleteDenied: "STR5045"
    case .wrongType: "STR5046"
    case .noPrimaryKey: "STR5047"
    case .embeddedWithoutOwner: "STR5048"
    case .ruleBroken: "STR5050"
    }
  }
}

extension StoreError {
  /// Of a text that was written, which may be empty.
  static func wrongQuery(_ text: String, _ problem: String) -> StoreError {
    .invalidQuery(
      text: text, problem: text.isEmpty ? "The query '' is wrong: \(problem)" : problem)
  }
}

extension StoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .fileAccess(let path, let reason): "\(path): \(reason)"
    case .notADatabase(let path): "\(path) is not a database."
    case .notAStore(let path):
      "\(path) is a SQLite database, but Strata did not write it: it has no description of a schema."
    case .corrupt(let path, let reason): "\(path) is damaged: \(reason)."
    case .fileIsNewer(let path, let version, let newest):
      "\(path) has version \(version), newer than version \(newest), the newest that this app knows: "
        + "a newer version of the app wrote it."
    case .needsMigration(let path, let from, let to, let reason):
      from == to
        ? "\(path) has version \(from), but not as it is declared here: \(reason)."
        : "\(path) has version \(from) and needs an upgrade to \(to): \(reason)."
    case .migrationFailed(let error): error.description
    case .busy(":memory:"):
      "Another store in memory of the same identifier is in a transaction and did not finish in time."
    case .busy(let path): "Another process is writing \(path) and did not finish in time."
    case .diskFull(let path): "There is no room left to write \(path)."
    case .readOnly(let path): "\(path) was opened read-only."
    case .sqlite(_, let message): message
    case .closed: "The store was closed."
    case .encryptionUnavailable(let path):
      "\(path) was not opened: this program was built without encryption. Add traits: [\"Encryption\"] to the "
        + "dependency on Strata in Package.swift, or leave the key out."
    case .keyMissing(let path):
      "\(path) is encrypted, and no key was given: give the configuration its encryptionKey or passphrase."
    case .wrongKey(let path):
      "\(path) was not opened: the key or passphrase is not the one that it was encrypted with."
    case .notEncrypted(let path):
      "\(path) was not opened: a key was given, and the file is not encrypted. Encrypt it with `strata rekey`, or "
        + "leave the key out."
    case .otherCipher(let path):
      "\(path) was not opened: it is encrypted with another cipher than the configuration's. Name the file's own, or "
        + "change it with `strata rekey`."
    case .invalidKey(let path, let reason): "\(path) was not opened: \(reason)."
    case .fileIsOpen(let path):
      "\(path) cannot be deleted while a store has it open: close it first."
    case .tooManyActiveVersions(let path, let maximum, let holders):
      "\(path) has readers on more than \(maximum) versions: \(holders.joined(separator: ", ")). "
        + "Let go of frozen objects that are not needed, and call refresh() or invalidate() on stores."
    case .twoFormsOfMigration:
      "The configuration has migrations and a migrationBlock, two ways to the same version: leave one of "
        + "them out."
    case .noSchema:
      "Which schema? Give the configuration one, as in Store.Configuration(schema: PeopleSchema.self)."
    case .unknownModel(let name): "The store's schema has no model \(name)."
    case .unknownProperty(let model, let property): "\(model) has no property \(property)."
    case .invalidQuery("", let problem): "\(problem)."
    case .invalidQuery(let text, let problem): "The query '\(text)' is wrong: \(problem)."
    case .invalidJSON(let problem): "The text is no JSON: \(problem)."
    case .alreadyInWriteTransaction:
      "The store is in a write transaction already: transactions are not nested, and invalidate() and writeCopy(to:) work "
        + "outside of one only. Call it before or after."
    case .notInWriteTransaction:
      "The store is not in a write transaction: say store.write { … } around the change."
    case .frozen: "The store is frozen and cannot be written to: write to thaw() of it."
    case .cannotObserve(let what, let reason): "\(what) cannot be observed: \(reason)."
    case .tokenOfAnotherStore:
      "A token given as withoutNotifying is of another store's observer: give tokens of observers of the store "
        + "that writes."
    case .otherStoreWrites(let path, let store):
      "Another store of \(path) is in a write transaction on this thread (opened at \(store)), so that this one would wait for "
        + "itself: commit that transaction first, or write in that store."
    case .changedThroughOtherStore(let model, let property):
      "\(model)\(property.isEmpty ? "" : ".\(property)") was changed in the write transaction of another store of the same file, to "
        + "which the object does not belong: find the object in the store that writes, or write in the object's store."
    case .belongsToAnotherStore(let model):
      "The \(model) is not this store's own: it is frozen, or belongs to another store. Take this store's with thaw(), "
        + "thaw(in:) or its key; its detached() copy is added as a new object."
    case .notManaged(let model): "The \(model) belongs to no store: add it first."
    case .invalidated(let model): "The \(model) was deleted."
    case .duplicatePrimaryKey(let model, let key):
      "There is a \(model) with the primary key \(key) already: say update: .modified to change it."
    case .notUnique(let model, let properties):
      "There is a \(model) with the same \(properties.joined(separator: ", ")) already."
    case .missingRequired(let model, let property):
      "\(model).\(property) is required and has no value."
    case .deleteDenied(let model, let property):
      "An object cannot be deleted because \(model).\(property) links to it, and its delete rule is deny."
    case .ruleBroken(let broken): "\(broken). Nothing of the transaction was stored."
    case .wrongType(let model, let property, let expected, let found):
      "\(model)\(property.isEmpty ? "" : ".\(property)") is \(expected), found \(found)."
    case .noPrimaryKey(let model): "\(model) has no primary key."
    case .embeddedWithoutOwner(let model):
      "\(model) is embedded: set it in a property of its owner instead of adding it."
    }
  }
}
