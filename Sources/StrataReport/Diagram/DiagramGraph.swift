import StrataSchema

/// The models of a version as boxes, and their links as edges between them.
struct DiagramGraph {
  /// What a step did to a model or property.
  enum Mark: String {
    case added
    case changed
  }

  struct Row {
    var name: String
    var type: String
    var doc: String?
    var kind: Kind
    var isKey = false
    var isIndexed = false
    var mark: Mark?

    enum Kind: String {
      case value
      case link
      case inverse
      case enumeration = "enum"
    }
  }

  struct Box {
    var model: Model
    var rows: [Row]
    var mark: Mark?
    var width = 0

    static let headerHeight = 30
    static let rowHeight = 19
    static let bottom = 7

    var height: Int { Self.headerHeight + rows.count * Self.rowHeight + Self.bottom }

    /// The middle of a row, below the box's top.
    static func middle(ofRow row: Int) -> Int { headerHeight + row * rowHeight + rowHeight / 2 }
  }

  struct Edge {
    var from: Int
    var to: Int
    /// The row of the property; nil for a model that extends another one.
    var row: Int?
    var cardinality: Cardinality
    var isOwning: Bool
    var title: String
  }

  enum Cardinality: String {
    case one = "1"
    case optional = "0..1"
    case many = "0..*"
    case extends = "extends"
  }

  private(set) var boxes: [Box] = []
  private(set) var edges: [Edge] = []
  private var indexes: [String: Int] = [:]

  /// - Parameter changes: what the step to this version changed, to be marked.
  init(_ schema: Schema, changes: [SchemaChange] = []) {
    var marks: [SchemaPath: Mark] = [:]
    for change in changes {
      switch change.kind {
      case .modelAdded, .propertyAdded, .requiredPropertyAdded: marks[change.path] = .added
      case _ where change.kind.effect != .removed || change.oldPath != nil:
        marks[change.path] = marks[change.path] ?? .changed
      default: break
      }
      if change.path.property != nil {
        let model = SchemaPath(change.path.model)
        marks[model] = marks[model] ?? .changed
      }
    }
    let inverses = Self.inverses(of: schema)
    for (index, model) in schema.models.enumerated() {
      indexes[model.name] = index
      boxes.append(Self.box(model, in: schema, marks))
    }
    for (index, box) in boxes.enumerated() { addEdges(of: box, index, schema, inverses) }
  }

  func index(of model: String) -> Int? { indexes[model] }

  /// The inverse of each link that has one.
  private static func inverses(of schema: Schema) -> [SchemaPath: SchemaPath] {
    var inverses: [SchemaPath: SchemaPath] = [:]
    for model in schema.models {
      for property in model.properties {
        if case .inverse(let other, let link) = property.type {
          inverses[SchemaPath(other, link)] = SchemaPath(model.name, property.name)
        }
      }
    }
    return inverses
  }

  private static func box(
    _ model: Model, in schema: Schema, _ marks: [SchemaPath: Mark]
  ) -> Box {
    let mark = marks[SchemaPath(model.name)]
    let rows = model.properties.filter { !$0.isIgnored }.map { property in
      let isKey = model.primaryKey.contains(property.name)
      var row = Row(
        name: property.name, type: PropertySpelling.type(of: property), doc: property.doc,
        kind: .value, isKey: isKey,
        isIndexed: property.index != .none || property.isUnique,
        mark: mark == .added ? nil : marks[SchemaPath(model.name, property.name)])
      switch property.type.valueType?.base {
      case .object: row.kind = .link
      case .enumeration: row.kind = .enumeration
      case .scalar: row.kind = .value
      case nil: row.kind = .inverse
      }
      return row
    }
    var box = Box(model: model, rows: rows.filter(\.isKey) + rows.filter { !$0.isKey }, mark: mark)
    let names =
      box.rows.map {
        TextWidth.pixels(TextWidth.cut($0.name)) + ($0.isKey || $0.isIndexed ? 16 : 0)
      }.max() ?? 0
    let types = box.rows.map { TextWidth.pixels(TextWidth.cut($0.type), size: 11) }.max() ?? 0
    let header =
      TextWidth.pixels(TextWidth.cut(model.name), size: 14, isBold: true) + 30
      + badge(model).count * 7
    box.width = max(130, header, names + types + 38)
    return box
  }

  /// What a model is beside a model.
  static func badge(_ model: Model) -> String {
    model.isAbstract ? "abstract" : model.isEmbedded ? "embedded" : ""
  }

  private mutating func addEdges(
    of box: Box, _ index: Int, _ schema: Schema, _ inverses: [SchemaPath: SchemaPath]
  ) {
    for (row, shown) in box.rows.enumerated() {
      guard let property = box.model.property(named: shown.name), !property.type.isInverse,
        let target = property.type.linkedModel, let to = indexes[target]
      else { continue }
      let cardinality: Cardinality =
        property.type.isCollection
        ? .many : property.type.valueType?.isOptional == true ? .optional : .one
      let inverse = inverses[SchemaPath(box.model.name, property.name)]
      let isOwning = boxes[to].model.isEmbedded
      edges.append(
        Edge(
          from: index, to: to, row: row, cardinality: cardinality, isOwning: isOwning,
          title: "\(box.model.name).\(property.name) → \(target), \(cardinality.rawValue)"
            + (isOwning ? ", embedded" : "") + (inverse.map { ", inverse \($0)" } ?? "")))
    }
    if let parent = box.model.extends, let to = indexes[parent] {
      edges.append(
        Edge(
          from: index, to: to, row: nil, cardinality: .extends, isOwning: false,
          title: "\(box.model.name) extends \(parent)"))
    }
  }
}

/// How a property's type is written in reports.
enum PropertySpelling {
  static func type(of property: Property) -> String {
    property.type.isInverse ? "◁ \(property.type.spelling)" : property.type.spelling
  }
}
