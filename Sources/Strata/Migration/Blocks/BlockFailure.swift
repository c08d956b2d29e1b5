import StrataExpression
import StrataSQLite
import StrataSchema

/// What goes wrong in a step, as an error that names the version, the model, the object and the cause.
enum BlockFailure {
  /// Runs a part of a block; what an accessor could not throw is thrown here.
  static func wrap<Result>(
    _ transition: Transition, _ row: FrozenRow, of direction: Direction = .upgrade,
    _ body: () throws -> Result
  ) throws -> Result {
    let result: Result
    do {
      result = try body()
    } catch {
      // What an accessor could not throw came first, and may be why the body throws.
      throw Self.error(row.takeFailure() ?? error, transition: transition, row: row, direction)
    }
    if let failure = row.takeFailure() {
      throw Self.error(failure, transition: transition, row: row, direction)
    }
    return result
  }

  static func error(
    _ error: any Error, transition: Transition?, row: FrozenRow, _ direction: Direction = .upgrade
  ) -> any Error {
    let version = transition?.target.version
    // An old object that was asked for a collection knows the version that it is of, and not the step.
    if let beyond = error as? StepContext.LooksBeyond {
      return StepContext.LooksBeyond(version: version ?? beyond.version)
    }
    if isNotOfStep(error) { return error }
    let place = "version \(version.map(String.init) ?? "?"), \(row.model.name) \(row.stableKey)"
    if let error = error as? MigrationError, error.model != nil { return error }
    if let error = error as? EvaluationError {
      return MigrationError(
        .conversionFailed, "The step to \(place): \(error.message).", version: version,
        model: row.model.name, identity: row.identity)
    }
    return MigrationError(
      .blockFailed, "The block of \(place) stopped the \(direction): \(error)", version: version,
      model: row.model.name, identity: row.identity)
  }

  /// What a block does to an object of the version before, without a place: that is added where the block is known.
  ///
  /// - Parameters:
  ///   - deed: what it does, as "deletes the old object".
  ///   - remedy: what it is to do with the new object.
  static func oldObject(_ deed: String, instead remedy: String) -> MigrationError {
    MigrationError(.blockFailed, "it \(deed). Old objects are read only: \(remedy).")
  }

  static func oldObject(written property: Property, of model: Model) -> MigrationError {
    oldObject(
      "writes \(model.name).\(property.name) of the old object", instead: "write to the new one")
  }

  /// Whether neither the block nor the data is to blame: the disk, another process, a cancellation. That keeps its own
  /// name, wherever in a block it comes up.
  static func isNotOfStep(_ error: any Error) -> Bool {
    switch error {
    case let error as MigrationError: !error.isRefusal
    case let error as SQLiteError: error.isOfStorage
    default: error is FileError || error is FileDamage
    }
  }
}

extension FrozenRow {
  /// What went wrong in an accessor of this row or of the one before of the same object, which are all that a block sees of it.
  func takeFailure() -> (any Error)? {
    if let found = failure {
      failure = nil
      return found
    }
    return takeFailureOfOlder()
  }
}

extension MigrationError {
  /// A block that threw outside of any mapping.
  ///
  /// - Parameters:
  ///   - row: the object that it went to last.
  ///   - model: the model that it created an object of.
  static func blockFailed(
    _ error: any Error, version: Int, at row: FrozenRow? = nil, creating model: String? = nil
  ) -> any Error {
    if BlockFailure.isNotOfStep(error) { return error }
    var reason = "\(error)"
    if let row {
      // What ends a sentence stands behind the place.
      let end = reason.hasSuffix(".") ? "." : ""
      let place = "the last object that it went to: \(row.model.name) \(row.stableKey)"
      reason = "\(reason.dropLast(end.count)) (\(place))\(end)"
    }
    return MigrationError(
      .blockFailed, "The block of version \(version) stopped the upgrade: \(reason)",
      version: version, model: model)
  }

  static func requiredValueMissing(
    model: Model, property: Property, identity: Int64?, version: Int, count: Int? = nil,
    form: UpgradeForm = .steps
  ) -> MigrationError {
    // A link has no default.
    let advice =
      property.type.linkedModel == nil ? "Give the property a default, or set it" : "Set it"
    let objects = count.map { "\($0) of the \(model.name) objects have" } ?? "An object has"
    return MigrationError(
      .requiredValueMissing,
      """
      \(objects) no value for \(model.name).\(property.name), which version \(version) requires\
      \(identity.map { " (the first is _row \($0))" } ?? ""). \(advice) in \(form.place(version)).
      """, version: version, model: model.name, identity: identity)
  }

  /// A collection of optional values whose elements became required holds a nil.
  static func requiredElementMissing(
    model: Model, property: Property, identity: Int64?, version: Int, count: Int, form: UpgradeForm
  ) -> MigrationError {
    let name = property.name
    let advice =
      form == .classic
      ? "Give it other elements in the migration block"
      : "Say what becomes of nil in the step to version \(version): `\(name): old.\(name) ?? value`"
    return MigrationError(
      .requiredValueMissing,
      """
      \(count) of the \(model.name) objects have an element of \(model.name).\(name) that is nil, which version \
      \(version) requires to have a value\(identity.map { " (the first is _row \($0))" } ?? ""). \(advice).
      """, version: version, model: model.name, identity: identity)
  }
}
