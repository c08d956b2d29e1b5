import StrataExpression
import StrataSQLite
import StrataSchema

/// Turns a checked expression into SQL over the layout.
///
/// What SQL means in the same way becomes SQL, and uses indexes; everything else calls the language's own evaluation
/// through `strata_call`. A condition may be NULL where it is false; where that would show, it is tested with IS TRUE.
struct Translation {
  let schema: Schema
  let layout: TableLayout
  /// Nil where nothing has to be called.
  let functions: QueryFunctions
  /// The row that the expression is about: its alias.
  let subject: SQLText
  let subjectModel: Int
  /// What each variable is.
  var slots: [Int: Variable] = [:]
  var aliasCount = 0
  /// That of the translations within this one, too.
  var work = TranslationWork()
  /// Whether it is asked about one row or a few, whose identities are given: then an index is looked at, and a link is followed, for
  /// these alone.
  var isOfOneRow = false

  /// What stands for a variable.
  struct Variable {
    let sql: SQLText
    let kind: ColumnCodec.Kind
    /// The table of which it is a row, by its alias: then its properties are columns, and found by their indexes.
    var table: SQLText?
    /// Whether its rows are few for each object outside, from which they are found.
    var isReached = false
  }

  init(
    _ layout: TableLayout, functions: QueryFunctions, subject: SQLText, subjectModel: Int
  ) {
    self.schema = layout.schema
    self.layout = layout
    self.functions = functions
    self.subject = subject
    self.subjectModel = subjectModel
  }

  /// A name for a table that is used once more.
  mutating func makeAlias() -> SQLText {
    aliasCount += 1
    return SQLText(trusted: "x\(aliasCount)")
  }

  func table(_ model: Int) -> SQLText { "\(name: schema.models[model].name)" }

  func collectionTable(_ model: Int, _ property: Int) -> SQLText {
    let model = schema.models[model]
    return "\(name: LayoutNames.collection(model.name, model.properties[property].name))"
  }

  func property(_ model: Int, _ property: Int) -> Property {
    schema.models[model].properties[property]
  }

  func modelIndex(named name: String) -> Int {
    schema.indexOfModel(named: name) ?? 0
  }

  /// SQL of a part, as long as there is room for it.
  mutating func written(_ write: (inout Translation) -> SQLText) -> SQLText {
    if work.isTooMuch { return .tooLong }
    let text = write(&self)
    work.add(text)
    return work.isTooMuch ? .tooLong : text
  }

  // MARK: - Objects

  /// The identity of an object.
  mutating func row(of object: ResolvedObject) -> SQLText {
    switch object {
    case .subject: "\(subject).\"_row\""
    case .variable(let slot, _): slots[slot]?.sql ?? "NULL"
    case .target(let node, _): value(node)
    }
  }

  func model(of object: ResolvedObject) -> Int {
    switch object {
    case .subject: subjectModel
    case .variable(_, let model), .target(_, let model): model
    }
  }

  // MARK: - Calls

  mutating func call(
    _ operation: QueryOperation, _ arguments: [ResolvedNode], _ result: ColumnCodec.Kind
  ) -> SQLText {
    let kinds = arguments.map { kind(of: $0) }
    return call(operation, arguments.map { value($0) }, kinds, result)
  }

  func call(
    _ operation: QueryOperation, _ arguments: [SQLText], _ kinds: [ColumnCodec.Kind],
    _ result: ColumnCodec.Kind
  ) -> SQLText {
    let number = functions.number(
      of: .init(operation: operation, arguments: kinds, result: result))
    return "strata_call(\(number), \(SQLText.joined(arguments, by: ", ")))"
  }
}

// MARK: - Kinds

extension Translation {
  /// How values of a node stand in SQL.
  func kind(of node: ResolvedNode) -> ColumnCodec.Kind {
    switch node {
    case .constant(let value): Self.kind(of: value)
    case .property(let object, let index): kind(ofProperty: index, of: model(of: object))
    case .identity, .lookup: .link
    case .variable(let slot): slots[slot]?.kind ?? .any
    case .negate(_, let number, _): Self.kind(of: number)
    case .arithmetic(_, let number, _, _, _): Self.kind(of: number)
    case .concatenation: .string
    case .coalesce(let left, let right), .conditional(_, let left, let right):
      joinedKind(of: [left, right])
    case .all, .any, .not, .comparison, .text, .between, .oneOf, .quantified, .membership: .bool
    case .aggregate(let aggregate, let collection, _, _):
      QueryFunctions.resultKind(aggregate, Self.summed(kind(of: collection)))
    case .element(let collection, _): kind(of: collection)
    case .mapElement(let object, let index, _): kind(ofProperty: index, of: model(of: object))
    case .call(let function, let arguments, _): kind(of: function, arguments)
    case .folded(let text, _): kind(of: text)
    case .conversion(_, let type): ColumnCodec.Kind(.scalar(type))
    case .linkInAny, .renamedInAny: .any
    }
  }

  func kind(of collection: ResolvedCollection) -> ColumnCodec.Kind {
    switch collection {
    case .elements(let object, let index): kind(ofProperty: index, of: model(of: object))
    case .values(_, let model, let index), .elementsOfEach(_, let model, let index):
      kind(ofProperty: index, of: model)
    case .filter(let inner, _, _): kind(of: inner)
    case .all: .link
    case .list(let nodes, _): joinedKind(of: nodes)
    case .conditional(_, let first, let second): kind(of: first).joined(with: kind(of: second))
    case .each(let inner, let slot, let node): within(slot, kind(of: inner)).kind(of: node)
    }
  }

  /// The kind in which values of all of them can stand; nil stands in any.
  private func joinedKind(of nodes: [ResolvedNode]) -> ColumnCodec.Kind {
    var joined: ColumnCodec.Kind?
    for node in nodes where !Self.isNull(node) {
      let kind = kind(of: node)
      joined = joined?.joined(with: kind) ?? kind
    }
    return joined ?? .any
  }

  /// The translation where a variable stands for values of this kind.
  private func within(_ slot: Int, _ kind: ColumnCodec.Kind) -> Translation {
    var inner = self
    inner.slots[slot] = Variable(sql: "NULL", kind: kind)
    return inner
  }

  func kind(ofProperty index: Int, of model: Int) -> ColumnCodec.Kind {
    guard let type = property(model, index).type.valueType else { return .link }
    return ColumnCodec(type, in: schema).kind
  }

  static func isNull(_ node: ResolvedNode) -> Bool {
    if case .constant(.null) = node { return true }
    return false
  }

  static func kind(of value: Value) -> ColumnCodec.Kind {
    switch value {
    case .link, .object: .link
    default: ColumnCodec.Kind(.scalar(value.scalarType))
    }
  }

  private static func kind(of number: NumberKind) -> ColumnCodec.Kind {
    switch number {
    case .int: .integer(.int)
    case .float: .float
    case .double, .dates, .other: .double
    case .decimal: .decimal
    case .dateAndSeconds: .date
    }
  }

  /// The kind under which aggregates know a kind.
  static func summed(_ kind: ColumnCodec.Kind) -> ColumnCodec.Kind {
    if case .integer = kind { return .integer(.int) }
    return kind
  }

  private func kind(of function: Function, _ arguments: [ResolvedNode]) -> ColumnCodec.Kind {
    if let target = function.conversionTarget {
      return ColumnCodec.Kind(.scalar(target))
    }
    switch function {
    case .length: return .integer(.int)
    case .abs, .round, .floor, .ceil, .min, .max:
      // Of nil alone it is an int, as the type checker says.
      return Self.summed(
        arguments.first { !Self.isNull($0) }.map { kind(of: $0) } ?? .integer(.int))
    default: return .string
    }
  }
}
