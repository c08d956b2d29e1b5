import StrataExpression
import StrataHistory
package import StrataSchema

/// What real files say about a change.
package struct Evidence {
  let pair: CheckedPair
  let samples: [Sample]

  package init(pair: CheckedPair, samples: [Sample]) {
    self.pair = pair
    self.samples = samples.filter { $0.version == pair.older.number }
  }

  /// Objects a second, measured: entries of an index, and texts of a full-text index.
  private static let indexedObjects = 1_000_000.0
  private static let indexedTexts = 200_000.0

  /// How long an index takes to build: `about 0.4 s for the 400,000 Person in old.db`.
  private func buildTime(_ change: SchemaChange) -> String? {
    guard let model = pair.newer.schema.model(named: change.path.model),
      let old = (pair.step?.renames ?? Renames()).oldModel(of: model.name, in: pair.older.schema),
      let most = samples.max(by: { ($0.counts[old.name] ?? 0) < ($1.counts[old.name] ?? 0) }),
      let count = most.counts[old.name]
    else { return nil }
    let isText = change.kind == .fulltextChanged
    if isText, change.path.property.flatMap(model.property(named:))?.index != .fulltext {
      return nil
    }
    let tenths = Int(
      (Double(count) / (isText ? Self.indexedTexts : Self.indexedObjects) * 10).rounded(.up))
    return
      "about \(tenths / 10).\(tenths % 10) s for the \(grouped(count)) \(old.name) in \(most.file)"
  }

  /// The most that one file has: `41 of 9,312 Person have a null email in old.db`.
  package func sentence(on change: SchemaChange) -> String? {
    if change.kind == .indexAdded || change.kind == .fulltextChanged { return buildTime(change) }
    let found = samples.compactMap { sample in
      count(change, in: sample).map { (sample: sample, count: $0.count, what: $0.what) }
    }
    guard let most = found.max(by: { $0.count < $1.count }) else { return nil }
    let model = change.oldPath?.model ?? change.path.model
    let total = most.sample.counts[model].map { " of \(grouped($0))" } ?? ""
    return "\(grouped(most.count))\(total) \(most.what) in \(most.sample.file)"
  }

  private func count(_ change: SchemaChange, in sample: Sample) -> (count: Int, what: String)? {
    if change.kind == .enumCaseRemoved || change.kind == .enumRawValueChanged {
      return sample.values[change.path].map { ($0, "objects hold it") }
    }
    guard let old = change.oldPath ?? (change.kind == .requiredPropertyAdded ? change.path : nil)
    else { return nil }
    switch change.kind {
    case .madeRequired, .linkMadeRequired:
      let name = old.property ?? ""
      return sample.nils[old].map { ($0, "\(old.model) have a null \(name)") }
        ?? sample.nilElements[old].map { ($0, "\(old.model) have a null element in \(name)") }
    case .propertyRemoved, .relationshipRemoved, .propertyRenamedUndeclared, .typeChangedLossy,
      .typeChangedIncompatible:
      if let owners = sample.filled[old] {
        return (owners, "\(old.model) have elements in \(old.property ?? "")")
      }
      guard let total = sample.counts[old.model] else { return nil }
      let nils = sample.nils[old] ?? 0
      return (total - nils, "\(old.model) have a \(old.property ?? "")")
    case .requiredPropertyAdded, .modelRemoved, .modelRenamedUndeclared:
      return sample.counts[old.model].map { ($0, "\(old.model) are there") }
    case .primaryKeyAdded, .primaryKeyChanged, .uniqueAdded:
      guard let names = uniqueNames(change) else { return nil }
      return sample.duplicates[Sample.Key(old.model, names)].map {
        ($0, "\(old.model) agree with an earlier one in \(names.joined(separator: ", "))")
      }
    case .ruleAdded, .ruleChanged:
      let key = Sample.RuleKey(version: pair.newer.number, at: change.path)
      return sample.broken[key].map { ($0, "\(old.model) break it") }
    default: return nil
    }
  }

  /// The old names of what has to be unique.
  private func uniqueNames(_ change: SchemaChange) -> [String]? {
    SampleQuestion.names(of: change, in: pair)
  }
}

/// What is asked of real files before a step.
package enum SampleQuestion {
  /// The old names of the properties in which no two objects may agree after a change; nil where one of them is
  /// new.
  package static func names(of change: SchemaChange, in pair: CheckedPair) -> [String]? {
    guard let old = change.oldPath.flatMap({ pair.older.schema.model(named: $0.model) }),
      let new = pair.newer.schema.model(named: change.path.model)
    else { return nil }
    let names =
      change.path.property.map { [$0] }
      ?? (change.kind == .uniqueAdded ? change.together : new.primaryKey)
    let renames = pair.step?.renames ?? Renames()
    let olds = names.compactMap { renames.oldProperty(of: $0, in: old)?.name }
    return olds.count == names.count && !olds.isEmpty ? olds : nil
  }
}
