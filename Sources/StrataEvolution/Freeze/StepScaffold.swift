import StrataExpression
import StrataHistory
import StrataSchema
import StrataSource

/// A step file with a question for each change that needs an answer. A question is spelled `???`, which no
/// expression, name or word is: the step does not validate before all of them are gone.
struct StepScaffold {
  static let hole = "???"

  let older: Schema
  let newer: Schema
  let changes: [SchemaChange]
  /// What needs no question: renames, values and drops that are known.
  let known: MigrationStep?
  /// Whether Swift files for the version exist already.
  let hasBlock: Bool
  /// What `strata` is told when the answers are there.
  let sealingCommand: String

  init(
    from older: Schema, to newer: Schema, changes: [SchemaChange], known: MigrationStep? = nil,
    hasBlock: Bool, sealedBy sealingCommand: String
  ) {
    self.older = older
    self.newer = newer
    self.changes = changes
    self.known = known
    self.hasBlock = hasBlock
    self.sealingCommand = sealingCommand
  }

  var files: [FreezeFile] {
    var files = [FreezeFile(.migration("\(newer.version).yaml"), text)]
    if !hasBlock, let first = blockModels.first {
      files.append(FreezeFile(.migration("\(newer.version)-\(first).swift"), block))
    }
    return files
  }

  // MARK: YAML

  private var text: String {
    var text =
      changes.isEmpty
      ? """
      # From version \(older.version) to version \(newer.version).
      to: \(newer.version)

      """
      : """
      # From version \(older.version) to version \(newer.version). Each ??? is a question that only you can answer;
      # 'strata check' fails until the last one is gone. 'strata \(sealingCommand)' seals the answers.
      to: \(newer.version)

      """
    text += section("rename", knownRenames + lines(of: renames))
    text += section("set", setLines)
    text += section("delete", knownDeletions + lines(of: deletions))
    text += section("deduplicate", knownDeduplications + lines(of: deduplications))
    text += section("drop", knownDrops + dropLines)
    let models = blockModels
    if !models.isEmpty {
      text += "swift: [\(models.map(YAMLWriter.name).joined(separator: ", "))]\n"
    }
    return text
  }

  private var knownRenames: [String] {
    let renames = known?.renames ?? Renames()
    let models = renames.models.sorted { $0.key < $1.key }.map {
      "\(YAMLWriter.name($0.key)): \(YAMLWriter.name($0.value))"
    }
    let properties = renames.properties.sorted { $0.key < $1.key }.map {
      "\($0.key): \(YAMLWriter.name($0.value))"
    }
    return models + properties
  }

  private var knownDeletions: [String] {
    (known?.delete ?? [:]).sorted { $0.key < $1.key }.map {
      "\(YAMLWriter.name($0.key)): \(YAMLWriter.quoted($0.value.text))"
    }
  }

  private var knownDeduplications: [String] {
    (known?.deduplicate ?? [:]).sorted { $0.key < $1.key }.map {
      "\(YAMLWriter.name($0.key)): { by: \(YAMLWriter.list($0.value.properties)), keep: \($0.value.keep.rawValue) }"
    }
  }

  private var knownDrops: [String] {
    (known?.drop ?? []).sorted().map {
      $0.property == nil ? "- \(YAMLWriter.name($0.model))" : "- \($0)"
    }
  }

  private struct Line {
    var comment: String
    var text: String
  }

  private func section(_ key: String, _ lines: [String]) -> String {
    lines.isEmpty ? "" : ([key + ":"] + lines.map { "  " + $0 }).map { $0 + "\n" }.joined()
  }

  private func lines(of entries: [Line]) -> [String] {
    entries.flatMap { ["# \($0.comment.onOneLine)", $0.text] }
  }

  private var renames: [Line] {
    changes.compactMap { change in
      guard let old = change.oldPath else { return nil }
      switch change.kind {
      case .modelRenamedUndeclared, .propertyRenamedUndeclared:
        let new = change.path.property ?? change.path.model
        return Line(
          comment: "\(change.message): \(new), if it was renamed; else move it to drop:",
          text: "\(old): \(Self.hole)")
      case .modelRemoved:
        guard let heir = heir(of: old.model) else { return nil }
        return Line(
          comment:
            "'\(old)' is abstract now: the sub-entity that its objects become, or move it to drop:",
          text: "\(old): \(YAMLWriter.quoted("\(Self.hole) \(heir)"))")
      default: return nil
      }
    }
  }

  /// Of a model that became abstract: the new one below it that has most of its properties, and not fewer than another one.
  private func heir(of name: String) -> String? {
    guard newer.model(named: name)?.isAbstract == true, let old = older.model(named: name) else {
      return nil
    }
    let heirs = newer.storedModels.filter {
      $0.extends == name && older.model(named: $0.name) == nil
    }
    func common(_ model: Model) -> Int {
      old.storedProperties.count { model.property(named: $0.name)?.type == $0.type }
    }
    return heirs.max { (common($0), $1.name) < (common($1), $0.name) }?.name
  }

  private var coverage: StepCoverage { StepCoverage(older: older, newer: newer, step: known) }

  /// What objects of a model are told apart by from now on, of all its changes together.
  private struct Apart {
    var comments: [String] = []
    /// By their old names.
    var lists: [[String]] = []
    /// The list that one rule can go by; empty where none answers all.
    var common: [String] { StepCoverage.common(to: lists) ?? [] }
  }

  private var apart: [String: Apart] {
    var found: [String: Apart] = [:]
    for change in changes {
      guard let old = change.oldPath?.model else { continue }
      for names in coverage.askedApart(change) where !names.isEmpty {
        var entry = found[old] ?? Apart()
        if entry.comments.last != change.message { entry.comments.append(change.message) }
        entry.lists.append(names)
        found[old] = entry
      }
    }
    return found
  }

  private var deduplications: [Line] {
    apart.sorted { $0.key < $1.key }.compactMap { model, entry in
      let names = entry.common
      guard !names.isEmpty else { return nil }
      let question =
        older.model(named: model)?.isEmbedded == true
        ? "embedded objects are never merged, and equal ones stop the upgrade: answer first where there are none, else tell them apart in a Swift block"
        : "which one stays, first or last?"
      return Line(
        comment: "\(entry.comments.joined(separator: "; ")): \(question)",
        text: "\(model.inYAML): { by: \(YAMLWriter.list(names)), keep: \"\(Self.hole)\" }")
    }
  }

  /// Objects that lack what is required now can go.
  private var deletions: [Line] {
    var byModel: [String: (comments: [String], conditions: [String])] = [:]
    for change in changes {
      guard let old = change.oldPath, let name = old.property else { continue }
      if change.kind == .linkMadeRequired {
        byModel[old.model, default: ([], [])].comments.append(
          "\(change.message): delete those, or say in set: where it leads")
        byModel[old.model, default: ([], [])].conditions.append("old.\(name) == nil")
      } else if let deletion = answer(change)?.deletion?.text ?? valueAnswer(change)?.deletion {
        byModel[old.model, default: ([], [])].comments.append(
          "\(change.path) is required, and \(old) may lead to no object: delete those")
        byModel[old.model, default: ([], [])].conditions.append(deletion)
      }
    }
    return byModel.sorted { $0.key < $1.key }.map { model, entry in
      Line(
        comment: entry.comments.joined(separator: "; "),
        text:
          "\(YAMLWriter.name(model)): \(YAMLWriter.quoted("\(Self.hole) \(entry.conditions.joined(separator: " OR "))"))"
      )
    }
  }

  private func answer(_ change: SchemaChange) -> LinkAnswer? {
    LinkAnswer(change, from: older, to: newer, renames: known?.renames ?? Renames())
  }

  private func valueAnswer(_ change: SchemaChange) -> ValueAnswer? {
    ValueAnswer(change, from: older, to: newer, renames: known?.renames ?? Renames())
  }

  /// Whether no expression says what becomes of the values.
  private func isLeftToBlock(_ change: SchemaChange) -> Bool {
    answer(change) == nil && valueAnswer(change)?.needsBlock == true
  }

  private var dropLines: [String] {
    changes.flatMap { change -> [String] in
      switch change.kind {
      case .modelRemoved where heir(of: change.path.model) != nil: []
      case .modelRemoved, .propertyRemoved, .relationshipRemoved, .propertyMoved:
        [
          "# \(change.message.onOneLine)",
          "- \(YAMLWriter.quoted("\(Self.hole) \(change.oldPath ?? change.path)"))",
        ]
      default: []
      }
    }
  }

  // MARK: set

  private var setLines: [String] {
    var byModel: [String: [String: (comments: [String], value: String)]] = [:]
    func add(_ path: SchemaPath, _ comment: String, _ guess: String?) {
      guard let property = path.property else { return }
      let value = guess.map { YAMLWriter.quoted("\(Self.hole) \($0)") } ?? Self.hole
      byModel[path.model, default: [:]][property, default: ([], value)].comments.append(comment)
    }
    for change in changes {
      switch change.kind {
      case .requiredPropertyAdded, .typeChangedLossy, .typeChangedIncompatible, .madeRequired,
        .relationshipTargetChanged, .cardinalityNarrowed, .propertyMoved:
        if !isLeftToBlock(change) { add(change.path, change.message, guess(change)) }
      case .primaryKeyAdded, .primaryKeyChanged, .uniqueAdded:
        for path in newKeys(change) { add(path, change.message, nil) }
      case .enumCaseRemoved, .enumRawValueChanged, .enumRawTypeChanged:
        for path in uses(ofEnum: change.path.model) {
          add(path, change.message, "old.\(path.property ?? "")")
        }
      default: break
      }
    }
    for (model, values) in known?.set ?? [:] {
      for (property, value) in values {
        byModel[model, default: [:]][property] = ([], YAMLWriter.quoted(value.text))
      }
    }
    return byModel.sorted { $0.key < $1.key }.flatMap { model, properties in
      ["\(model.inYAML):"]
        + properties.sorted { $0.key < $1.key }.flatMap { property, entry in
          entry.comments.map { "  # \($0.onOneLine)" } + ["  \(property.inYAML): \(entry.value)"]
        }
    }
  }

  /// The properties that tell objects apart and that no old object has: each needs a value of its own.
  private func newKeys(_ change: SchemaChange) -> [SchemaPath] {
    guard coverage.askedApart(change).contains(where: \.isEmpty),
      let model = newer.model(named: change.path.model)
    else { return [] }
    let names =
      change.path.property.map { [$0] }
      ?? (change.kind == .uniqueAdded ? model.uniques.last ?? [] : model.primaryKey)
    return names.map { SchemaPath(model.name, $0) }
  }

  private func uses(ofEnum name: String) -> [SchemaPath] {
    newer.storedModels.flatMap { model in
      model.storedProperties.filter {
        $0.type.valueType?.base == .enumeration(name)
          && older.model(named: model.name)?.property(named: $0.name) != nil
      }.map { SchemaPath(model.name, $0.name) }
    }
  }

  /// What many would write.
  private func guess(_ change: SchemaChange) -> String? {
    if let answer = answer(change) { return answer.value.text }
    return valueAnswer(change)?.draft
  }

  // MARK: Swift

  private var blockModels: [String] {
    let names = changes.compactMap { change in
      switch change.kind {
      case .modelSplit, .modelMerged, .embeddingChanged: change.path.model
      // One rule of a step makes objects one, whatever they have to differ in.
      case .primaryKeyAdded, .primaryKeyChanged, .uniqueAdded:
        change.oldPath.flatMap { apart[$0.model] }?.common.isEmpty == true
          ? change.path.model : nil
      default: isLeftToBlock(change) ? change.path.model : nil
      }
    }
    return Set(names).sorted()
  }

  /// A class of the schema may have the step's name, and stand in the module of the block.
  private var stepType: String {
    let isHidden = [older, newer].contains { schema in
      schema.models.contains { $0.nameInSwift == "Step" }
        || schema.enums.contains { $0.name == "Step" }
    }
    return isHidden ? "Strata.Step" : "Step"
  }

  private var block: String {
    let models = blockModels
    let sentences = changes.filter { models.contains($0.path.model) }
      .map { "/// \($0.message.onOneLine)." }
    let bodies = models.compactMap { name -> String? in
      guard let before = older.model(named: name), let after = newer.model(named: name) else {
        return nil
      }
      return """
            try step.each(V\(older.version).\(before.nameInSwift).self, V\(newer.version).\(after.nameInSwift).self) { old, new in
            }
        """
    }
    return """
      import Strata

      extension \(newer.name)Migrations {
      \(sentences.map { "  " + $0 }.joined(separator: "\n"))
        static let toVersion\(newer.version) = \(stepType)(to: \(newer.version)) { step in
          #error("say what becomes of \(models.joined(separator: ", "))")
      \(bodies.joined(separator: "\n"))
        }
      }

      """
  }
}

extension String {
  /// What stands in a comment, which a line break of a raw value would end, and in which neither YAML nor Swift takes control characters.
  fileprivate var onOneLine: String {
    var text = ""
    for scalar in unicodeScalars {
      let isPlain =
        scalar.isShowable && scalar.value != 0xFEFF
        && scalar.properties.generalCategory != .unassigned
      switch scalar {
      case "\n": text += #"\n"#
      case "\r": text += #"\r"#
      case _ where isPlain: text.unicodeScalars.append(scalar)
      default: text += #"\u{"# + String(scalar.value, radix: 16, uppercase: true) + "}"
      }
    }
    return text
  }
}

extension Model {
  fileprivate var nameInSwift: String { swiftName ?? name }
}

extension ScalarType {
  /// An expression of the type, for a question.
  var sample: String {
    switch self {
    case .bool: "false"
    case .int, .int8, .int16, .int32, .int64, .any: "0"
    case .float: "float('0')"
    case .double: "0.0"
    case .decimal: "decimal('0')"
    case .string: "''"
    case .data: "x''"
    case .date: "date('2001-01-01')"
    case .uuid: "uuid('00000000-0000-0000-0000-000000000000')"
    case .objectID: "objectId('000000000000000000000000')"
    }
  }
}
