import StrataExpression
package import StrataHistory
package import StrataSchema
package import StrataSource

/// Something that is judged about a schema's history: one file of `Rules/` each.
package struct Rule: Sendable {
  package enum Class: String, Hashable, Sendable {
    /// The upgrade needs nothing.
    case automatic = "auto"
    /// A step has to cover it.
    case step
    /// Refused.
    case never
    case advice
  }

  /// How findings of a rule come about.
  package enum Detection: Sendable {
    /// A change of this kind that no step covers, or that is worth knowing.
    case change(ChangeKind)
    /// Looking at two versions that follow each other.
    case pair(@Sendable (CheckedPair) -> [Finding])
    /// Looking at the newest version alone.
    case version(@Sendable (CheckedVersion) -> [Finding])
    /// Looking at everything.
    case history(@Sendable (CheckInput) -> [Finding])
    /// Another station finds it: the reader of declarations, of the history, or a run on files.
    case elsewhere
  }

  package let code: String
  package let name: String
  package let severity: Severity
  package let `class`: Class
  /// A sentence for the catalogue.
  package let summary: String
  /// The next move, for a finding.
  package let help: @Sendable (Finding) -> String?
  package let detection: Detection

  package init(
    _ code: String, _ name: String, _ severity: Severity, _ class: Class, _ summary: String,
    help: @escaping @Sendable (Finding) -> String? = { _ in nil }, _ detection: Detection
  ) {
    self.code = code
    self.name = name
    self.severity = severity
    self.class = `class`
    self.summary = summary
    self.help = help
    self.detection = detection
  }

  /// A rule about one kind of change, which knows its code, its name and its class.
  init(
    _ kind: ChangeKind, _ severity: Severity, _ summary: String,
    help: @escaping @Sendable (Finding) -> String?
  ) {
    let `class`: Class =
      switch kind.verdict {
      case .automatic, .verified: .automatic
      case .step: .step
      case .never: .never
      }
    self.init(kind.code, kind.name, severity, `class`, summary, help: help, .change(kind))
  }
}

extension Rule {
  /// Rules of which readers and `strata verify` find something where no severity is asked for: a mistake of declarations, or a seal
  /// that does not hold, keeps the rest from being judged.
  private static let fixedCodes: Set<String> = [
    "STR3406", "STR3706", "STR3708", "STR3902", "STR3903", "STR3904", "STR4001", "STR4002",
    "STR4003", "STR4004", "STR4015",
  ]

  /// Whether no setting changes the rule's severity. A rule that readers apply in part has one severity, wherever it finds something.
  package var hasFixedSeverity: Bool { Self.fixedCodes.contains(code) }
}

/// What a rule found, before severities and acceptances are applied.
package struct Finding: Sendable {
  package var message: String
  package var path: SchemaPath?
  /// Where the same thing was in the older version.
  package var oldPath: SchemaPath?
  package var span: SourceSpan?
  package var labels: [Diagnostic.Label]
  /// In place of the rule's own help.
  package var help: String?
  package var fixIt: FixIt?
  /// The version whose step could accept it.
  package var version: Int?

  package init(
    _ message: String, at span: SourceSpan?, path: SchemaPath? = nil, oldPath: SchemaPath? = nil,
    labels: [Diagnostic.Label] = [], help: String? = nil, fixIt: FixIt? = nil, version: Int? = nil
  ) {
    self.message = message
    self.span = span
    self.path = path
    self.oldPath = oldPath
    self.labels = labels
    self.help = help
    self.fixIt = fixIt
    self.version = version
  }

  /// The property's name, or the model's where it is about one.
  var name: String { path.map { $0.property ?? $0.model } ?? "" }
}

/// Two versions that follow each other, with what changed between them.
package struct CheckedPair: Sendable {
  package let older: CheckedVersion
  package let newer: CheckedVersion
  package let coverage: StepCoverage
  package let changes: [SchemaChange]
  /// Whether the newer version is what is being worked on: then advice is wanted, too.
  package let isOpen: Bool
  /// Whether generated classes are public.
  package let hasPublicClasses: Bool

  package init(
    older: CheckedVersion, newer: CheckedVersion, isOpen: Bool, hasPublicClasses: Bool = true
  ) {
    self.hasPublicClasses = hasPublicClasses
    self.older = older
    self.newer = newer
    self.isOpen = isOpen
    // A sealed block is not to be edited any more.
    coverage = StepCoverage(
      older: older.schema, newer: newer.schema, step: newer.step?.step,
      idleModels: isOpen ? newer.idleModels : [])
    changes = coverage.diff.changes
  }

  /// Without renames that lead to nothing.
  package var step: MigrationStep? { coverage.step }

  /// Where a change is seen: in the newer version, at the model where something is gone, else at the number.
  func span(of change: SchemaChange) -> SourceSpan? {
    let places = newer.places
    if let aspect = change.kind.aspect, let span = places.find(change.path, aspect) { return span }
    if let span = places[change.path] { return span }
    let model = step?.renames.models[change.path.model] ?? change.path.model
    return places[SchemaPath(model)] ?? places.version
  }

  /// Where it was, if that is in another file or place.
  func labels(of change: SchemaChange) -> [Diagnostic.Label] {
    guard let old = change.oldPath,
      change.verdict != .automatic, let span = older.places[old]
    else { return [] }
    let isGone = newer.places[change.path] == nil
    return [Diagnostic.Label(isGone ? "it was here" : "it was this", at: span)]
  }
}

extension ChangeKind {
  /// What of a property or model a change is about.
  fileprivate var aspect: SchemaPlaces.Aspect? {
    switch self {
    case .typeWidened, .typeChangedLossy, .typeChangedIncompatible, .madeRequired, .madeOptional,
      .relationshipTargetChanged, .cardinalityNarrowed, .cardinalityWidened, .orderingChanged,
      .linkMadeRequired:
      .type
    case .defaultChanged: .defaultValue
    case .deleteRuleChanged: .deleteRule
    case .primaryKeyAdded, .primaryKeyChanged: .primaryKey
    case .embeddingChanged: .embedded
    case .ruleAdded, .ruleChanged: .rule
    default: nil
    }
  }
}

// The names that helps are made of.
extension Finding {
  /// The model in the newer version.
  var model: String { path?.model ?? "" }
  /// The path in the older version.
  var old: String { (oldPath ?? path)?.description ?? "" }
  var oldModel: String { (oldPath ?? path)?.model ?? "" }
  /// The property's name in the older version, or the model's.
  var oldName: String { (oldPath ?? path).map { $0.property ?? $0.model } ?? "" }
}
