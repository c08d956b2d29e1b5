package import StrataSchema

/// All frozen versions of a schema in order, with the steps between them.
package struct History: Hashable, Sendable {
  package var name: String
  /// Sorted by version number.
  package private(set) var versions: [FrozenVersion]

  package init(name: String, versions: [FrozenVersion] = []) {
    self.name = name
    self.versions = versions.sorted { $0.schema.version < $1.schema.version }
  }

  package var newest: FrozenVersion? { versions.last }

  package func version(_ number: Int) -> FrozenVersion? {
    versions.first { $0.schema.version == number }
  }

  /// The lineage of everything in the version with this number.
  package func lineage(at number: Int) -> Lineage? {
    guard let first = versions.first, version(number) != nil else { return nil }
    var lineage = Lineage(beginning: first.schema)
    for (older, newer) in zip(versions, versions.dropFirst())
    where newer.schema.version <= number {
      lineage = lineage.advanced(
        from: older.schema, to: newer.schema, renames: newer.step?.renames ?? Renames())
    }
    return lineage
  }
}

/// One version as it was frozen: its schema, the step that reaches it, and its line of the lock.
package struct FrozenVersion: Hashable, Sendable {
  package var schema: Schema
  /// The declarative step that reaches the version, if it has one.
  package var step: MigrationStep?
  /// The day of freezing, `2026-11-21`.
  package var date: String
  /// Digest of what the schema means for stored data.
  package var shape: Digest
  /// Digest of the step's meaning and its Swift block's tokens; nil where there is no step.
  package var stepDigest: Digest?
  /// Digest over all lines of the lock up to this one. Nil for a working version that is not frozen yet.
  package var chain: Digest?

  /// - Parameter shape: the schema's own, where it is known already; nil to work it out.
  package init(
    schema: Schema, step: MigrationStep?, date: String, shape: Digest? = nil, stepDigest: Digest?,
    chain: Digest?
  ) {
    self.schema = schema
    self.step = step
    self.date = date
    self.shape = shape ?? schema.shape
    self.stepDigest = stepDigest
    self.chain = chain
  }

  package var number: Int { schema.version }
  package var isFrozen: Bool { chain != nil }
}

// MARK: - JSON

extension History {
  /// Everything, as generated code embeds it.
  package var json: JSON {
    .object(["history": .string(name), "versions": .array(versions.map(\.json))])
  }

  /// Reads what `json` wrote.
  package init(json: JSON) throws(SchemaFormatError) {
    self.init(
      name: try json.required("history", \.string),
      versions: try json.required("versions", \.array).map {
        element throws(SchemaFormatError) in try FrozenVersion(json: element)
      })
  }
}

extension FrozenVersion {
  fileprivate var json: JSON {
    var members: [String: JSON] = ["schema": schema.json, "date": .string(date)]
    if let step { members["step"] = step.json }
    if let stepDigest { members["stepDigest"] = .string(stepDigest.description) }
    if let chain { members["chain"] = .string(chain.description) }
    return .object(members)
  }

  fileprivate init(json: JSON) throws(SchemaFormatError) {
    var step: MigrationStep?
    if let json = json["step"] { step = try MigrationStep(json: json) }
    self.init(
      schema: try Schema(json: try json.required("schema") { $0 }), step: step,
      date: try json.required("date", \.string),
      stepDigest: json["stepDigest"]?.string.flatMap { Digest($0) },
      chain: json["chain"]?.string.flatMap { Digest($0) })
  }
}
