import StrataSchema

/// What has happened to the objects of a store since the last report, by model and run of rows.
struct ChangeRecord {
  struct Changes {
    /// Updated rows with the properties that were set, in order.
    private(set) var updates: [ChangedRowIndex.Update] = [] { didSet { index = nil } }
    /// Rows of objects that came or went, in order.
    private(set) var others: [ClosedRange<Int64>] = [] { didSet { index = nil } }
    /// What answers about single rows for all who have this record; nil before ``ChangeRecord/shareIndex()`` and after a change.
    private var index: ChangedRowIndex?
    /// Whether objects came or went of which the rows are not known.
    private(set) var hasUnknown = false
    /// Whether objects came or went.
    var hasOthers: Bool { hasUnknown || !others.isEmpty }
    /// The rows of objects that came or went; all where they are not known.
    var rowsOfOthers: RowSet {
      if hasUnknown { return .everything }
      var rows = RowSet()
      for range in others { rows.insert(range) }
      rows.normalize()
      return rows
    }
    /// The rows of all objects that were updated, came or went; all where they are not known.
    var touchedRows: RowSet {
      var rows = rowsOfOthers
      if rows.isEverything || isEverything { return .everything }
      for update in updates { rows.insert(update.rows) }
      rows.normalize()
      return rows
    }
    /// Whether anything may have happened to any object.
    var isEverything = false

    mutating func update(_ rows: ClosedRange<Int64>, _ properties: PropertySet) {
      if isEverything { return }
      if updates.count >= ChangeRecord.maximumUpdates { return changeEverything() }
      updates.append((rows, properties))
    }

    mutating func comeOrGo(_ rows: ClosedRange<Int64>?) {
      if hasUnknown { return }
      guard let rows, others.count < ChangeRecord.maximumUpdates else {
        hasUnknown = true
        others = []
        return
      }
      if let last = others.last, last.upperBound &+ 1 == rows.lowerBound {
        others[others.count - 1] = last.lowerBound...rows.upperBound
      } else {
        others.append(rows)
      }
    }

    mutating func changeEverything() {
      isEverything = true
      hasUnknown = true
      updates = []
      others = []
    }

    fileprivate mutating func shareIndex() {
      index = ChangedRowIndex(updates: updates, others: others)
    }

    /// The properties of a row that were set.
    fileprivate func properties(of row: Int64) -> PropertySet {
      if let index { return index.properties(of: row) }
      var properties = PropertySet()
      for update in updates where update.rows.contains(row) {
        properties.formUnion(update.properties)
      }
      return properties
    }

    /// Whether the object of a row may have come or gone.
    fileprivate func mayBeOther(_ row: Int64) -> Bool {
      if hasUnknown { return true }
      return index?.isOther(row) ?? others.contains { $0.contains(row) }
    }

    mutating func merge(_ other: Changes) {
      if other.isEverything || isEverything { return changeEverything() }
      if other.hasUnknown { comeOrGo(nil) }
      for rows in other.others { comeOrGo(rows) }
      for update in other.updates { self.update(update.rows, update.properties) }
    }
  }

  /// A record of more runs of one model says "any object of it".
  static let maximumUpdates = 100_000

  /// By the model's index in the schema.
  private(set) var models: [Int: Changes] = [:] { didSet { sharedRows = nil } }
  /// What observers who have this record find out for each other; nil before ``shareIndex()`` and after a change.
  private(set) var sharedRows: SharedRows?

  var isEmpty: Bool { models.isEmpty }

  /// Of what a transaction of the own store did.
  init(_ changes: [ModelChanges]) {
    for (model, changes) in changes.enumerated() where !changes.isEmpty {
      var entry = Changes()
      if changes.isEverything { entry.changeEverything() }
      for run in changes.runs {
        if run.kind == .update {
          entry.update(run.rows, run.properties)
        } else {
          entry.comeOrGo(run.rows)
        }
      }
      models[model] = entry
    }
  }

  init() {}

  /// Of what the log says about the transactions of others.
  init(_ entries: [ChangeLog.Entry], of schema: Schema) {
    var indices: [String: Int] = [:]
    for (index, model) in schema.models.enumerated() { indices[model.name] = index }
    for entry in entries {
      guard let model = indices[entry.model] else { continue }
      // In place: a copy of the changes would be one of all that came before.
      switch (entry.kind, entry.rows) {
      case (.update, let rows?):
        var properties = PropertySet()
        for name in entry.columns {
          if let index = schema.models[model].indexOfProperty(named: name) {
            properties.insert(index)
          }
        }
        models[model, default: Changes()].update(rows, properties)
      case (.insert, _), (.delete, _): models[model, default: Changes()].comeOrGo(entry.rows)
      case (.all, _), (.update, nil): models[model, default: Changes()].changeEverything()
      }
    }
  }

  /// When it is unknown which.
  static func everything(of schema: Schema) -> ChangeRecord {
    var record = ChangeRecord()
    for model in schema.models.indices {
      record.models[model, default: Changes()].changeEverything()
    }
    return record
  }

  /// Before many are told: what one of them sorts to look for a row, the others have, too.
  mutating func shareIndex() {
    for model in models.keys { models[model]?.shareIndex() }
    sharedRows = SharedRows()
  }

  mutating func update(_ rows: ClosedRange<Int64>, _ properties: PropertySet, of model: Int) {
    models[model, default: Changes()].update(rows, properties)
  }

  mutating func replace(_ model: Int, by changes: Changes?) { models[model] = changes }

  mutating func merge(_ other: ChangeRecord) {
    if isEmpty {
      self = other
      return
    }
    for (model, changes) in other.models {
      if models[model] == nil {
        models[model] = changes
      } else {
        models[model, default: Changes()].merge(changes)
      }
    }
  }

  /// The rows of a model of which one of these properties was set.
  func updatedRows(of model: Int, _ isWatched: (PropertySet) -> Bool) -> RowSet {
    guard let changes = models[model] else { return RowSet() }
    if changes.isEverything { return .everything }
    var rows = RowSet()
    for update in changes.updates where isWatched(update.properties) { rows.insert(update.rows) }
    return rows
  }

  /// The properties of one object that were set; nil when it is unknown which.
  func properties(of row: Int64, in model: Int) -> PropertySet? {
    guard let changes = models[model] else { return PropertySet() }
    if changes.isEverything { return nil }
    return changes.properties(of: row)
  }

  /// Whether anything may have happened to one object itself.
  func touches(_ row: Int64, in model: Int) -> Bool {
    guard let changes = models[model] else { return false }
    return changes.isEverything || changes.mayBeOther(row)
      || changes.properties(of: row) != PropertySet()
  }

  /// Whether a list, set or map of one object may have changed, or the object itself is gone.
  func touches(_ property: Int, of row: Int64, in model: Int) -> Bool {
    guard let changes = models[model] else { return false }
    return changes.mayBeOther(row) || changes.properties(of: row).contains(property)
  }
}
