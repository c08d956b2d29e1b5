import StrataExpression
package import StrataHistory
import StrataSQLite
package import StrataSchema

/// What a database file says of itself.
package struct StoredSchema: Sendable {
  package let schemaName: String
  /// The number that is written in the file; numbers can lie, `recognised(in:)` does not trust it alone.
  package let version: Int
  package let shape: Digest
  package let chain: Digest?
  package let schema: Schema
  package let lineage: Lineage
  /// The identity of the next object.
  package internal(set) var rowCounter: Int64
  /// How many transactions have changed the file.
  package let transaction: Int64
  /// What it was upgraded from, the oldest first.
  let upgrades: [UpgradeMark]

  package init(metadata: StrataMetadata) throws {
    schemaName = metadata.schemaName
    version = metadata.version
    shape = metadata.shape
    chain = metadata.chain
    schema = try metadata.schema()
    if let problem = schema.contradiction {
      throw FileDamage("the schema that it carries cannot be: \(problem)")
    }
    guard schema.shape == shape else {
      throw FileDamage(
        "the schema that it carries and its shape in _strata are not of the same version")
    }
    lineage = try metadata.lineage()
    rowCounter = metadata.nextRow
    transaction = metadata.transaction
    upgrades = metadata.upgrades
  }

  /// How the file is now, for those that come of it.
  ///
  /// - Parameter database: a connection to it.
  func mark(in database: Database) throws -> UpgradeMark {
    UpgradeMark(
      version: version, transaction: transaction, content: try ContentMark.of(database, schema))
  }

  /// Whether a database is still described so, by another connection or later.
  func isStill(in database: Database, _ name: String) throws -> Bool {
    guard let now = try StrataMetadata.read(from: database, in: name) else { return false }
    return (now.version, now.shape) == (version, shape) && now.chain == chain
  }
}

/// Which version of a history a file is at.
package enum Recognition: Sendable {
  /// At this version, by shape and chain.
  case known(FrozenVersion)
  /// Written by a newer program.
  case newer(version: Int)
  /// A shape that no version has; the closest version where there is one.
  case unknownShape(closest: Int?)
  /// Several versions fit, and they mean different data.
  case ambiguous([Int])
  /// Of another schema.
  case foreign(String)
}

extension StoredSchema {
  /// Finds the file's version: by its chain, which no two versions share, else by its shape and number.
  package func recognised(in history: History) -> Recognition {
    guard schemaName == history.name else { return .foreign(schemaName) }
    if let chain {
      if let version = history.versions.first(where: { $0.chain == chain && $0.shape == shape }) {
        return .known(version)
      }
    } else if let version = history.version(version), version.shape == shape {
      return .known(version)
    }
    if let newest = history.newest, version > newest.number { return .newer(version: version) }
    let alike = history.versions.filter { $0.shape == shape }
    switch alike.count {
    case 0: return .unknownShape(closest: closest(in: history)?.number)
    case 1: return .known(alike[0])
    default: return .ambiguous(alike.map(\.number))
    }
  }

  /// The version whose models and properties differ in the fewest places, then the one with the fewest changes of any kind,
  /// then the newest.
  package func closest(in history: History) -> FrozenVersion? {
    let facts = schema.facts
    let distances = history.versions.map {
      facts.symmetricDifference($0.schema.facts).count
    }
    guard let least = distances.min() else { return nil }
    var best: (version: FrozenVersion, changes: Int)?
    for (version, distance) in zip(history.versions, distances) where distance == least {
      let changes = SchemaDiff(from: version.schema, to: schema).changes.count
      if changes <= best?.changes ?? Int.max { best = (version, changes) }
    }
    return best?.version
  }
}

extension Schema {
  /// What a compiler would never have written; nil where the schema holds together.
  fileprivate var contradiction: String? {
    let names = models.map(\.name)
    if let twice = Self.repeated(names) { return "it has two models \(twice)" }
    if names.contains("") { return "it has a model without a name" }
    for model in models {
      let properties = model.properties.map(\.name)
      if let twice = Self.repeated(properties) {
        return "\(model.name) has two properties \(twice)"
      }
      let columns = model.primaryKey + model.indexes.flatMap { $0 } + model.uniques.flatMap { $0 }
      if let missing = columns.first(where: { !properties.contains($0) }) {
        return "\(model.name) has no property \(missing), which a key or an index names"
      }
      for property in model.properties {
        switch property.type {
        case .inverse(let other, let link):
          if self.model(named: other)?.property(named: link) == nil {
            return
              "\(model.name).\(property.name) is the inverse of \(other).\(link), which is missing"
          }
        case .value(let type), .list(let type), .set(let type), .map(let type):
          switch type.base {
          case .object(let target) where !names.contains(target):
            return "\(model.name).\(property.name) links to \(target), which is missing"
          case .enumeration(let name) where !enums.contains(where: { $0.name == name }):
            return "\(model.name).\(property.name) is of the enum \(name), which is missing"
          default: break
          }
        }
      }
    }
    return nil
  }

  private static func repeated(_ names: [String]) -> String? {
    var seen: Set<String> = []
    return names.first { !seen.insert($0).inserted }
  }

  /// One line for each model and stored property with its type, to count differences by.
  package var facts: Set<String> {
    var facts: Set<String> = []
    for model in storedModels {
      facts.insert(model.name)
      for property in model.storedProperties {
        facts.insert("\(model.name).\(property.name): \(property.type.spelling)")
      }
    }
    return facts
  }
}
