import StrataExpression
import StrataFrontend
import StrataSchema
import StrataSource
import StrataYAML

/// The models and properties that an expression names, all of one version.
struct ExpressionNames {
  let table: DeclarationTable
  /// The number of a frozen version; nil for the working schema.
  let version: Int?
  let use: ExpressionUse
  /// What paths start from.
  private let root: Root
  /// The model of `root`.
  private let model: String

  /// - Parameter model: of the object that the expression is about.
  init(
    of model: String, in table: DeclarationTable, version: Int?, for use: ExpressionUse
  ) {
    self.table = table
    self.version = version
    self.use = use
    self.model = model
    root =
      switch use {
      case .step: .old
      case .back: .new
      case .query: .subject
      }
  }

  /// Adds the names in the text of a node; none where it is no expression.
  func collect(_ node: YAMLNode, into found: inout OccurrenceList) {
    guard let scalar = node.scalar,
      let expression = try? Expression.parse(scalar.text, for: use)
    else { return }
    collect(expression, scalar, at: node.range, into: &found)
  }

  /// - Parameter range: that of the scalar's node.
  func collect(
    _ expression: Expression, _ scalar: YAMLScalar, at range: Range<Int>,
    into found: inout OccurrenceList
  ) {
    let text = Array(scalar.text.utf8)
    let places = ScalarPlaces(of: scalar, at: range, in: found.file)
    visit(expression, [root: model]) { symbol, end in
      // The range of what stands in parentheses ends with them.
      var end = end
      while end > 0, text[end - 1] == UInt8(ascii: ")") || text[end - 1] <= 0x20 { end -= 1 }
      let part = end - symbol.name.utf8.count..<end
      guard part.lowerBound >= 0 else { return }
      found.add(symbol, places.place(of: part), version: .some(version))
    }
  }

  /// Calls `name` for each model and property, with the end of its name in the text.
  ///
  /// - Returns: the model of the objects that the expression gives.
  @discardableResult
  private func visit(
    _ expression: Expression, _ models: [Root: String], name: (_ symbol: Symbol, _ end: Int) -> Void
  ) -> String? {
    switch expression.kind {
    case .object(let root): return models[root]
    case .member(let base, let member):
      guard let model = visit(base, models, name: name) else { return nil }
      let path = SchemaPath(model, member)
      if let symbol = table.symbol(path) {
        name(symbol, expression.range.upperBound)
        let declared = table.property(path)?.declaration
        return declared?.type?.name.value ?? declared?.inverse?.model
      }
      // A model stands for all of its objects: `Person.@count`.
      guard case .object(.subject) = base.kind, table.models[member] != nil else { return nil }
      name(.model(member), expression.range.upperBound)
      return member
    case .element(let base, let index):
      visit(index, models, name: name)
      return visit(base, models, name: name)
    case .subquery(let collection, let variable, let condition):
      var inner = models
      inner[.variable(variable)] = visit(collection, models, name: name)
      visit(condition, inner, name: name)
      return inner[.variable(variable)]
    case .lookup(let model, let key):
      for part in key { visit(part, models, name: name) }
      guard case .member(_, let found) = model.kind, table.models[found] != nil else { return nil }
      name(.model(found), model.range.upperBound)
      return found
    default:
      for child in expression.children { visit(child, models, name: name) }
      return nil
    }
  }
}
