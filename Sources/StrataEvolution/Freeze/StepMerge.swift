import StrataExpression
import StrataHistory
package import StrataSchema

/// An entry of a step that stands in its file by itself.
package enum StepEntry: Hashable, Sendable {
  case rename(SchemaPath)
  case drop(SchemaPath)
  /// A value of a new property.
  case set(SchemaPath)
  /// The condition for an old model.
  case delete(String)
  /// The rule for an old model.
  case deduplicate(String)
  /// A new model behind `swift:`.
  case block(String)
}

/// A step of ours behind versions that it was not written for.
///
/// What theirs has done already goes from it. What both say of the same thing in different ways is a conflict; whether
/// all the rest fits is judged as `check` judges it.
struct StepMerge {
  /// The versions that both sides came from and that theirs ends with, and theirs between them.
  let steps: [(older: Schema, newer: Schema, step: MigrationStep?)]
  /// What our step was written for: our version before it.
  let base: Schema
  /// What our step is going to begin at.
  let target: Schema

  private var theirs: Correspondence { StepChain(steps).correspondence }

  /// The step without what theirs has done, and what that is.
  func reduced(_ step: MigrationStep) throws(FreezeError) -> (MigrationStep, [StepEntry]) {
    var result = step
    var done: [StepEntry] = []
    let theirs = theirs
    for (old, new) in step.renames.models.sorted(by: { $0.key < $1.key }) {
      let path = SchemaPath(old)
      guard try isDone(path, as: new, theirs) else { continue }
      result.renames.models[old] = nil
      done.append(.rename(path))
    }
    for (path, new) in step.renames.properties.sorted(by: { $0.key < $1.key }) {
      guard try isDone(path, as: new, theirs) else { continue }
      result.renames.properties[path] = nil
      done.append(.rename(path))
    }
    for path in step.drop.sorted() {
      guard try isDone(path, as: nil, theirs) else { continue }
      result.drop.remove(path)
      done.append(.drop(path))
    }
    for (model, values) in step.set.sorted(by: { $0.key < $1.key }) {
      for (property, value) in values.sorted(by: { $0.key < $1.key }) {
        let path = SchemaPath(model, property)
        guard try isSet(path, to: value) else { continue }
        result.set[model]?[property] = nil
        if result.set[model]?.isEmpty == true { result.set[model] = nil }
        done.append(.set(path))
      }
    }
    return (result, done)
  }

  /// Whether theirs has given a model or property of ours the same name, or given it up.
  ///
  /// - Parameter new: its name after our step; nil where that drops it.
  private func isDone(
    _ path: SchemaPath, as new: String?, _ theirs: Correspondence
  ) throws(FreezeError) -> Bool {
    let renamed =
      path.property == nil ? theirs.renames.models[path.model] : theirs.renames.properties[path]
    // A name that stands for nothing is that of what was given up on the way.
    let name = renamed.flatMap { $0.isEmpty ? nil : $0 }
    guard has(path, in: base) else { return false }
    func said(_ name: String?, _ what: String) -> String {
      name.map { "renames \(what) to '\($0)'" } ?? "drops \(what)"
    }
    let reused = Self.reusedNames(over: steps)
    if name == nil, reused.contains(path) || reused.contains(SchemaPath(path.model)) {
      throw Self.conflict(
        "our step \(said(new, "'\(path)'")), and theirs gives that name to something else")
    }
    guard !has(path, in: target) || name != nil else { return false }
    if name == new { return true }
    throw Self.conflict(
      "our step \(said(new, "'\(path)'")), and theirs \(said(name, "it"))")
  }

  func has(_ path: SchemaPath, in schema: Schema) -> Bool {
    guard let model = schema.model(named: path.model), !model.isAbstract else { return false }
    return path.property.map { model.property(named: $0) != nil } ?? true
  }

  /// Whether theirs gives the same value to a new property of ours.
  private func isSet(_ path: SchemaPath, to value: Expression) throws(FreezeError) -> Bool {
    let property = path.property ?? ""
    let known = steps.compactMap { $0.step?.set[path.model]?[property] }
    if let last = known.last {
      if last == value { return true }
      throw Self.conflict("both steps set '\(path)', in different ways")
    }
    guard has(path, in: target), !has(path, in: base) else { return false }
    throw Self.conflict("'\(path)' is new in theirs, too, and only our step sets it")
  }

  static func conflict(_ message: String) -> FreezeError {
    FreezeError("STR4003", message, help: Freeze.agree)
  }
}

extension Freeze {
  /// What helps where our version does not go on top of theirs.
  package static let agree =
    "agree with theirs in our version ('strata freeze --amend'), then rebase again; or merge, and freeze without --rebase"
}
