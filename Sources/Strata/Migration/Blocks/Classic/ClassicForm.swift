import StrataExpression
import StrataHistory
package import StrataSchema

/// In which of the two ways an upgrade is said.
enum UpgradeForm: Sendable {
  /// Version by version, each with its step.
  case steps
  /// From whatever shape a file has to the newest one at once, perhaps with a migration block.
  case classic
}

extension UpgradeForm {
  /// Where the block has to say more, for messages.
  func place(_ version: Int) -> String {
    self == .classic ? "the migration block" : "the step to version \(version)"
  }

  /// What a property that is new has in objects that were there before.
  ///
  /// A step is asked for the value of a required property by `strata check`. A migration block is not asked, so that the
  /// property begins as zero or empty there, as those who come from Realm expect.
  func value(ofNew property: Property, in schema: Schema) -> Value {
    if let value = property.defaultValue { return value }
    guard self == .classic, property.isRequiredColumn, let type = property.type.valueType else {
      return .null
    }
    guard let zero = schema.storedScalar(of: type.base)?.zero else { return .null }
    if case .enumeration(let name) = type.base {
      let cases = schema.enumeration(named: name)?.cases ?? []
      return cases.contains { $0.rawValue == zero } ? zero : .null
    }
    return zero
  }
}

extension ScalarType {
  /// Nothing, as a value of the type.
  fileprivate var zero: Value {
    switch self {
    case .bool: .bool(false)
    case .int, .int8, .int16, .int32, .int64: .int(0)
    case .float: .float(0)
    case .double: .double(0)
    case .string: .string("")
    case .data: .data([])
    // 1970-01-01, as Realm has it.
    case .date: .date(-978_307_200)
    case .uuid: .uuid(UUIDValue(high: 0, low: 0))
    case .decimal: DecimalValue("0").map(Value.decimal) ?? .null
    case .objectID: .objectID(ObjectIDValue(high: 0, low: 0))
    case .any: .null
    }
  }
}

/// An upgrade in the classic form.
struct ClassicForm {
  /// Nil where what continues by its name is all that there is to do.
  let block: MigrationBlock?
  /// The stored properties of each model as they were declared.
  let declaredOrder: [String: [Int]]
}

extension UpgradeTarget {
  /// One schema that files of any older version are brought to at once, perhaps by a block.
  package init(classic schema: Schema, block: MigrationBlock? = nil) {
    self.init(classic: schema, form: ClassicForm(block: block, declaredOrder: [:]))
  }

  init(classic definition: SchemaDefinition, block: MigrationBlock?) {
    let orders = definition.models.map { ($0.model.name, $0.declaredOrder) }
    self.init(
      classic: definition.schema,
      form: ClassicForm(block: block, declaredOrder: Dictionary(uniqueKeysWithValues: orders)))
  }

  private init(classic schema: Schema, form: ClassicForm) {
    let version = FrozenVersion(
      schema: schema, step: nil, date: DateText.today, stepDigest: nil, chain: nil)
    self.init(history: History(name: schema.name, versions: [version]), classic: form)
  }

  /// The file's own shape and the newest one, or the newest alone where the file has it.
  func classicVersions(from stored: StoredSchema, path: String) throws -> [FrozenVersion] {
    guard let newest = history.newest else { return [] }
    guard stored.schemaName == history.name else {
      throw MigrationError(
        .foreignFile, "\(path) holds the schema \(stored.schemaName), not \(history.name).")
    }
    guard stored.version <= newest.number else {
      throw MigrationError(
        .fileIsNewer,
        """
        \(path) is at version \(stored.version) of \(history.name); the newest version that this program knows \
        is \(newest.number). Use a newer program.
        """)
    }
    if stored.version == newest.number {
      if stored.shape == newest.shape { return [newest] }
      let changes = ClassicDifferences(from: stored.schema, to: newest.schema)
      guard changes.areAdditive else {
        throw MigrationError(
          .unknownShape,
          """
          \(path) is at version \(stored.version) of \(history.name), whose declarations have changed since: \
          \(changes.text) Raise the version.
          """)
      }
    }
    let source = FrozenVersion(
      schema: stored.schema, step: nil, date: "", stepDigest: nil, chain: stored.chain)
    return [source, newest]
  }

  /// Where everything in a version comes from.
  func lineage(of version: FrozenVersion, from stored: StoredSchema, renames: Renames) -> Lineage {
    if classic == nil {
      return lineage(at: version.number) ?? Lineage(beginning: version.schema)
    }
    return stored.lineage.advanced(from: stored.schema, to: version.schema, renames: renames)
  }
}

extension DateText {
  /// The day in UTC.
  fileprivate static var today: String {
    let day = (WallClock.secondsSinceReferenceDate / 86_400).rounded(.down) * 86_400
    return String((text(of: day) ?? "").prefix(10))
  }
}
