import StrataExpression
import StrataHistory
import StrataSchema

/// What a step of theirs does, and one of ours does, too.
struct SharedEntry: Hashable {
  /// The version that their step reaches.
  var version: Int
  var entry: StepEntry
}

// What would be done twice, to values that are others after the first time.

extension StepMerge {
  /// Takes the objects that are deleted, or made one, out of our step where a step of theirs says the same of them.
  ///
  /// - Parameter shared: what versions of ours before this one have in common with theirs; each entry of theirs stands for one of ours.
  func removeDeletions(
    from step: inout MigrationStep, _ shared: inout Set<SharedEntry>
  ) throws(FreezeError) -> [StepEntry] {
    var done: [StepEntry] = []
    func removeShared<Rule: Equatable>(
      _ rules: WritableKeyPath<MigrationStep, [String: Rule]>, _ entry: (String) -> StepEntry
    ) throws(FreezeError) {
      for (model, rule) in step[keyPath: rules].sorted(by: { $0.key < $1.key }) {
        let entry = entry(model)
        var part = MigrationStep(to: step.to)
        part[keyPath: rules] = [model: rule]
        let found = try theirVersion(doing: entry, part, shared) {
          $0[keyPath: rules][model] == rule
        }
        guard let version = found else { continue }
        step[keyPath: rules][model] = nil
        shared.insert(SharedEntry(version: version, entry: entry))
        done.append(entry)
      }
    }
    try removeShared(\.delete, StepEntry.delete)
    try removeShared(\.deduplicate, StepEntry.deduplicate)
    return done
  }

  /// Takes the Swift block out of our step where a version of theirs has the same one, and refuses one that differs from theirs and sets
  /// the same property: what both do alike in it would be done twice.
  ///
  /// - Parameters:
  ///   - files: our Swift files.
  ///   - number: the number that our version has in them.
  func removeBlock(
    from step: inout MigrationStep, _ files: [MigrationFile], of number: Int, upstream: Upstream,
    _ shared: inout Set<SharedEntry>
  ) throws(FreezeError) -> [StepEntry] {
    guard !files.isEmpty else { return [] }
    for (index, their) in steps.enumerated() {
      let version = their.newer.version
      let models = their.step?.swiftModels ?? []
      let entries = models.sorted().map { StepEntry.block($0) }
      let isTaken = entries.contains { shared.contains(SharedEntry(version: version, entry: $0)) }
      if isTaken { continue }
      let renumbering = Renumbering(
        from: number, to: version, previousFrom: base.version, previousTo: their.older.version)
      let ours = files.map { StepDigest.digest(ofBlock: renumbering.apply(to: $0).bytes) }
      let theirs = upstream.blocks(of: version).map { StepDigest.digest(ofBlock: $0) }
      if !models.isEmpty, models == step.swiftModels, ours.sorted() == theirs.sorted() {
        let part = MigrationStep(to: step.to, swiftModels: models)
        try checkUnchanged(part, before: index, "have the same Swift block")
        shared.formUnion(entries.map { SharedEntry(version: version, entry: $0) })
        step.swiftModels = []
        return entries
      }
      let common = models.intersection(step.swiftModels).sorted().first { name in
        guard let model = their.newer.model(named: name) else { return true }
        let both = Self.assignedNames(files.map(\.bytes))
          .intersection(Self.assignedNames(upstream.blocks(of: version)))
        return model.properties.contains { both.contains($0.swiftName ?? $0.name) }
      }
      guard common != nil || !Set(ours).isDisjoint(with: theirs) else { continue }
      let name = common ?? step.swiftModels.sorted().first ?? ""
      throw Self.conflict("both sides have a Swift block of '\(name)', and they differ")
    }
    return []
  }

  /// The names behind a dot that are set, or changed in place: `new.name = `, `new.age += `, `new.tags.append(…)`.
  private static func assignedNames(_ files: [[UInt8]]) -> Set<String> {
    var names: Set<String> = []
    for file in files {
      let tokens = SwiftLexer.tokens(of: file)
      for index in tokens.indices.dropFirst().dropLast(2)
      where tokens[index].kind == .identifier && tokens[index - 1].text == "." {
        let (next, second) = (tokens[index + 1].text, tokens[index + 2].text)
        let isSet =
          next == "=" ? second != "=" : ["+", "-", "*", "/", "%"].contains(next) && second == "="
        if isSet || next == "." && Self.changes.contains(second) {
          names.insert(tokens[index].text)
        }
      }
    }
    return names
  }

  /// What changes a list, set or map in place.
  private static let changes: Set<String> = [
    "append", "insert", "remove", "removeAll", "removeFirst", "removeLast", "swapAt", "move",
  ]

  /// The first version of theirs whose step does the same as a part of ours, to the same data.
  private func theirVersion(
    doing entry: StepEntry, _ part: MigrationStep, _ shared: Set<SharedEntry>,
    _ isSame: (MigrationStep) -> Bool
  ) throws(FreezeError) -> Int? {
    for (index, their) in steps.enumerated() {
      let version = their.newer.version
      guard let step = their.step, isSame(step),
        !shared.contains(SharedEntry(version: version, entry: entry))
      else { continue }
      try checkUnchanged(part, before: index, "have \(entry)")
      return version
    }
    return nil
  }

  /// Refuses to take a part of our step for what a step of theirs does where versions of theirs between change what it reads.
  private func checkUnchanged(
    _ part: MigrationStep, before index: Int, _ what: String
  ) throws(FreezeError) {
    let earlier = Array(steps[..<index])
    let correspondence = StepChain(earlier).correspondence
    let changed = Self.reusedNames(over: earlier).union(correspondence.assigned)
      .union(correspondence.handled.map { SchemaPath($0) })
    let read = StepReadings(part, from: base, blocks: [])
    guard let path = changed.sorted().first(where: read.mayRead) else { return }
    throw Self.conflict("both sides \(what), and theirs changes '\(path)' before")
  }
}

extension Upstream {
  /// The Swift files of a version.
  fileprivate func blocks(of version: Int) -> [[UInt8]] {
    files.filter { $0.key.hasSuffix(".swift") && SwiftFileName.version(of: $0.key) == version }
      .map(\.value)
  }
}
