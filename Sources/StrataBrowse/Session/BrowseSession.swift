package import Strata
import StrataExpression
import StrataSchema

/// A file that is shown in a browser: its content, the edits that are not saved yet, and what an upgrade would make of it.
package final class BrowseSession {
  /// What the command knows of the file and its history.
  package struct Options {
    /// What the page calls the file.
    package var name = ""
    /// Why nothing can be changed; nil where it can.
    package var readOnlyReason: String?
    /// The plan of the file's upgrade, as text; nil where it needs none.
    package var plan: (() throws -> String)?
    /// Upgrades a copy in a folder of this user, and gives its path.
    package var upgradedCopy: (() throws -> String)?

    package init() {}
  }

  /// Edits of one transaction at most.
  static let maximumEdits = 10_000

  let old: BrowsedContent
  private(set) var new: BrowsedContent?
  let options: Options
  private(set) var edits: [Edit] = []
  /// The identities of the objects that `edits` created, in their order.
  var created: [Int64] = []

  package init(_ store: Store, options: Options) {
    old = BrowsedContent(store)
    self.options = options
  }

  deinit { old.store.cancelWrite() }

  var isEditable: Bool { options.readOnlyReason == nil }

  /// The content of a side: the file's, or that of its upgraded copy.
  func content(_ side: String?) throws -> BrowsedContent {
    guard side == "new" else { return old }
    if let new { return new }
    guard let make = options.upgradedCopy else {
      throw BrowseError("The file needs no upgrade.")
    }
    var configuration = Store.Configuration(path: try make())
    configuration.readOnly = true
    let content = BrowsedContent(try Store(configuration: configuration))
    new = content
    return content
  }

  // MARK: - State

  func state(_ content: BrowsedContent) throws -> JSON {
    let models = try content.schema.storedModels.map { model in
      JSON.object([
        "name": .string(model.name), "embedded": .bool(model.isEmbedded),
        "doc": model.doc.map(JSON.string) ?? .null,
        "count": .int(Int64(try content.count(of: model.name))),
        "key": .array(model.primaryKey.map(JSON.string)),
      ])
    }
    return .object([
      "file": .string(options.name), "schema": .string(content.schema.name),
      "version": .int(Int64(content.schema.version)), "models": .array(models),
      "change": .int(Int64(content.change)), "edits": .int(Int64(edits.count)),
      "readOnly": options.readOnlyReason.map(JSON.string) ?? .null,
      "upgradable": .bool(options.plan != nil),
    ])
  }

  // MARK: - Editing

  /// Does an edit inside of the transaction, which begins with the first one.
  func perform(_ edit: Edit) throws -> Int64? {
    guard isEditable else { throw BrowseError(options.readOnlyReason ?? "") }
    guard edits.count < Self.maximumEdits else {
      throw BrowseError("There are \(edits.count) edits that are not saved: save them first.")
    }
    let store = old.store
    let begins = !store.isInWriteTransaction
    if begins { try store.beginWrite() }
    let edit = edit.naming { identity in
      created.firstIndex(of: identity).map { .created($0) } ?? .row(identity)
    }
    defer { old.changed() }
    do {
      let identity = try edit.perform(on: old, created: created)
      if let identity { created.append(identity) }
      edits.append(edit)
      return identity
    } catch {
      // A setter that failed half way leaves nothing behind.
      if begins {
        store.cancelWrite()
      } else {
        try replay()
      }
      throw error
    }
  }

  /// Takes the last edit back.
  func undo() throws {
    guard !edits.isEmpty else { throw BrowseError("There is nothing to take back.") }
    edits.removeLast()
    try replay()
    old.changed()
  }

  func revert() {
    old.store.cancelWrite()
    edits = []
    created = []
    old.changed()
  }

  /// Stores all edits. What is refused only now, as a required link that was left empty, leaves them as they were.
  func save() throws {
    guard !edits.isEmpty else { return }
    do {
      try old.store.commitWrite()
    } catch {
      try replay()
      throw error
    }
    edits = []
    created = []
    old.changed()
  }

  /// Begins anew and does all edits again: the store has no other way back to a point of a transaction.
  private func replay() throws {
    old.store.cancelWrite()
    created = []
    guard !edits.isEmpty else { return }
    do {
      try old.store.beginWrite()
      for edit in edits {
        if let identity = try edit.perform(on: old, created: created) { created.append(identity) }
      }
    } catch {
      // Another process came in between.
      revert()
      throw BrowseError("The changes that were not saved had to be discarded: \(error)")
    }
  }
}
