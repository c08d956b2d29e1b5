import StrataFrontend
import StrataProject
import StrataSchema
import StrataSource
import StrataYAML

/// Renames something of the declarations everywhere, and says in the working step that the data continues.
struct Rename {
  /// Why a rename is refused, in a sentence.
  struct Refusal: Error {
    let message: String
  }

  let project: OpenProject
  let path: String

  /// What would be renamed at a place.
  func target(at offset: Int) throws(Refusal) -> Occurrence {
    let names = project.names
    guard let found = names.occurrence(in: path, at: offset) else {
      throw Refusal(message: "There is no name of the schema at this place.")
    }
    if let version = found.symbol.version {
      throw Refusal(
        message:
          "'\(found.symbol.symbol.name)' is of version \(version), which is frozen. Rename it in the declarations."
      )
    }
    if let unreadable = names.unreadable.first {
      throw Refusal(message: "\(unreadable) cannot be read. Correct its mistakes first.")
    }
    return found
  }

  /// The edits of a rename, by file; an empty file is one that is to be made.
  func edits(at offset: Int, to newName: String) throws(Refusal) -> [FixIt.Edit] {
    let found = try target(at: offset)
    let symbol = found.symbol.symbol
    guard newName != symbol.name else { return [] }
    try checkName(newName, for: symbol)
    let names = project.names
    let rewritten = try declarationEdits(symbol, newName, names)
    var edits = rewritten
    var known = Dictionary(grouping: rewritten, by: \.path).mapValues { EditsInOrder($0) }
    for occurrence in names.occurrences(of: found.symbol)
    where known[occurrence.path]?.overlap(occurrence.range) != true {
      edits.append(
        FixIt.Edit(path: occurrence.path, range: occurrence.range, replacement: newName))
    }
    project.count(known)
    try addStep(symbol, newName, names, &edits)
    try checkResult(newName, edits, names)
    try checkMeaning(of: found.symbol, newName, edits, names)
    return edits
  }

  /// Refuses a rename by which something becomes an error that was none before, as `check` would say it.
  ///
  /// A name may be free and yet not fit: it has another meaning in Swift, in the language, or in an expression that names
  /// the property.
  private func checkResult(_ newName: String, _ edits: [FixIt.Edit], _ names: ProjectNames)
    throws(Refusal)
  {
    let byPath = Dictionary(grouping: edits, by: \.path)
    func errors(_ edited: (SourceFile) -> SourceFile) -> [Diagnostic] {
      var diagnostics = Diagnostics()
      _ = SchemaCompiler.compile(names.working.files.map(edited), reporting: &diagnostics)
      for file in project.files.steps where byPath[file.path] != nil {
        _ = StepReader.read(edited(file), reporting: &diagnostics)
      }
      return diagnostics.sorted.filter { $0.severity == .error }
    }
    let after = errors { file in
      byPath[file.path].map { FixItApplication.apply($0, to: file) } ?? file
    }
    guard !after.isEmpty else { return }
    let before = errors { $0 }
    guard after.count > before.count else { return }
    let known = Set(before.map(\.message))
    let reason = after.first { !known.contains($0.message) } ?? after[0]
    throw Refusal(
      message: "'\(newName)' cannot be the name: \(reason.message). Choose another one.")
  }

  /// Refuses a rename after which an expression means something else: the new name is a word of the language there (`yes`), or a
  /// model and a property would be taken for each other. Each place that names the symbol has to name it still, and no other one.
  private func checkMeaning(
    of symbol: ScopedSymbol, _ newName: String, _ edits: [FixIt.Edit], _ names: ProjectNames
  ) throws(Refusal) {
    let renamed: Symbol
    switch symbol.symbol {
    case .model: renamed = .model(newName)
    case .property(let path): renamed = .property(SchemaPath(path.model, newName))
    case .enumeration, .enumCase: return
    }
    let byPath = Dictionary(grouping: edits, by: \.path)
    let files = names.working.files.map { file in
      byPath[file.path].map { FixItApplication.apply($0, to: file) } ?? file
    }
    let table = DeclarationTable(
      files: files,
      declarations: files.enumerated().map { FileDeclarations(reading: $1, index: $0) })
    var edited = byPath.mapValues { EditsInOrder($0) }
    /// Where a symbol is named in the edited texts.
    ///
    /// - Parameter isEdited: whether the table is of these; else its places are moved by the edits.
    func places(of symbol: Symbol, in table: DeclarationTable, isEdited: Bool) -> Set<String> {
      var found: Set<String> = []
      for (index, file) in table.files.enumerated() {
        for occurrence in table.occurrences(inFile: index, version: nil)
        where occurrence.symbol.symbol == symbol {
          let start = occurrence.range.lowerBound
          let place = isEdited ? start : edited[file.path]?.place(of: start) ?? start
          found.insert("\(file.path) \(place)")
        }
      }
      return found
    }
    let before = places(of: symbol.symbol, in: names.working, isEdited: false)
    project.count(edited)
    guard places(of: renamed, in: table, isEdited: true) != before else { return }
    throw Refusal(
      message:
        "'\(newName)' cannot be the name: an expression would take it for something else. Choose another one."
    )
  }

  private func checkName(_ name: String, for symbol: Symbol) throws(Refusal) {
    guard Names.isIdentifier(name), name.utf8.count <= Names.maximumLength,
      !Names.traps.contains(name), !["null", "Null", "NULL"].contains(name)
    else {
      throw Refusal(
        message:
          "'\(name)' cannot be a name: write letters, digits and underscores, \(Names.maximumLength) bytes at most, and no word of Swift."
      )
    }
    if let reason = Names.storeReservation(name) {
      throw Refusal(message: "'\(name)' is kept for the store: \(reason). Choose another name.")
    }
    let table = project.names.working
    let others: [String]
    switch symbol {
    case .model, .enumeration: others = Array(table.models.keys) + Array(table.enums.keys)
    case .property(let path):
      let related = table.models.keys.filter { model in
        table.lineOfDescent(model).contains { $0.name.value == path.model }
      }
      others = (related + [path.model]).flatMap { table.properties(of: $0).map(\.name.value) }
    case .enumCase(let path): others = table.enums[path.model]?.cases?.map(\.name.value) ?? []
    }
    let folded = Names.folded(name)
    if let taken = others.first(where: { $0 != symbol.name && Names.folded($0) == folded }) {
      throw Refusal(message: "There is a '\(taken)' already. Choose another name.")
    }
  }

  /// A case in a list of names is stored under its name: a list becomes a mapping, so that the stored value stays.
  private func declarationEdits(_ symbol: Symbol, _ newName: String, _ names: ProjectNames)
    throws(Refusal) -> [FixIt.Edit]
  {
    guard case .enumCase(let path) = symbol, let declared = names.working.enums[path.model],
      let cases = declared.cases, let range = declared.casesRange,
      cases.allSatisfy({ $0.rawValue == nil })
    else { return [] }
    // An integer is the place in the list, which stays.
    guard declared.rawType?.value ?? .string == .string else { return [] }
    let list = CaseMapping(file: names.working.files[declared.file], list: range, cases: cases)
    guard let edits = list.edits(renaming: symbol.name, to: newName) else {
      throw Refusal(
        message:
          "Write '\(path.model)' with its values first: { \(symbol.name): \(symbol.name) }.")
    }
    return edits
  }

  // MARK: The step

  /// Writes `rename:` for what the newest frozen version has under the old name.
  private func addStep(
    _ symbol: Symbol, _ newName: String, _ names: ProjectNames, _ edits: inout [FixIt.Edit]
  ) throws(Refusal) {
    guard let newest = names.newestVersion, let working = names.workingVersion,
      let old = names.table(newest)
    else { return }
    let number = working > newest ? working : newest + 1
    let file =
      names.stepFile(to: number)
      ?? SourceFile(path: names.newStepPath(to: number), bytes: [])
    guard let step = StepText(file) else {
      throw Refusal(message: "\(file.path) cannot be read. Correct its mistakes first.")
    }
    let renames = step.renames
    let dropped = Set((step.entry("drop")?.value.elements ?? []).compactMap { $0.scalar?.text })
    let oldNames = Dictionary(renames.models.map { ($1, $0) }, uniquingKeysWith: min)
    func oldName(_ model: String) -> String? {
      let name = oldNames[model] ?? model
      guard name == model ? renames.models[model] == nil : true else { return nil }
      return old.models[name].map { _ in name }
    }
    var entries: [RenameInsertion.Rename] = []
    var renamed: [YAMLEntry] = []
    switch symbol {
    case .property(let path):
      // By the old model, each entry that says the property's name until now.
      let known = Dictionary(
        step.entries(of: "rename").compactMap { entry -> (String, YAMLEntry)? in
          guard entry.value.scalar?.text == symbol.name, let path = SchemaPath(entry.key),
            path.property != nil
          else { return nil }
          return (path.model, entry)
        }, uniquingKeysWith: { first, _ in first })
      for model in names.working.concreteModels(below: path.model) {
        guard let name = oldName(model) else { continue }
        if let entry = known[name] {
          renamed.append(entry)
          continue
        }
        let before = SchemaPath(name, symbol.name)
        guard let property = old.property(before)?.declaration, property.inverse == nil,
          property.details?.contents.isIgnored?.value != true,
          renames.properties[before] == nil, !dropped.contains(before.description)
        else { continue }
        entries.append((before, newName))
      }
    case .model(let model):
      if let entry = step.entries(of: "rename").first(where: { entry in
        SchemaPath(entry.key).map { $0.property == nil } ?? false
          && entry.value.scalar?.text == model
      }) {
        renamed.append(entry)
      } else if let before = old.models[model], before.isAbstract?.value != true,
        renames.models[model] == nil, !dropped.contains(model)
      {
        entries.append((SchemaPath(model), newName))
      }
    case .enumeration, .enumCase: break  // their values are stored, not their names
    }
    revert(renamed, step, newName, &edits)
    if !entries.isEmpty {
      guard
        let edit = RenameInsertion.edit(declaring: entries, in: file, number: number)
      else {
        throw Refusal(
          message: "\(file.path) has no place for the rename. Correct its 'rename' first.")
      }
      edits.append(edit)
    }
    // What is declared is another schema than the one that is frozen under its number.
    let isReleased = !entries.isEmpty || old.symbol(symbol.path) == symbol
    if number != working, isReleased, let header = names.working.header,
      let version = header.version
    {
      edits.append(
        FixIt.Edit(
          path: names.working.files[header.file].path, range: version.range,
          replacement: String(number)))
    }
  }

  /// A rename back to the old name leaves nothing to declare.
  /// - Parameter entries: of `rename:`, which say the name until now.
  private func revert(
    _ entries: [YAMLEntry], _ step: StepText, _ newName: String, _ edits: inout [FixIt.Edit]
  ) {
    let obsolete = Set(
      entries.filter { SchemaPath($0.key).map { $0.property ?? $0.model } == newName }
        .map(\.keyRange))
    guard !obsolete.isEmpty, let rename = step.entry("rename"), let all = rename.value.entries
    else { return }
    let isEmptied = all.allSatisfy { obsolete.contains($0.keyRange) }
    // Neighbours go together: on one line they share a comma.
    let parts =
      isEmptied
      ? [rename.keyRange.lowerBound..<rename.value.range.upperBound]
      : all.split { !obsolete.contains($0.keyRange) }.compactMap { run in
        guard let first = run.first, let last = run.last else { return nil }
        return first.keyRange.lowerBound..<last.value.range.upperBound
      }
    let removals = parts.map { part in
      FixIt.Edit(
        path: step.file.path, range: step.file.removalRange(of: part), replacement: "")
    }
    var removed = EditsInOrder(removals)
    edits.removeAll { $0.path == step.file.path && removed.overlap($0.range) }
    edits += removals
    project.count([step.file.path: removed])
  }
}
