import StrataExpression
import StrataHistory
import StrataSchema
import StrataSource

/// Whether the expressions of a step fit the versions that it stands between.
struct ExpressionCheck {
  let pair: CheckedPair
  private(set) var diagnostics: [Diagnostic] = []

  init(_ pair: CheckedPair) {
    self.pair = pair
    guard let step = pair.newer.step else { return }
    for (name, properties) in step.step.set.sorted(by: { $0.key < $1.key }) {
      check(properties, of: name, in: step)
    }
    for (name, properties) in step.step.back.sorted(by: { $0.key < $1.key }) {
      checkBack(properties, of: name, in: step)
    }
    for (name, condition) in step.step.delete.sorted(by: { $0.key < $1.key }) {
      guard let model = pair.older.schema.model(named: name) else { continue }
      let checker = TypeChecker(schema: pair.older.schema, model: model, use: .step)
      for error in checker.check(condition: condition) {
        report(error, step.places.expression(.condition(name), error.range))
      }
      checkIdentities(condition) { step.places.expression(.condition(name), $0) }
    }
    for (path, repair) in step.step.repair.sorted(by: { $0.key < $1.key }) {
      check(repair, of: path, in: step)
    }
  }

  /// What a repair says is over the new object.
  private mutating func check(_ repair: Repair, of path: SchemaPath, in step: CheckedStep) {
    let schema = pair.newer.schema
    guard let model = schema.model(named: path.model) else { return }
    let checker = TypeChecker(schema: schema, model: model, use: .query)
    if let condition = repair.delete {
      for error in checker.check(condition: condition) {
        report(error, step.places.expression(.repair(path, property: nil), error.range))
      }
      checkIdentities(condition) {
        step.places.expression(.repair(path, property: nil), $0)
      }
    }
    for (property, expression) in repair.set.sorted(by: { $0.key < $1.key }) {
      guard let target = model.property(named: property) else { continue }
      for error in checker.check(expression, assignedTo: AssignmentTarget(target, in: schema)) {
        report(error, step.places.expression(.repair(path, property: property), error.range))
      }
      checkIdentities(expression) {
        step.places.expression(.repair(path, property: property), $0)
      }
    }
  }

  private mutating func check(
    _ properties: [String: Expression], of name: String, in step: CheckedStep
  ) {
    guard let model = pair.newer.schema.model(named: name) else { return }
    let renames = pair.step?.renames ?? Renames()
    guard let old = renames.oldModel(of: name, in: pair.older.schema) else {
      diagnostics.append(
        Diagnostic(
          code: ExpressionRule.wrongRoot.rawValue, rule: ExpressionRule.wrongRoot.name,
          severity: .error, message: "'\(name)' is new and has no old objects to read",
          span: step.places[.set(SchemaPath(name))],
          help: "objects of a new model are created in a Swift block"))
      return
    }
    let checker = TypeChecker(schema: pair.older.schema, model: old, use: .step)
    for (property, expression) in properties.sorted(by: { $0.key < $1.key }) {
      guard let target = model.property(named: property) else { continue }
      let path = SchemaPath(name, property)
      let errors = checker.check(
        expression,
        assignedTo: AssignmentTarget(
          target, in: pair.newer.schema, renames: renames,
          deleting: step.step.delete[old.name]))
      for error in errors { report(error, step.places.expression(.value(path), error.range)) }
      if errors.isEmpty, pair.isOpen { checkOwner(expression, of: old, target, path, step) }
      checkIdentities(expression) { step.places.expression(.value(path), $0) }
    }
  }

  /// Of type `any`, too, an embedded object would have a second owner. Steps that were sealed before this was found stay.
  private mutating func checkOwner(
    _ expression: Expression, of old: Model, _ target: Property, _ path: SchemaPath,
    _ step: CheckedStep
  ) {
    let schema = pair.older.schema
    guard target.type.valueType?.base.scalar == .any,
      let resolved = try? ResolvedExpression(expression, in: schema, of: old, for: .step),
      case .object(let name) = resolved.type.base, schema.model(named: name)?.isEmbedded == true
    else { return }
    let rule = ExpressionRule.notAssignable
    diagnostics.append(
      Diagnostic(
        code: rule.rawValue, rule: rule.name, severity: .error,
        message: "an embedded object belongs to one owner and cannot be given to another",
        span: step.places.expression(.value(path), expression.range),
        help: "take its values, or move the object in a Swift block"))
  }

  /// `back:` reads the newer object and gives the older one's properties.
  private mutating func checkBack(
    _ properties: [String: Expression], of name: String, in step: CheckedStep
  ) {
    let (older, newer) = (pair.older.schema, pair.newer.schema)
    guard let old = older.model(named: name),
      let new = step.step.newModel(of: name, in: older, to: newer)
    else { return }
    let checker = TypeChecker(schema: newer, model: new, use: .back)
    for (property, expression) in properties.sorted(by: { $0.key < $1.key }) {
      guard let target = old.property(named: property) else { continue }
      let errors = checker.check(
        expression,
        assignedTo: AssignmentTarget(target, in: older, renames: step.step.renames.reversed))
      let path = SchemaPath(name, property)
      for error in errors { report(error, step.places.expression(.wayBack(path), error.range)) }
      checkIdentities(expression) { step.places.expression(.wayBack(path), $0) }
    }
  }

  /// `link(7)` names an object of one file, and a step runs in all of them. Steps that were sealed before this was found stay.
  private mutating func checkIdentities(
    _ expression: Expression, at span: (Range<Int>) -> SourceSpan?
  ) {
    guard pair.isOpen else { return }
    for literal in expression.identities {
      report(
        ExpressionError(
          .invalidLiteral,
          "'\(literal.text)' is an object of one file, and a step upgrades every file",
          range: literal.range,
          help: "take the object from what an object has, or find it: lookup(Model, key: …)"),
        span(literal.range))
    }
  }

  private mutating func report(_ error: ExpressionError, _ span: SourceSpan?) {
    diagnostics.append(
      Diagnostic(
        code: error.code, rule: error.rule.name, severity: .error, message: error.message,
        span: span, help: error.help))
  }
}

extension Expression {
  /// The literals that name an object by its identity, in the order of the text.
  fileprivate var identities: [Expression] {
    switch kind {
    case .literal(.link), .literal(.object): [self]
    default: children.flatMap(\.identities)
    }
  }
}
