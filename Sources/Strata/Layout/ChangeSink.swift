package import StrataSQLite
package import StrataSchema

/// The one place that every write path tells what it changed: objects, bulk updates, migrations.
///
/// It collects a transaction's changes in memory that does not grow with them, and writes them to the
/// log when the transaction commits.
package final class ChangeSink {
  /// The changes of one model, by index into `Schema.models`.
  @exclusivity(unchecked) package private(set) var models: [ModelChanges]
  /// What rules have to be held against, of the models that they read: objects that came and went, and updates of properties
  /// that they read.
  @exclusivity(unchecked) private(set) var unsettled: [ModelChanges] = []
  @exclusivity(unchecked) package private(set) var hasChanges = false
  /// Whether an observer needs every object, also of transactions that the log cuts short.
  package var isPrecise = false {
    didSet {
      guard isPrecise != oldValue else { return }
      for index in models.indices { models[index].precision = precision }
    }
  }
  /// By model, the properties that rules read; nil for a model that none does. Empty where there are no rules.
  var readByRules: [PropertySet?] = [] {
    didSet { unsettled = readByRules.map { _ in Self.everyChange } }
  }
  private let schema: Schema
  /// What a store has read stays valid until this says that it changed; nil where nothing reads.
  var clock: ChangeClock?

  package init(schema: Schema) {
    self.schema = schema
    models = Array(repeating: ModelChanges(), count: schema.models.count)
  }

  package func inserted(_ row: Int64, of model: Int) {
    hasChanges = true
    models[model].insert(row)
    if isRead(model) { unsettled[model].insert(row) }
    clock?.models[model].inserted(row)
  }

  /// A property's value, or a change inside of its collection.
  ///
  /// - Parameter isSettled: whether no rule is broken by it.
  package func updated(_ row: Int64, of model: Int, property: Int, isSettled: Bool = false) {
    hasChanges = true
    models[model].update(row, property: property)
    if !isSettled, isRead(model, property) { unsettled[model].update(row, property: property) }
    clock?.models[model].updated(row, property: property)
  }

  /// Several properties of many objects at once, in runs that ascend.
  package func updated(
    _ runs: [ClosedRange<Int64>], of model: Int, properties: PropertySet
  ) {
    if runs.isEmpty { return }
    hasChanges = true
    for rows in runs { models[model].update(rows, properties: properties) }
    if isRead(model), readByRules[model]?.intersects(properties) == true {
      for rows in runs { unsettled[model].update(rows, properties: properties) }
    }
    clock?.models[model].updated(runs, properties)
  }

  /// An element left a collection.
  /// - Parameter element: as it stood in the table: the order key in a list, the key in a map, the value in a set.
  func removed(_ element: SQLiteValue, from row: Int64, of model: Int, property: Int) {
    hasChanges = true
    models[model].update(row, property: property)
    if isRead(model, property) { unsettled[model].update(row, property: property) }
    clock?.models[model].removed(element, from: row, property: property)
  }

  package func deleted(_ row: Int64, of model: Int) {
    hasChanges = true
    models[model].delete(row)
    if isRead(model) { unsettled[model].delete(row) }
    clock?.models[model].deleted(row)
  }

  /// More than any report needs.
  package func changedEverything(of model: Int) {
    hasChanges = true
    models[model].changeEverything()
    if isRead(model) { unsettled[model].changeEverything() }
    clock?.models[model].changedEverything()
  }

  /// How far a transaction had come at some moment.
  struct Mark {
    /// Of the models that had changes.
    fileprivate let models: [(index: Int, mark: ModelChanges.Mark)]
    fileprivate let unsettled: [(index: Int, mark: ModelChanges.Mark)]
    fileprivate let hasChanges: Bool
  }

  var mark: Mark {
    Mark(
      models: Self.marks(of: models), unsettled: Self.marks(of: unsettled), hasChanges: hasChanges)
  }

  private static func marks(of changes: [ModelChanges]) -> [(index: Int, mark: ModelChanges.Mark)] {
    var marks: [(index: Int, mark: ModelChanges.Mark)] = []
    for index in changes.indices where !changes[index].isEmpty {
      marks.append((index, changes[index].mark))
    }
    return marks
  }

  /// Forgets changes behind the mark that were taken back, of a transaction that goes on.
  func takeBack(to mark: Mark) {
    Self.takeBack(&models, to: mark.models)
    Self.takeBack(&unsettled, to: mark.unsettled)
    hasChanges = mark.hasChanges
  }

  private static func takeBack(
    _ changes: inout [ModelChanges], to marks: [(index: Int, mark: ModelChanges.Mark)]
  ) {
    var next = 0
    for index in changes.indices {
      if next < marks.count, marks[next].index == index {
        changes[index].takeBack(to: marks[next].mark)
        next += 1
      } else if !changes[index].isEmpty {
        changes[index].takeBack(to: ModelChanges().mark)
      }
    }
  }

  /// Forgets rows from one on, which were added and taken back before any program knew of them.
  ///
  /// - Parameter hadChanges: whether there were others before.
  func forget(from first: Int64, hadChanges: Bool) {
    for index in models.indices { models[index].forget(from: first) }
    for index in unsettled.indices { unsettled[index].forget(from: first) }
    if !hadChanges, models.allSatisfy(\.isEmpty) { hasChanges = false }
  }

  /// Forgets a transaction that was rolled back, or one that is done.
  package func reset() {
    guard hasChanges else { return }
    hasChanges = false
    for index in models.indices where !models[index].isEmpty {
      models[index] = ModelChanges()
      models[index].precision = precision
    }
    for index in unsettled.indices where !unsettled[index].isEmpty {
      unsettled[index] = Self.everyChange
    }
  }

  private var precision: ModelChanges.Precision { isPrecise ? .everyChange : .asTheLog }

  private static var everyChange: ModelChanges {
    var changes = ModelChanges()
    changes.precision = .everyChange
    return changes
  }

  private func isRead(_ model: Int) -> Bool {
    model < readByRules.count && readByRules[model] != nil
  }

  /// Whether a rule reads the property.
  func isRead(_ model: Int, _ property: Int) -> Bool {
    model < readByRules.count && readByRules[model]?.contains(property) == true
  }

  /// Writes what was collected, as one more transaction of the file.
  /// - Returns: its number, or the file's newest where nothing was changed.
  @discardableResult
  package func write(to database: Database) throws -> Int64 {
    let previous = try StrataMetadata.counter(.transaction, of: database)
    guard hasChanges else { return previous }
    let transaction = previous + 1
    try StrataMetadata.write(.integer(transaction), for: .transaction, to: database)
    try ChangeLog.append(entries(of: transaction), to: database)
    return transaction
  }

  private func entries(of transaction: Int64) -> [ChangeLog.Entry] {
    zip(schema.models, models).flatMap { model, changes -> [ChangeLog.Entry] in
      changes.entries.map { kind, rows, properties in
        ChangeLog.Entry(
          transaction: transaction, model: model.name, kind: kind, rows: rows,
          columns: properties.map { model.properties[$0].name })
      }
    }
  }
}
