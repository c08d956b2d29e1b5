import CSQLite

extension SQLiteError {
  /// What an answer of SQLite means for the person who has the file, and what helps.
  package struct Meaning: Hashable, Sendable {
    /// A clause that can stand behind the path and a colon.
    package let what: String
    /// A sentence.
    package let help: String
    /// Whether the file is not what it was when its tables were looked at.
    package var isDamage = false
  }

  /// What to do with a file that is damaged.
  package static let helpForDamage =
    "Restore it from a backup, or save what is readable with `strata salvage`."

  /// The meaning with SQLite's own words behind it.
  package var sentence: String {
    let meaning = meaning
    return "\(meaning.what) (SQLite \(code): \(message)). \(meaning.help)"
  }

  package var meaning: Meaning {
    if primaryCode == .error, let meaning = meaningOfStatement { return meaning }
    if let pageProblem { return Self.meaning(of: pageProblem) }
    if isOfDamagedPage {
      return Meaning(
        what: "a page of the file is not what was written", help: Self.helpForDamage,
        isDamage: true)
    }
    if let constraint { return Self.meaning(of: constraint, code) }
    if isOfReplacedFile {
      return Meaning(
        what: "another file has been put into the place of this one", help: "Open it again.")
    }
    return Self.meanings[primaryCode.rawValue] ?? Self.unknown
  }

  private static func meaning(of problem: PageProblem) -> Meaning {
    switch problem {
    case .wrongKey:
      Meaning(
        what: "the key does not open the file", help: "Give it the key that it was written with.")
    case .notEncrypted:
      Meaning(
        what: "a key was given, and the file is not encrypted",
        help: "Open it without, or encrypt it with `strata rekey`.")
    case .otherCipher:
      Meaning(
        what: "the file is encrypted with another cipher than was asked for",
        help: "Name the file's own, or change it with `strata rekey`.")
    case .unknownScheme:
      Meaning(
        what: "a newer program encrypted the file in a way that this one does not know",
        help: "Use that program.")
    case .damaged, .unreadable:
      Meaning(
        what: "a page of the file is not what was written", help: helpForDamage,
        isDamage: true)
    }
  }

  private static let unknown = Meaning(
    what: "SQLite refused a statement of Strata's",
    help: "Please report this with the schema and the call.")

  // By SQLite's result codes, <https://www.sqlite.org/rescode.html>.
  private static let meanings: [Int32: Meaning] = [
    SQLITE_ERROR: unknown,
    SQLITE_INTERNAL: Meaning(
      what: "SQLite found a fault in itself", help: "Please report this with the file."),
    SQLITE_PERM: Meaning(
      what: "this user may not use the file", help: "Change its permissions or those of its folder."
    ),
    SQLITE_ABORT: Meaning(
      what: "the statement was ended because its transaction was rolled back",
      help: "Nothing of the transaction was stored; run it again."),
    SQLITE_BUSY: Meaning(
      what: "another process is writing the file", help: "Try again when it has finished."),
    SQLITE_LOCKED: Meaning(
      what: "another connection of this process is using the table",
      help: "Try again when it has finished."),
    SQLITE_NOMEM: Meaning(
      what: "there is no memory left", help: "Nothing was stored; do it in smaller parts."),
    SQLITE_READONLY: Meaning(
      what: "the file cannot be written", help: "Change its permissions or those of its folder."),
    SQLITE_INTERRUPT: Meaning(
      what: "the statement was interrupted", help: "Nothing was stored; run it again."),
    SQLITE_IOERR: Meaning(
      what: "the disk could not be read or written",
      help: "Nothing was stored; look after the disk, and try again."),
    SQLITE_CORRUPT: Meaning(
      what: "the file is damaged", help: helpForDamage, isDamage: true),
    SQLITE_NOTFOUND: Meaning(
      what: "the file system cannot do what SQLite asks of it",
      help: "Put the file on another file system."),
    SQLITE_FULL: Meaning(
      what: "the disk is full", help: "Nothing was stored; make room, and try again."),
    SQLITE_CANTOPEN: Meaning(
      what: "the file, or the log beside it, cannot be opened",
      help:
        "Look whether its folder is there and may be written by this user, and whether this process may open more files (ulimit -n)."
    ),
    SQLITE_PROTOCOL: Meaning(
      what: "other processes kept the file's locks for too long",
      help: "Try again when they have finished."),
    SQLITE_EMPTY: Meaning(
      what: "the file has no content", help: helpForDamage, isDamage: true),
    SQLITE_SCHEMA: Meaning(
      what: "another connection changed the tables meanwhile", help: "Try again."),
    SQLITE_TOOBIG: Meaning(
      what: "a value or a condition is larger than SQLite takes",
      help:
        "A value has less than 1,000,000,000 bytes; store parts of it, or give a condition fewer values."
    ),
    SQLITE_MISMATCH: Meaning(
      what: "a value is not of its column's type",
      help: "The file holds what its schema does not allow; restore it from a backup.",
      isDamage: true),
    SQLITE_MISUSE: Meaning(
      what: "SQLite was called in a wrong way",
      help: "A store and its objects belong to one thread or task; else please report this."),
    SQLITE_NOLFS: Meaning(
      what: "the file system cannot hold a file of this size",
      help: "Put the file on another file system."),
    SQLITE_AUTH: Meaning(
      what: "the program does not allow the statement", help: "Please report this with the call."),
    SQLITE_FORMAT: Meaning(
      what: "a part of the file has a format that is not known",
      help: helpForDamage, isDamage: true),
    SQLITE_RANGE: Meaning(
      what: "a statement has more values than places for them",
      help: "Please report this with the schema and the call."),
    SQLITE_NOTADB: Meaning(
      what: "the file is no database, or it is encrypted",
      help: "Look whether the path is right; without its key an encrypted file cannot be read."),
  ]

  private static func meaning(of constraint: Constraint, _ code: Int32) -> Meaning {
    let undone = "The transaction was undone."
    switch constraint {
    case .notNull: return Meaning(what: "a required property has no value", help: undone)
    case .unique, .primaryKey:
      return Meaning(
        what: "there is an object or element with the same values already", help: undone)
    case .foreignKey: return Meaning(what: "a link would lead to no object", help: undone)
    case .other: break
    }
    switch code >> 8 {
    case 1:
      return Meaning(what: "a CHECK of the file refuses the value", help: undone, isDamage: true)
    case 7:
      return Meaning(what: "a trigger of the file refuses the change", help: undone, isDamage: true)
    case 12:
      return Meaning(what: "a value is not of its column's type", help: undone, isDamage: true)
    default: return Meaning(what: "a constraint of the file refuses the value", help: undone)
    }
  }

  /// What a message of the general code says; SQLite has no other way to tell.
  private var meaningOfStatement: Meaning? {
    func says(_ words: String...) -> Bool { words.contains { message.contains($0) } }
    if says(
      "no such table", "no such column", "no such index", "has no column named", "no such module",
      "unsafe use of", "may not be modified", "vtable constructor failed", "no such trigger",
      "cannot modify", "views may not be", "error in trigger", "error in view", "error in index")
    {
      return Meaning(
        what: "its tables are not those that its schema describes",
        help: "Something other than Strata has changed the file; restore it from a backup.",
        isDamage: true)
    }
    if says("integer overflow") {
      return Meaning(
        what: "a sum or another result does not fit into 64 bits",
        help: "Ask for fewer objects, or for an average.")
    }
    if says(
      "too many SQL variables", "Expression tree is too large", "parser stack overflow",
      "too many terms", "too many columns", "too many FROM clause", "at most 64 tables",
      "too many arguments", "pattern too complex", "too many attached", "stack overflow")
    {
      return Meaning(
        what: "a condition is larger than SQLite takes in one statement",
        help: "Give it fewer values or links, or ask in parts.")
    }
    if isOfTooLongChain {
      return Meaning(
        what: "objects that go with one another stand in a longer chain than SQLite follows",
        help: "Delete the objects at its end first.")
    }
    if says("text encoding") {
      return Meaning(
        what: "its texts are not UTF-8", help: "Another program has written the file anew.",
        isDamage: true)
    }
    return nil
  }
}
