import StrataExpression
import StrataSQLite
import StrataSchema

extension Translation {
  /// An expression that gives the node's value, encoded as its kind is.
  mutating func value(_ node: ResolvedNode) -> SQLText { written { $0.unboundedValue(node) } }

  private mutating func unboundedValue(_ node: ResolvedNode) -> SQLText {
    switch node {
    case .constant(let value): return constant(value)
    case .property(let object, let index): return property(index, of: object)
    case .identity(let object): return row(of: object)
    case .variable(let slot): return slots[slot]?.sql ?? "NULL"
    case .negate(let operand, let number, _):
      return call(.negate(number), [operand], kind(of: node))
    case .arithmetic(let operation, let number, let left, let right, _):
      return arithmetic(operation, number, left, right, kind(of: node))
    // As in the language, one NULL makes the whole NULL.
    case .concatenation(let parts):
      return "(\(SQLText.row(parts.map { value($0) }, by: " || ")))"
    case .coalesce, .conditional: return value(node, as: kind(of: node))
    case .all, .any, .not, .comparison, .text, .between, .oneOf, .quantified, .membership:
      return "((\(condition(node))) IS TRUE)"
    case .aggregate(let aggregate, let collection, _, _):
      return self.aggregate(aggregate, collection)
    case .element(let collection, let position): return element(of: collection, at: position)
    case .mapElement(let object, let index, let key):
      let (table, key) = (collectionTable(model(of: object), index), value(key))
      return
        "(SELECT \"value\" FROM \(table) WHERE \"_owner\" = \(row(of: object)) AND \"_index\" = \(key))"
    case .lookup(let model, let key): return lookup(model, key)
    case .call(let function, let arguments, _):
      if let type = function.conversionTarget, arguments.count == 1 {
        return conversion(arguments[0], type, kind(of: node), by: .call(function))
      }
      return call(.call(function), arguments, kind(of: node))
    case .folded(let operand, let options):
      return call(.fold(options), [operand], kind(of: operand))
    case .conversion(let operand, let type):
      return conversion(operand, type, kind(of: node), by: .convert(type))
    case .linkInAny(let operand, let model):
      return call(.linkInAny(model: model), [operand], .any)
    case .renamedInAny(let operand, let models):
      return call(.renameModels(models), [operand], .any)
    }
  }

  /// Whether a node's value can stand in a cell of this kind: every value that it may have has a cell there.
  func fits(_ node: ResolvedNode, _ target: ColumnCodec.Kind) -> Bool {
    switch node {
    case .constant(let value):
      return (try? ColumnCodec(target, isOptional: true).sqliteValue(of: value)) != nil
    case .coalesce(let first, let second), .conditional(_, let first, let second):
      return fits(first, target) && fits(second, target)
    default: return TypePair(kind(of: node).storedType, target.storedType).isAutomatic
    }
  }

  /// A value where a cell of this kind is expected. Where the branches of a node are of several kinds, each becomes that one
  /// by itself.
  ///
  /// - Precondition: the node fits.
  mutating func value(_ node: ResolvedNode, as kind: ColumnCodec.Kind) -> SQLText {
    switch node {
    case .constant(let constant):
      let cell = try? ColumnCodec(kind, isOptional: true).sqliteValue(of: constant)
      return cell.map { "\(value: $0)" } ?? self.constant(constant)
    case .coalesce(let left, let right):
      return "ifnull(\(value(left, as: kind)), \(value(right, as: kind)))"
    case .conditional(let condition, let first, let second):
      return
        "iif(\(self.condition(condition)), \(value(first, as: kind)), \(value(second, as: kind)))"
    default: return cell(value(node), of: self.kind(of: node), as: kind)
    }
  }

  /// A cell of one kind as one of another kind, which has a value for it.
  func cell(
    _ cell: SQLText, of source: ColumnCodec.Kind, as target: ColumnCodec.Kind
  ) -> SQLText {
    guard !TypePair(source.storedType, target.storedType).sharesCells,
      case .scalar(let type) = target.storedType
    else { return cell }
    return call(.convert(type), [cell], [source], target)
  }

  func constant(_ value: Value) -> SQLText {
    let codec = ColumnCodec(Self.kind(of: value), isOptional: true)
    if case .object(_, let identity) = value { return "\(value: .integer(identity))" }
    return "\(value: (try? codec.sqliteValue(of: value)) ?? .null)"
  }

  private mutating func property(_ index: Int, of object: ResolvedObject) -> SQLText {
    let model = model(of: object)
    let column: SQLText = "\(name: property(model, index).name)"
    if case .subject = object { return "\(subject).\(column)" }
    if case .variable(let slot, _) = object, let table = slots[slot]?.table {
      return "\(table).\(column)"
    }
    if case .target(let link, let model) = object {
      let path = LinkPath(link, to: model)
      if path.isLong {
        let (from, first, last) = join(path)
        return
          "(SELECT \(last).\(column) FROM \(from) WHERE \(first).\"_row\" = \(value(path.first)))"
      }
    }
    // Under a name of its own: a model may be called as the row outside that the link stands in.
    let alias = makeAlias()
    return
      "(SELECT \(alias).\(column) FROM \(table(model)) \(alias) WHERE \(alias).\"_row\" = \(row(of: object)))"
  }

  /// The row with a primary key, by its index.
  private mutating func lookup(_ model: Int, _ key: [ResolvedNode]) -> SQLText {
    let alias = makeAlias()
    let tests = zip(schema.models[model].primaryKey, key).map { name, part -> SQLText in
      "\(alias).\(name: name) = \(value(part))"
    }
    return
      "(SELECT \(alias).\"_row\" FROM \(table(model)) \(alias) WHERE \(SQLText.row(tests, by: " AND ")))"
  }

  private mutating func aggregate(
    _ aggregate: Aggregate, _ collection: ResolvedCollection
  ) -> SQLText {
    let elements = rows(of: collection)
    if aggregate == .count { return "(SELECT count(*) FROM (\(elements)))" }
    return
      "(SELECT \(aggregateCall(aggregate, kind(of: collection), of: "value")) FROM (\(elements)))"
  }

  /// An aggregate of a column, as the language means it.
  func aggregateCall(
    _ aggregate: Aggregate, _ kind: ColumnCodec.Kind, of column: SQLText
  ) -> SQLText {
    let kind = Self.summed(kind)
    switch (aggregate, kind) {
    // SQLite's own are the same for these, and can use an index.
    case (.minimum, .integer), (.minimum, .string): return "min(\(column))"
    case (.maximum, .integer), (.maximum, .string): return "max(\(column))"
    default:
      let name = SQLText(trusted: QueryFunctions.aggregateName(aggregate, kind))
      return "\(name)(\(column))"
    }
  }

  private mutating func element(
    of collection: ResolvedCollection, at position: ResolvedNode
  ) -> SQLText {
    let elements = rows(of: collection)
    if case .constant(.int(let index)) = position, index >= 0 {
      return "(SELECT value FROM (\(elements)) LIMIT 1 OFFSET \(value: .integer(index)))"
    }
    // OFFSET may not look at the row outside, so that elements are numbered instead.
    let place = value(position)
    let count: SQLText = "(SELECT count(*) FROM (\(elements)))"
    let numbered = numberedRows(of: collection)
    return
      """
      (SELECT value FROM (\(numbered)) \
      WHERE place = 1 + iif(\(place) < 0, \(place) + \(count), \(place)))
      """
  }

  /// The elements with their places, from 1.
  private mutating func numberedRows(of collection: ResolvedCollection) -> SQLText {
    guard case .elements(let object, let index) = collection else {
      return "SELECT value, row_number() OVER () AS place FROM (\(rows(of: collection)))"
    }
    let table = collectionTable(model(of: object), index)
    return
      """
      SELECT "value" AS value, row_number() OVER (ORDER BY "_index") AS place FROM \(table) \
      WHERE "_owner" = \(row(of: object))
      """
  }
}
