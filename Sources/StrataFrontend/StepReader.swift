import StrataExpression
package import StrataHistory
import StrataSchema
package import StrataSource
import StrataYAML

/// A step as its file says it, and where.
package struct StepCompilation: Sendable {
  package let step: MigrationStep
  package let sourceMap: StepSourceMap
}

/// Reads `migrations/N.yaml`. Whether the models and properties that it names exist is judged where both
/// versions are known.
package enum StepReader {
  package static let keys = [
    "to", "rename", "set", "back", "delete", "deduplicate", "repair", "drop", "swift", "accept",
  ]

  /// All errors are reported at once; nil where there is any.
  package static func read(
    _ file: SourceFile, reporting diagnostics: inout Diagnostics
  ) -> StepCompilation? {
    let errorsBefore = diagnostics.errorCount
    guard let document = YAMLComposer.compose(file, reporting: &diagnostics) else { return nil }
    var builder = StepBuilder(file: file, diagnostics: diagnostics)
    builder.read(document)
    diagnostics = builder.reader.diagnostics
    guard diagnostics.errorCount == errorsBefore else { return nil }
    return StepCompilation(step: builder.step, sourceMap: builder.sourceMap)
  }

  /// The number that a file of a version or a step is named after: `12.yaml`.
  package static func number(of file: SourceFile) -> Int? {
    let name = file.name
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    let digits = name[..<dot]
    guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(digits),
      String(number) == digits, number <= Int(Int32.max)
    else { return nil }
    return number
  }
}

private struct StepBuilder {
  var reader: NodeReader
  var step = MigrationStep(to: 0)
  var sourceMap: StepSourceMap

  init(file: SourceFile, diagnostics: Diagnostics) {
    reader = NodeReader(file: file, diagnostics: diagnostics)
    sourceMap = StepSourceMap(file: file)
  }

  mutating func read(_ document: YAMLDocument) {
    let number = StepReader.number(of: document.file)
    if number == nil {
      reader.report(
        HistoryDiagnostic.fileNameInvalid, "a step's file is named after the version it reaches",
        at: 0..<0, help: "name it 1.yaml for the step to version 1")
    }
    guard let root = document.root, case .mapping(let entries, let isFlow) = root.content else {
      if document.root?.isRefused != true {
        reader.report(
          DeclarationDiagnostic.wrongKind,
          "a step is a mapping, and this is \(document.root?.kindName ?? "nothing")",
          at: document.root?.range ?? 0..<0, help: "begin with 'to: \(number ?? 1)'")
      }
      return
    }
    var hasTo = false
    for entry in entries {
      switch entry.key {
      case "to":
        hasTo = true
        readTo(entry, number: number)
      case "rename": readRenames(entry)
      case "set": readSet(entry)
      case "back": readBack(entry)
      case "delete": readDelete(entry)
      case "deduplicate": readDeduplicate(entry)
      case "repair": readRepair(entry)
      case "drop": readDrop(entry)
      case "swift": readSwift(entry)
      case "accept": readAccept(entry)
      default: reader.unknownKey(entry, of: "a step", known: StepReader.keys, among: entries)
      }
    }
    if !hasTo {
      let start = entries.first?.keyRange ?? root.range
      reader.diagnostics.report(
        DeclarationDiagnostic.missingKey, "the step does not say the version that it reaches",
        at: reader.file.span(start), help: "add 'to: \(number ?? 1)'",
        fixIt: number.map { number in
          FixIt(
            "add 'to: \(number)'",
            edits: [
              FixIt.Edit(
                path: reader.file.path, range: start.lowerBound..<start.lowerBound,
                replacement: "to: \(number)" + (isFlow ? ", " : lineBreak(before: start)))
            ])
        })
    }
    checkConflicts()
  }

  /// A line break with the indentation of what stands at `start`.
  private func lineBreak(before start: Range<Int>) -> String {
    let column = reader.file.location(at: start.lowerBound).column
    return reader.file.lineBreak + String(repeating: " ", count: column - 1)
  }

  private mutating func readTo(_ entry: YAMLEntry, number: Int?) {
    guard let scalar = entry.value.scalar, scalar.isPlain, let to = Int(scalar.text),
      (0...Int(Int32.max)).contains(to)
    else {
      reader.wrongKind(entry, expected: "the number of the version that the step reaches")
      return
    }
    step.to = to
    sourceMap.to = reader.file.span(entry.value.range)
    if let number, number != to {
      reader.report(
        HistoryDiagnostic.numberMismatch, "the file is named \(reader.file.name) and says \(to)",
        at: entry.value.range, help: "write 'to: \(number)', or rename the file",
        replacement: String(number), isGuess: true)
    }
  }

  // MARK: - Questions

  /// Whether a text is a question of the scaffold; it is reported.
  private mutating func isQuestion(_ text: String, at range: Range<Int>, help: String) -> Bool {
    guard StepQuestion.isOpen(text) else { return false }
    let asked = StepQuestion.text(above: range.lowerBound, in: reader.file)
    reader.report(
      HistoryDiagnostic.questionOpen,
      "a question is not answered\(asked.map { ": \($0)" } ?? "")", at: range, help: help)
    return true
  }

  // MARK: - Paths

  /// A model or one of its properties.
  private mutating func path(_ text: String, at range: Range<Int>, needsProperty: Bool = false)
    -> SchemaPath?
  {
    if let path = SchemaPath(text), !needsProperty || path.property != nil,
      Names.isIdentifier(path.model), path.property.map(Names.isIdentifier) ?? true
    {
      return path
    }
    reader.report(
      HistoryDiagnostic.pathInvalid, "'\(text)' is no \(needsProperty ? "" : "model or ")property",
      at: range,
      help: needsProperty
        ? "write the model and its property: Person.email"
        : "write Person for a model, Person.email for a property")
    return nil
  }

  private mutating func name(_ text: String, at range: Range<Int>, what: String) -> String? {
    guard text.utf8.contains(UInt8(ascii: ".")) || !Names.isIdentifier(text) else { return text }
    let last = SchemaPath(text)?.property
    reader.report(
      HistoryDiagnostic.pathInvalid, "'\(text)' is no name of a \(what)", at: range,
      help: last.map { "write the name alone: \($0)" } ?? "write the name alone", replacement: last)
    return nil
  }

  // MARK: - Keys

  private mutating func readRenames(_ entry: YAMLEntry) {
    for rename in reader.entries(entry, of: "old name: new name") ?? [] {
      guard let old = path(rename.key, at: rename.keyRange),
        let text = reader.text(rename, expected: "the new name"),
        !isQuestion(
          text.value, at: text.range, help: "write the new name, or move '\(old)' to 'drop'"),
        let new = name(text.value, at: text.range, what: old.property == nil ? "model" : "property")
      else { continue }
      if old.property == nil {
        step.renames.models[old.model] = new
      } else {
        step.renames.properties[old] = new
      }
      sourceMap.renamedFrom[old] = reader.file.span(rename.keyRange)
      sourceMap.renamedTo[old] = reader.file.span(text.range)
    }
  }

  /// Whether an entry is about a model; what stands for a property, as paths do elsewhere, is reported.
  private mutating func isModelOfValues(_ entry: YAMLEntry) -> Bool {
    guard entry.value.scalar != nil, let path = SchemaPath(entry.key), let property = path.property
    else { return name(entry.key, at: entry.keyRange, what: "model") != nil }
    reader.report(
      HistoryDiagnostic.pathInvalid, "'\(entry.key)' is no name of a model", at: entry.keyRange,
      help: "write the property below its model: \(path.model): { \(property): … }")
    return false
  }

  private mutating func readSet(_ entry: YAMLEntry) {
    for model in reader.entries(entry, of: "for each model") ?? [] {
      guard isModelOfValues(model),
        let properties = reader.entries(model, of: "property: expression")
      else { continue }
      sourceMap.set[SchemaPath(model.key)] = reader.file.span(model.keyRange)
      for property in properties {
        guard name(property.key, at: property.keyRange, what: "property") != nil,
          let expression = expression(property)
        else { continue }
        let path = SchemaPath(model.key, property.key)
        step.set[model.key, default: [:]][property.key] = expression
        sourceMap.set[path] = reader.file.span(property.keyRange)
        sourceMap.addExpression(property.value, for: path)
      }
    }
  }

  private mutating func readBack(_ entry: YAMLEntry) {
    for model in reader.entries(entry, of: "for each old model") ?? [] {
      guard isModelOfValues(model),
        let properties = reader.entries(model, of: "old property: expression")
      else { continue }
      sourceMap.back[SchemaPath(model.key)] = reader.file.span(model.keyRange)
      for property in properties {
        guard name(property.key, at: property.keyRange, what: "property") != nil,
          let expression = expression(property, for: .back)
        else { continue }
        let path = SchemaPath(model.key, property.key)
        step.back[model.key, default: [:]][property.key] = expression
        sourceMap.back[path] = reader.file.span(property.keyRange)
        sourceMap.addWayBack(property.value, for: path)
      }
    }
  }

  private mutating func readDelete(_ entry: YAMLEntry) {
    for model in reader.entries(entry, of: "old model: condition") ?? [] {
      guard name(model.key, at: model.keyRange, what: "model") != nil,
        let condition = expression(model)
      else { continue }
      step.delete[model.key] = condition
      sourceMap.delete[model.key] = reader.file.span(model.keyRange)
      sourceMap.addCondition(model.value, for: model.key)
    }
  }

  /// What becomes of objects that break a rule. Other than in `set` and `delete`, an expression is over the new object.
  private mutating func readRepair(_ entry: YAMLEntry) {
    let form = "Model.rule: { set: { property: expression } } or { delete: condition }"
    for rule in reader.entries(entry, of: form) ?? [] {
      guard let path = path(rule.key, at: rule.keyRange, needsProperty: true),
        let parts = reader.entries(rule, of: "with 'set' or 'delete'")
      else { continue }
      var repair = Repair()
      for part in parts {
        switch part.key {
        case "delete":
          repair.delete = expression(part, for: .query)
          sourceMap.addRepair(part.value, of: path, property: nil)
        case "set":
          for property in reader.entries(part, of: "property: expression") ?? [] {
            guard name(property.key, at: property.keyRange, what: "property") != nil,
              let value = expression(property, for: .query)
            else { continue }
            repair.set[property.key] = value
            sourceMap.addRepair(property.value, of: path, property: property.key)
          }
        default:
          reader.unknownKey(part, of: "a repair", known: ["set", "delete"], among: parts)
        }
      }
      if parts.isEmpty {
        reader.report(
          DeclarationDiagnostic.missingKey,
          "'\(rule.key)' does not say what becomes of objects that break the rule",
          at: rule.keyRange, help: "add 'set: { property: expression }' or 'delete: condition'")
      }
      step.repair[path] = repair
      sourceMap.repair[path] = reader.file.span(rule.keyRange)
    }
  }

  private mutating func expression(
    _ entry: YAMLEntry, for use: ExpressionUse = .step
  ) -> Expression? {
    let side = use == .step ? "old" : "new"
    guard !entry.value.isRefused else { return nil }
    guard let scalar = entry.value.scalar, !scalar.text.isEmpty, !scalar.isNull else {
      if entry.value.scalar?.isNull == true, !entry.value.range.isEmpty {
        reader.report(
          DeclarationDiagnostic.wrongKind, "the expression for nothing is 'nil'",
          at: entry.value.range, help: "write nil", replacement: "nil")
      } else {
        reader.wrongKind(entry, expected: "an expression over the \(side) object, or a value")
      }
      return nil
    }
    guard
      !isQuestion(
        scalar.text, at: entry.value.range,
        help: "write an expression over the \(side) object in its place"
          + (StepQuestion.proposal(in: scalar.text).map { ", such as \($0)" } ?? ", or a value"))
    else { return nil }
    do {
      return try Expression.parse(scalar.text, for: use)
    } catch {
      let range = scalar.place(of: error.range, at: entry.value.range, in: reader.file)
      reader.diagnostics.report(
        Diagnostic(
          code: error.code, rule: error.rule.name, severity: .error, message: error.message,
          span: reader.file.span(range), help: error.help))
      return nil
    }
  }

  private mutating func readDeduplicate(_ entry: YAMLEntry) {
    for model in reader.entries(entry, of: "old model: { by: [property], keep: first }") ?? [] {
      guard name(model.key, at: model.keyRange, what: "model") != nil,
        let entries = reader.entries(model, of: "with 'by' and 'keep'")
      else { continue }
      var names: [Located<String>]?
      var keep = Deduplication.Keep.first
      for entry in entries {
        switch entry.key {
        case "by":
          guard reader.elements(entry, expected: "a list of properties") != nil else {
            names = names ?? []
            continue
          }
          names = reader.names(entry.value, key: entry.key)
        case "keep":
          let text = entry.value.scalar?.text ?? ""
          guard !isQuestion(text, at: entry.value.range, help: "write first or last") else {
            continue
          }
          keep = reader.word(entry, as: Deduplication.Keep.self)?.value ?? keep
        default:
          reader.unknownKey(entry, of: "'deduplicate'", known: ["by", "keep"], among: entries)
        }
      }
      sourceMap.deduplicate[model.key] = reader.file.span(model.keyRange)
      sourceMap.deduplicateRule[model.key] = reader.file.span(model.value.range)
      guard let names else {
        reader.report(
          DeclarationDiagnostic.missingKey, "'\(model.key)' does not say what equal objects share",
          at: model.keyRange, help: "add 'by: [property]'")
        continue
      }
      for name in names {
        sourceMap.deduplicateBy[SchemaPath(model.key, name.value)] = reader.file.span(name.range)
      }
      step.deduplicate[model.key] = Deduplication(properties: names.map(\.value), keep: keep)
    }
  }

  private mutating func readDrop(_ entry: YAMLEntry) {
    let expected = "a list of old models and properties: [Person.email, Draft]"
    guard reader.elements(entry, expected: expected) != nil else { return }
    for name in reader.names(entry.value, key: entry.key) {
      guard
        !isQuestion(
          name.value, at: name.range, help: "take the ??? away to give the data up"),
        let path = path(name.value, at: name.range)
      else { continue }
      if !step.drop.insert(path).inserted {
        reader.report(
          HistoryDiagnostic.stepConflict, "'\(path)' is dropped twice", at: name.range,
          help: "remove one of them")
      } else {
        sourceMap.drop[path] = reader.file.span(name.range)
      }
    }
  }

  private mutating func readSwift(_ entry: YAMLEntry) {
    let expected = "a list of the models that the version's Swift block touches: [Person]"
    guard reader.elements(entry, expected: expected) != nil else { return }
    for model in reader.names(entry.value, key: entry.key) {
      guard name(model.value, at: model.range, what: "model") != nil else { continue }
      step.swiftModels.insert(model.value)
      sourceMap.swift[model.value] = reader.file.span(model.range)
    }
  }

  private mutating func readAccept(_ entry: YAMLEntry) {
    let expected = "a list of { rule: name, at: path, because: reason }"
    for element in reader.elements(entry, expected: expected) ?? [] where !element.isRefused {
      guard case .mapping(let entries, _) = element.content else {
        reader.report(
          DeclarationDiagnostic.wrongKind,
          "'accept' lists mappings, and this is \(element.kindName)",
          at: element.range, help: "it has to be \(expected)")
        continue
      }
      var texts: [String: Located<String>] = [:]
      var isWrong = false
      for entry in entries {
        guard ["rule", "at", "because"].contains(entry.key) else {
          isWrong = true
          reader.unknownKey(
            entry, of: "'accept'", known: ["rule", "at", "because"], among: entries)
          continue
        }
        texts[entry.key] = reader.text(entry, expected: "a text")
        isWrong = isWrong || texts[entry.key] == nil
      }
      guard !isWrong else { continue }
      guard let rule = texts["rule"], let at = texts["at"], let because = texts["because"] else {
        let missing = ["rule", "at", "because"].filter { texts[$0] == nil }
        reader.report(
          DeclarationDiagnostic.missingKey, "'\(missing[0])' is missing", at: element.range,
          help: "it has to be \(expected)")
        continue
      }
      guard let path = path(at.value, at: at.range) else { continue }
      step.accept.append(Acceptance(rule: rule.value, at: path, because: because.value))
      sourceMap.accept.append((reader.file.span(rule.range), reader.file.span(at.range)))
    }
  }

  // MARK: - Conflicts

  /// Two things about one property that cannot both hold.
  private mutating func checkConflicts() {
    for path in step.drop.sorted() {
      guard let renamed = sourceMap.renamedFrom[path], let dropped = sourceMap.drop[path] else {
        continue
      }
      reader.diagnostics.report(
        HistoryDiagnostic.stepConflict, "'\(path)' is renamed and dropped", at: dropped,
        labels: [Diagnostic.Label("it is renamed here", at: renamed)],
        help: "remove it from 'drop' or from 'rename'")
    }
    var targets: [SchemaPath: SchemaPath] = [:]
    let renames =
      step.renames.models.map { (old: SchemaPath($0.key), new: SchemaPath($0.value)) }
      + step.renames.properties.map { (old: $0.key, new: SchemaPath($0.key.model, $0.value)) }
    for rename in renames.sorted(by: { $0.old < $1.old }) {
      guard let first = targets.updateValue(rename.old, forKey: rename.new),
        let span = sourceMap.renamedTo[rename.old], let other = sourceMap.renamedTo[first]
      else { continue }
      reader.diagnostics.report(
        HistoryDiagnostic.stepConflict,
        "'\(first)' and '\(rename.old)' cannot both become '\(rename.new)'", at: span,
        labels: [Diagnostic.Label("the other one is here", at: other)],
        help: "rename one of them, and say with 'set' what becomes of the other")
    }
  }
}
