/// What can change between two versions, by the stable code of the rule that judges it.
///
/// Every difference of two schemas that means something for stored data is one change of one kind.
package enum ChangeKind: String, CaseIterable, Hashable, Sendable {
  case modelAdded = "STR3101"
  case modelRemoved = "STR3102"
  case modelRenamedUndeclared = "STR3103"
  case modelRenamed = "STR3104"
  case modelSplit = "STR3105"
  case modelMerged = "STR3106"
  case embeddingChanged = "STR3107"
  case propertyAdded = "STR3201"
  case requiredPropertyAdded = "STR3202"
  case propertyRemoved = "STR3203"
  case propertyRenamedUndeclared = "STR3204"
  case propertyRenamed = "STR3205"
  case propertyMoved = "STR3209"
  case typeWidened = "STR3301"
  case typeChangedLossy = "STR3302"
  case typeChangedIncompatible = "STR3303"
  case madeRequired = "STR3401"
  case madeOptional = "STR3402"
  case defaultChanged = "STR3403"
  case defaultRemoved = "STR3405"
  case primaryKeyChanged = "STR3501"
  case primaryKeyAdded = "STR3502"
  case uniqueAdded = "STR3503"
  case uniqueRemoved = "STR3504"
  case ruleAdded = "STR3505"
  case ruleChanged = "STR3506"
  case ruleRemoved = "STR3507"
  case indexAdded = "STR3601"
  case indexRemoved = "STR3602"
  case fulltextChanged = "STR3605"
  case relationshipRemoved = "STR3701"
  case relationshipTargetChanged = "STR3702"
  case cardinalityNarrowed = "STR3703"
  case cardinalityWidened = "STR3704"
  case orderingChanged = "STR3705"
  case deleteRuleChanged = "STR3707"
  case linkMadeRequired = "STR3709"
  case inverseChanged = "STR3710"
  case enumCaseRemoved = "STR3801"
  case enumCaseAdded = "STR3802"
  case enumRawValueChanged = "STR3803"
  case enumRawTypeChanged = "STR3804"
  case enumAdded = "STR3806"
  case enumRemoved = "STR3807"
  /// Equal to Unicode, and of other scalars than before.
  case nameSpelledOtherwise = "STR3903"
}

/// What a change asks of the step between two versions.
package enum Verdict: String, CaseIterable, Hashable, Sendable {
  /// The upgrade needs nothing.
  case automatic
  /// The upgrade needs no step. It looks at every object, and refuses a file of which one breaks the rule.
  case verified
  /// A step has to say what becomes of the data.
  case step
  /// Nothing makes it good.
  case never
}

extension Verdict {
  /// Whether an upgrade is refused where no step covers the change.
  package var needsStep: Bool { self == .step || self == .never }
}

extension ChangeKind {
  package var code: String { rawValue }

  /// What is to be done about a change that no step can cover; nil of the others.
  package var helpWithoutStep: String? {
    self == .nameSpelledOtherwise ? "write the name as the version before has it" : nil
  }

  /// The name that people write in `accept:` and `strata.yaml`.
  package var name: String {
    switch self {
    case .modelAdded: "model-added"
    case .modelRemoved: "model-removed"
    case .modelRenamedUndeclared: "model-renamed-undeclared"
    case .modelRenamed: "model-renamed"
    case .modelSplit: "model-split"
    case .modelMerged: "model-merged"
    case .embeddingChanged: "embedded-to-model"
    case .propertyAdded: "property-added-optional"
    case .requiredPropertyAdded: "property-added-required-no-default"
    case .propertyRemoved: "property-removed"
    case .propertyRenamedUndeclared: "property-renamed-undeclared"
    case .propertyRenamed: "property-renamed"
    case .propertyMoved: "property-moved"
    case .typeWidened: "type-widened"
    case .typeChangedLossy: "type-changed-lossy"
    case .typeChangedIncompatible: "type-changed-incompatible"
    case .madeRequired: "made-required"
    case .madeOptional: "made-optional"
    case .defaultChanged: "default-changed"
    case .defaultRemoved: "default-removed"
    case .primaryKeyChanged: "primary-key-changed"
    case .primaryKeyAdded: "primary-key-added"
    case .uniqueAdded: "unique-added"
    case .uniqueRemoved: "unique-removed"
    case .ruleAdded: "rule-added"
    case .ruleChanged: "rule-changed"
    case .ruleRemoved: "rule-removed"
    case .indexAdded: "index-added"
    case .indexRemoved: "index-removed"
    case .fulltextChanged: "fulltext-changed"
    case .relationshipRemoved: "relationship-removed"
    case .relationshipTargetChanged: "relationship-target-changed"
    case .cardinalityNarrowed: "cardinality-narrowed"
    case .cardinalityWidened: "cardinality-widened"
    case .orderingChanged: "ordering-changed"
    case .deleteRuleChanged: "delete-rule-changed"
    case .linkMadeRequired: "link-made-required"
    case .inverseChanged: "inverse-changed"
    case .enumCaseRemoved: "enum-case-removed"
    case .enumCaseAdded: "enum-case-added-closed"
    case .enumRawValueChanged: "enum-raw-value-changed"
    case .enumRawTypeChanged: "enum-raw-type-changed"
    case .enumAdded: "enum-added"
    case .enumRemoved: "enum-removed"
    case .nameSpelledOtherwise: "case-insensitive-name-clash"
    }
  }

  package var verdict: Verdict {
    switch self {
    case .modelAdded, .modelRenamed, .propertyAdded, .propertyRenamed, .typeWidened, .madeOptional,
      .defaultChanged, .defaultRemoved, .uniqueRemoved, .indexAdded, .indexRemoved,
      .fulltextChanged, .cardinalityWidened, .orderingChanged, .deleteRuleChanged, .inverseChanged,
      .enumCaseAdded, .enumAdded, .enumRemoved, .ruleRemoved:
      .automatic
    case .ruleAdded, .ruleChanged: .verified
    case .modelRemoved, .modelRenamedUndeclared, .modelSplit, .modelMerged, .embeddingChanged,
      .requiredPropertyAdded, .propertyRemoved, .propertyRenamedUndeclared, .propertyMoved,
      .typeChangedLossy, .typeChangedIncompatible, .madeRequired, .primaryKeyChanged,
      .primaryKeyAdded, .uniqueAdded, .relationshipRemoved, .relationshipTargetChanged,
      .cardinalityNarrowed, .linkMadeRequired, .enumCaseRemoved, .enumRawValueChanged,
      .enumRawTypeChanged:
      .step
    case .nameSpelledOtherwise: .never
    }
  }
}
