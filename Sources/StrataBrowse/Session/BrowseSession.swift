package import Strata
import StrataExpression
import StrataSQLite
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

  /// What the file holds.
  let shown: any PageContent
  /// The same where objects can be edited; nil for a file that Strata did not write.
  private let edited: BrowsedContent?
  private var new: BrowsedContent?
  let options: Options
  private(set) var edits: [Edit] = []
  /// The identities of the objects that `edits` created, in their order.
  var created: [Int64] = []
  /// The identity of the first object that the transaction makes: edits that are done again make the same ones.
  private var firstIdentity: Int64 = 0
  /// What objects that `edits` created were called by before another process took these identities: a page may still show them so.
  private var staleIdentities: Set<Int64> = []
  /// Exports of `edits` that are being sent.
  private var exportsOfEdits = 0

  package init(_ store: Store, options: Options) {
    let content = BrowsedContent(store)
    shown = content
    edited = content
    self.options = options
  }

  /// A file that Strata did not write.
  package init(_ tables: TablesContent, options: Options) {
    shown = tables
    edited = nil
    self.options = options
  }

  deinit { edited?.store.cancelWrite() }

  var isEditable: Bool { options.readOnlyReason == nil }

  /// The content of a side: the file's, or that of its upgraded copy.
  func content(_ side: String?) throws -> any PageContent {
    guard side == "new" else { return shown }
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

  /// After an answer: until the next question, however long that takes, the file's log can be reset.
  func rest() {
    shown.rest()
    new?.rest()
  }

  // MARK: - Exports

  /// Whether what is not saved is being sent: it must stay as it is until that is whole.
  var isExportingEdits: Bool { exportsOfEdits > 0 }

  /// The pieces of a selection, all of one state.
  func export(
    _ query: RowQuery, as format: ExportFormat, of content: any PageContent
  ) throws -> () throws -> [UInt8]? {
    let next = try content.export(query, as: format)
    guard content === edited, !edits.isEmpty else { return next }
    let hold = Hold(self)
    return { try hold.checked(next()) }
  }

  /// Keeps edits waiting for as long as it is there.
  private final class Hold {
    private let session: BrowseSession
    private let change: Int

    init(_ session: BrowseSession) {
      self.session = session
      change = session.shown.change
      session.exportsOfEdits += 1
    }

    deinit { session.exportsOfEdits -= 1 }

    /// - Throws: Where SQLite has ended the transaction by itself: the piece may be of another state than those before.
    func checked(_ piece: [UInt8]?) throws -> [UInt8]? {
      guard session.shown.change == change, session.edited?.store.hasLostTransaction == false else {
        throw BrowseError("What is not saved has changed while it was exported.")
      }
      return piece
    }
  }

  // MARK: - State

  /// - Parameter isCounted: whether all objects are counted, however long that takes.
  func state(_ content: any PageContent, isCounted: Bool = false) throws -> JSON {
    .object([
      "file": .string(options.name),
      "schema": content.description.map { .string($0.schema) } ?? .null,
      "version": content.description.map { .int(Int64($0.version)) } ?? .null,
      "models": .array(try content.models(within: isCounted ? nil : RowCounts.patience)),
      "conditions": .bool(content.takesConditions),
      "change": .int(Int64(content.change)), "edits": .int(Int64(edits.count)),
      "readOnly": options.readOnlyReason.map { reason in
        .string([reason, content.note].compactMap(\.self).joined(separator: " "))
      } ?? .null,
      "upgradable": .bool(options.plan != nil),
    ])
  }

  // MARK: - Editing

  /// Does an edit inside of the transaction, which begins with the first one.
  func perform(_ edit: Edit) throws -> Int64? {
    guard isEditable, let old = edited else {
      throw BrowseError(options.readOnlyReason ?? "Nothing can be changed here.")
    }
    guard edits.count < Self.maximumEdits else {
      throw BrowseError("There are \(edits.count) edits that are not saved: save them first.")
    }
    let store = old.store
    let begins = !store.isInWriteTransaction
    if begins {
      let version = try? store.database.dataVersion()
      try store.beginRestartableWrite()
      firstIdentity = store.nextIdentity
      // Another process has written since the file was looked at.
      if (try? store.database.dataVersion()) != version { old.changed() }
    }
    try keepEdits()
    do {
      let edit = try edit.naming { identity in
        guard !staleIdentities.contains(identity) else { throw BrowseError.otherIdentities }
        return created.firstIndex(of: identity).map { .created($0) } ?? .row(identity)
      }.generating(in: old.schema).checked(in: old, created: created, after: edits)
      let identity = try edit.perform(on: old, created: created)
      if let identity { created.append(identity) }
      edits.append(edit)
      old.changed()
      return identity
    } catch {
      // A setter that failed half way leaves nothing behind. A page that shows what is wrong has nothing to draw anew, which would
      // take the sentence and what was typed away.
      if begins {
        store.cancelWrite()
      } else {
        try replay()
      }
      throw error
    }
  }

  /// Adds objects with made-up values.
  func addSamples(of name: String, count: Int) throws {
    guard let edited else { throw BrowseError("Nothing can be changed here.") }
    var samples = SampleObjects(content: edited, model: try edited.model(name))
    for _ in 0..<max(0, min(count, SampleObjects.maximumCount)) {
      _ = try perform(Edit(model: name, change: .create(values: try samples.next())))
    }
  }

  /// Takes the last edit back.
  func undo() throws {
    guard !edits.isEmpty else { throw BrowseError("There is nothing to take back.") }
    edits.removeLast()
    try replay()
    edited?.changed()
  }

  func revert() {
    edited?.store.cancelWrite()
    edits = []
    created = []
    staleIdentities = []
    edited?.changed()
  }

  /// Stores all edits. What is refused only now, as a required link that was left empty, leaves them as they were.
  func save() throws {
    guard !edits.isEmpty, let old = edited else { return }
    try keepEdits()
    do {
      try old.store.commitOrRestartWrite()
    } catch {
      try replay()
      throw error
    }
    edits = []
    created = []
    staleIdentities = []
    old.changed()
  }

  /// Does all edits again where SQLite has ended the transaction by itself, as it does on a full disk and where a page cannot be read: what
  /// is shown has them, and the next one is not stored at once.
  func keepEdits() throws {
    guard let old = edited, old.store.hasLostTransaction else { return }
    try replay()
    old.changed()
  }

  /// Goes back to the beginning of the transaction and does all edits again: the store has no other way back to a point within it. The
  /// transaction goes on meanwhile, so that no other process comes in between.
  private func replay() throws {
    guard let old = edited else { return }
    let store = old.store
    let before = created
    created = []
    guard !edits.isEmpty else { return store.cancelWrite() }
    let goesOn = store.restartWrite()
    do {
      if !goesOn {
        // SQLite has ended the transaction by itself: others may have written.
        try store.beginRestartableWrite()
        try store.giveIdentitiesAgain(from: firstIdentity)
        old.changed()
      }
      for edit in edits {
        if !goesOn { try edit.checkMarks(in: old, created: created) }
        if let identity = try edit.perform(on: old, created: created) { created.append(identity) }
      }
      // The page may go on calling them as they were.
      if !before.starts(with: created) { staleIdentities.formUnion(before) }
    } catch {
      revert()
      throw BrowseError("The changes that were not saved had to be discarded: \(error)")
    }
  }
}
