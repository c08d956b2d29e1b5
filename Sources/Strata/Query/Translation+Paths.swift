import StrataExpression
import StrataSchema

/// A path of links, one behind the other: where it begins, and the property of each model on the way.
struct LinkPath {
  /// The links of which one after the other leads on, each as a node of the whole path so far.
  private var links: [ResolvedNode]
  /// For each link the model to which it leads.
  private var models: [Int]

  /// Links that stand in each other; more become a join, because SQLite's parser keeps room for a hundred open symbols.
  static let maximumNested = 3
  /// Tables in one join: SQLite takes 64.
  static let maximumJoined = 50

  /// - Parameters:
  ///   - link: leads to an object of the model.
  init(_ link: ResolvedNode, to model: Int) {
    links = [link]
    models = [model]
    while case .property(.target(let previous, let model), _)? = links.last {
      links.append(previous)
      models.append(model)
    }
    links.reverse()
    models.reverse()
    let surplus = links.count - Self.maximumJoined
    if surplus > 0 {
      links.removeFirst(surplus)
      models.removeFirst(surplus)
    }
  }

  var isLong: Bool { links.count > Self.maximumNested }

  /// The link with which the join begins; what stands before it is a path of its own.
  var first: ResolvedNode { links[0] }

  /// The models of the join's tables, and the property by which each leads to the next.
  var tables: [(model: Int, property: Int?)] {
    models.indices.map { index in
      guard index + 1 < links.count, case .property(_, let property) = links[index + 1] else {
        return (models[index], nil)
      }
      return (models[index], property)
    }
  }
}

extension Translation {
  /// `"Person" x1 JOIN "Person" x2 ON x2._row = x1."boss" …`, with the first and the last alias.
  mutating func join(_ path: LinkPath) -> (from: SQLText, first: SQLText, last: SQLText) {
    var from: SQLText = ""
    var first: SQLText?
    var last: SQLText = ""
    var link: SQLText?
    for (model, property) in path.tables {
      let alias = makeAlias()
      if let link {
        from = "\(from) JOIN \(table(model)) \(alias) ON \(alias).\"_row\" = \(link)"
      } else {
        from = "\(table(model)) \(alias)"
      }
      first = first ?? alias
      last = alias
      link = property.map { "\(alias).\(name: self.property(model, $0).name)" }
    }
    return (from, first ?? last, last)
  }
}
