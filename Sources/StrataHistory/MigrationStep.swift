package import StrataExpression
package import StrataSchema

/// What leads from one version to the next, apart from Swift blocks: the meaning of `migrations/N.yaml`.
///
/// The command interprets it, generated code embeds it as JSON.
package struct MigrationStep: Hashable, Sendable {
  /// The version that the step reaches.
  package var to: Int
  package var renames: Renames
  /// New model → new property → expression over the old object.
  package var set: [String: [String: Expression]]
  /// Old model → condition over the old object: objects that are not carried over.
  package var delete: [String: Expression]
  /// Old model → which objects are one.
  package var deduplicate: [String: Deduplication]
  /// New model and rule → what becomes of objects that break the rule.
  package var repair: [SchemaPath: Repair]
  /// Old models and properties whose data is given up on purpose.
  package var drop: Set<SchemaPath>
  /// Old model → old property → expression over the new object: what a change takes back where nothing else says it.
  package var back: [String: [String: Expression]] = [:]
  /// New models that the version's Swift block touches.
  package var swiftModels: Set<String>
  package var accept: [Acceptance]

  package init(
    to: Int, renames: Renames = Renames(), set: [String: [String: Expression]] = [:],
    delete: [String: Expression] = [:], deduplicate: [String: Deduplication] = [:],
    repair: [SchemaPath: Repair] = [:], drop: Set<SchemaPath> = [], swiftModels: Set<String> = [],
    accept: [Acceptance] = []
  ) {
    self.to = to
    self.renames = renames
    self.set = set
    self.delete = delete
    self.deduplicate = deduplicate
    self.repair = repair
    self.drop = drop
    self.swiftModels = swiftModels
    self.accept = accept
  }

  /// The model of the newer version that continues an old one.
  package func newModel(of old: String, in older: Schema, to newer: Schema) -> Model? {
    newer.models.first { renames.oldModel(of: $0.name, in: older)?.name == old }
  }

  /// What the step accepts of a change without saying what becomes of its data; nil where it accepts nothing of it.
  package func acceptance(of change: SchemaChange) -> Acceptance? {
    guard change.verdict != .never else { return nil }
    return accept.first {
      $0.rule == change.kind.name && ($0.at == change.path || $0.at == change.oldPath)
    }
  }

  /// Whether the version has a Swift block.
  package var hasBlock: Bool { !swiftModels.isEmpty }
}

/// Objects that agree in `properties` become one.
package struct Deduplication: Hashable, Sendable {
  package enum Keep: String, CaseIterable, Hashable, Sendable {
    case first
    case last
  }

  /// Old property names.
  package var properties: [String]
  /// Which object of each group stays, in identity order.
  package var keep: Keep

  package init(properties: [String], keep: Keep) {
    self.properties = properties
    self.keep = keep
  }
}

/// What becomes of objects of the new version that break one of its rules. Expressions are over such an object, by the
/// names of the new version.
package struct Repair: Hashable, Sendable {
  /// Which of them are deleted; nil for none.
  package var delete: Expression?
  /// New property → value, for those that stay.
  package var set: [String: Expression]

  package init(delete: Expression? = nil, set: [String: Expression] = [:]) {
    self.delete = delete
    self.set = set
  }
}

/// A finding that was looked at and is meant.
package struct Acceptance: Hashable, Sendable {
  /// The rule's name, for example `property-removed`.
  package var rule: String
  package var at: SchemaPath
  package var because: String

  package init(rule: String, at: SchemaPath, because: String) {
    self.rule = rule
    self.at = at
    self.because = because
  }
}
