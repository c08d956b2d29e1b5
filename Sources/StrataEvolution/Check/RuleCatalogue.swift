package import StrataSchema

/// All rules, by code: one file of `Rules/` each.
package enum RuleCatalogue {
  package static let all: [Rule] = [
    .modelAdded,
    .modelRemoved,
    .modelRenamedUndeclared,
    .modelRenamed,
    .modelSplit,
    .modelMerged,
    .embeddingChanged,
    .propertyAdded,
    .requiredPropertyAdded,
    .propertyRemoved,
    .propertyRenamedUndeclared,
    .propertyRenamed,
    .propertyNameReused,
    .propertyOrderOnly,
    .propertyMoved,
    .typeWidened,
    .typeChangedLossy,
    .typeChangedIncompatible,
    .madeRequired,
    .madeOptional,
    .defaultChanged,
    .defaultRemoved,
    .defaultTypeMismatch,
    .primaryKeyChanged,
    .primaryKeyAdded,
    .uniqueAdded,
    .uniqueRemoved,
    .ruleAdded,
    .ruleChanged,
    .ruleRemoved,
    .indexAdded,
    .indexRemoved,
    .indexRedundant,
    .fulltextChanged,
    .relationshipRemoved,
    .relationshipTargetChanged,
    .cardinalityNarrowed,
    .cardinalityWidened,
    .orderingChanged,
    .inverseMissing,
    .deleteRuleChanged,
    .deleteRuleCycle,
    .linkMadeRequired,
    .inverseChanged,
    .enumCaseRemoved,
    .enumCaseAdded,
    .enumRawValueChanged,
    .enumRawTypeChanged,
    .embeddedNesting,
    .enumAdded,
    .enumRemoved,
    .swiftAPIBreak,
    .reservedSwiftIdentifier,
    .caseInsensitiveNameClash,
    .nameLimit,
    .tableRebuild,
    .diskSpace,
    .slowBlock,
    .frozenVersionEdited,
    .lockFileInvalid,
    .versionNumberCollision,
    .versionMissing,
    .headAheadOfFrozen,
    .blockEditedAfterRelease,
    .hashAlgorithmChanged,
    .migrationBlockMissing,
    .migrationBlockUnneeded,
    .blockLeavesPropertyUnfilled,
    .blockNondeterministic,
    .blockUsesLiveModel,
    .pathDependenceFound,
    .noSampleData,
    .oldestSupportedUnreachable,
    .acceptUnused,
    .stepNamesUnknown,
    .settingUnknown,
    .strayStep,
  ]

  package static let byKind: [ChangeKind: Rule] = {
    var rules: [ChangeKind: Rule] = [:]
    for rule in all {
      if case .change(let kind) = rule.detection { rules[kind] = rule }
    }
    return rules
  }()

  private static let byName = Dictionary(
    all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  package static func named(_ name: String) -> Rule? { byName[name] }

  package static func coded(_ code: String) -> Rule? { all.first { $0.code == code } }

  /// What may be meant by a name that no rule has: the code of one, or a name near it.
  static func question(_ name: String) -> String? {
    if let rule = coded(name) { return "\(name) is called '\(rule.name)'" }
    return NearestName.question(name, among: all.map(\.name))
  }
}
