import StrataExpression
package import StrataHistory
import StrataSchema

/// A file of the folder of migrations as it stands, for renumbering.
package struct MigrationFile: Hashable, Sendable {
  package var name: String
  package var bytes: [UInt8]
  /// Where a step file says the number that it reaches.
  package var toRange: Range<Int>?
  /// Where its entries stand.
  package var entries: [StepEntry: Range<Int>]

  package init(
    name: String, bytes: [UInt8], toRange: Range<Int>? = nil,
    entries: [StepEntry: Range<Int>] = [:]
  ) {
    self.name = name
    self.bytes = bytes
    self.toRange = toRange
    self.entries = entries
  }

  /// Without some of its entries. The number stands where it did, or further up.
  func without(_ done: [StepEntry]) -> MigrationFile {
    let ranges = done.compactMap { entries[$0] }
    guard !ranges.isEmpty else { return self }
    var result = MigrationFile(name: name, bytes: EntryRemoval.text(bytes, without: ranges))
    guard let toRange else { return result }
    // What is removed in front of the number moves it.
    let front = EntryRemoval.text(
      bytes, without: ranges.filter { $0.lowerBound < toRange.lowerBound })
    let shift = bytes.count - front.count
    result.toRange = toRange.lowerBound - shift..<toRange.upperBound - shift
    return result
  }
}

/// The versions of another branch, and the files of its folder of migrations by name.
package struct Upstream: Sendable {
  package var history: History
  package var lock: VersionLock
  package var files: [String: [UInt8]]

  package init(history: History, lock: VersionLock, files: [String: [UInt8]] = [:]) {
    self.history = history
    self.lock = lock
    self.files = files
  }
}

extension Freeze {
  /// Puts the versions that only this branch has on top of those of another branch, after both froze the same
  /// number: ours get the next numbers, their steps and blocks with them.
  ///
  /// - Parameters:
  ///   - upstream: the other branch, whose versions and steps stay as they are.
  ///   - files: our files of the versions that are renumbered, by version.
  package func plan(
    rebasingOnto upstream: Upstream, files: [Int: [MigrationFile]]
  ) throws(FreezeError) -> FreezePlan {
    let common = zip(lock.lines, upstream.lock.lines).prefix { $0.chain == $1.chain }.count
    var ours = lock.lines.dropFirst(common).compactMap { history.version($0.version) }
    guard let fork = common == 0 ? nil : history.version(lock.lines[common - 1].version) else {
      throw FreezeError("STR4003", "the two branches have no version in common")
    }
    guard let theirs = upstream.history.newest, upstream.lock.lines.count > common else {
      return FreezePlan(version: history.newest?.number ?? 0)
    }
    guard !ours.isEmpty else {
      throw FreezeError("STR4003", "this branch has no version of its own to rebase")
    }
    var plan = FreezePlan(version: theirs.number)
    var lines = upstream.lock.lines
    var (base, target) = (fork.schema, theirs.schema)
    var previous = theirs.number
    var theirSteps = upstream.steps(behind: common)
    var removed: [FreezeFile] = []
    while let first = ours.first, let other = theirSteps.first,
      isSame(first, as: other.newer.version, of: upstream)
    {
      plan.notes.append("our version \(first.number) is theirs, too")
      for file in files[first.number] ?? [] {
        removed.append(FreezeFile(.migration(file.name), nil))
      }
      if upstream.history.version(first.number) == nil {
        removed.append(FreezeFile(.version(first.number), nil))
      }
      base = first.schema
      ours.removeFirst()
      theirSteps.removeFirst()
    }
    var theirFiles: [FreezeFile] = []
    for version in upstream.history.versions.dropFirst(common) {
      if let known = history.version(version.number)?.schema, known == version.schema,
        known.isSpelled(like: version.schema)
      {
        continue
      }
      theirFiles.append(FreezeFile(.version(version.number), version.schema.canonicalYAML))
    }
    // Their steps come with their versions, or the lock would seal what is not there.
    let theirNumbers = Set(upstream.lock.lines.dropFirst(common).map(\.version))
    let theirSources = upstream.files.filter { name, _ in
      SwiftFileName.version(of: name).map(theirNumbers.contains) ?? false
    }
    for (name, bytes) in theirSources.sorted(by: { $0.key < $1.key }) {
      theirFiles.append(FreezeFile(.migration(name), String(decoding: bytes, as: UTF8.self)))
    }
    var moves: [RenumberedVersion] = []
    var shared: Set<SharedEntry> = []
    for version in ours {
      let number = previous + 1
      let merged = try SchemaMerge.merge(
        base: base, ours: version.schema, theirs: target, version: number)
      var move = RenumberedVersion(
        from: version.number, to: number,
        files: [FreezeFile(.version(number), merged.canonicalYAML)])
      if upstream.history.version(version.number) == nil, version.number != number {
        removed.append(FreezeFile(.version(version.number), nil))
      }
      let merge = StepMerge(steps: theirSteps, base: base, target: target)
      var (step, done) = try merge.reduced(steps[version.number] ?? MigrationStep(to: number))
      done += try merge.removeDeletions(from: &step, &shared)
      var own = files[version.number] ?? []
      let swift = own.filter { $0.name.hasSuffix(".swift") }
      let doneBlocks = try merge.removeBlock(
        from: &step, swift, of: version.number, upstream: upstream, &shared)
      if !doneBlocks.isEmpty {
        done += doneBlocks
        own.removeAll { $0.name.hasSuffix(".swift") }
        removed += swift.map { FreezeFile(.migration($0.name), nil) }
      }
      try merge.checkReadings(of: step, blocks: doneBlocks.isEmpty ? swift.map(\.bytes) : [])
      let renumbering = Renumbering(
        from: version.number, to: number, previousFrom: base.version, previousTo: previous)
      var blocks: [[UInt8]] = []
      for file in own {
        let renamed = renumbering.apply(to: file.without(done))
        removed.append(FreezeFile(.migration(file.name), nil))
        move.files.append(
          FreezeFile(.migration(renamed.name), String(decoding: renamed.bytes, as: UTF8.self)))
        if renamed.name.hasSuffix(".swift") { blocks.append(renamed.bytes) }
      }
      moves.append(move)
      var sealed = steps[version.number] == nil ? nil : step
      sealed?.to = number
      lines.append(
        VersionLock.Line(
          version: number, date: lock.line(ofVersion: version.number)?.date ?? version.date,
          shape: merged.shape, rules: merged.rulesDigest, cases: merged.casesDigest,
          step: StepDigest.digest(of: sealed, blocks: blocks),
          because: lock.line(ofVersion: version.number)?.because,
          after: lines.last?.chain))
      plan.notes.append("our version \(version.number) becomes version \(number)")
      for entry in done {
        plan.notes.append("its step leaves out what theirs has done: \(entry)")
      }
      (base, target, previous) = (version.schema, merged, number)
    }
    plan.version = previous
    plan.files = RenumberedVersion.inOrderOfWriting(moves, theirs: theirFiles, removed: removed)
    plan.files.append(FreezeFile(.lock, VersionLock(lines: lines).text))
    plan.notes.append("write 'version: \(previous)' into the declarations, or a later number")
    return plan
  }

  /// Whether a version of ours is one of theirs, sealed on another day perhaps.
  private func isSame(_ version: FrozenVersion, as number: Int, of upstream: Upstream) -> Bool {
    guard let ours = lock.line(ofVersion: version.number),
      let theirs = upstream.lock.line(ofVersion: number),
      let other = upstream.history.version(number)
    else { return false }
    return ours.step == theirs.step && version.schema.models == other.schema.models
      && version.schema.enums == other.schema.enums
  }
}

extension Upstream {
  /// What leads from each version behind the first `common` ones to the next.
  fileprivate func steps(
    behind common: Int
  ) -> [(older: Schema, newer: Schema, step: MigrationStep?)] {
    let versions = history.versions.dropFirst(common - 1)
    return zip(versions, versions.dropFirst()).map { ($0.schema, $1.schema, $1.step) }
  }
}

extension StepEntry: CustomStringConvertible {
  package var description: String {
    switch self {
    case .rename(let path): "the rename of '\(path)'"
    case .drop(let path): "the drop of '\(path)'"
    case .set(let path): "the value of '\(path)'"
    case .delete(let model): "the deletion of objects of '\(model)'"
    case .deduplicate(let model): "the deduplication of '\(model)'"
    case .block(let model): "the Swift block of '\(model)'"
    }
  }
}

/// A version of ours and its files under the number that it gets.
private struct RenumberedVersion {
  var from: Int
  var to: Int
  var files: [FreezeFile]

  /// Ours under their new numbers, then theirs, then what is removed; of each the files of migrations before the versions. No file is
  /// written over, or removed, before what was in it stands under its new number, because writing may stop anywhere.
  static func inOrderOfWriting(
    _ moves: [RenumberedVersion], theirs: [FreezeFile], removed: [FreezeFile]
  ) -> [FreezeFile] {
    // A version that goes up may get the number of one behind it, and one that goes down that of one before it.
    let up = moves.filter { $0.to > $0.from }.reversed()
    let down = moves.filter { $0.to <= $0.from }
    let written = (up + down).flatMap(\.files) + theirs
    let kept = Set(written.map(\.place))
    let files = written + removed.filter { !kept.contains($0.place) }
    return files.filter(\.isOfMigrations) + files.filter { !$0.isOfMigrations }
  }
}

/// Gives the files of one version another number.
struct Renumbering {
  var from: Int
  var to: Int
  var previousFrom: Int
  var previousTo: Int

  func apply(to file: MigrationFile) -> MigrationFile {
    let rest = file.name.utf8.drop { (48...57).contains($0) }
    let name = "\(self.to)\(String(decoding: Array(rest), as: UTF8.self))"
    if file.name.hasSuffix(".swift") {
      return MigrationFile(name: name, bytes: renumbered(swift: file.bytes))
    }
    guard let range = file.toRange else { return MigrationFile(name: name, bytes: file.bytes) }
    var bytes = file.bytes
    bytes.replaceSubrange(range, with: Array(String(self.to).utf8))
    return MigrationFile(name: name, bytes: bytes)
  }

  /// `toVersion5`, `Step(to: 5)`, and the frozen types' `V5` and `V4`.
  private func renumbered(swift bytes: [UInt8]) -> [UInt8] {
    let tokens = SwiftLexer.tokens(of: bytes)
    let names = [
      "toVersion\(from)": "toVersion\(to)", "V\(from)": "V\(to)",
      "V\(previousFrom)": "V\(previousTo)",
    ]
    var result: [UInt8] = []
    var position = 0
    for (index, token) in tokens.enumerated() {
      var replacement: String?
      switch token.kind {
      case .identifier: replacement = names[token.text]
      case .number where token.text == String(from):
        let before = tokens[..<index].suffix(4).map(\.text)
        if before == ["Step", "(", "to", ":"] { replacement = String(to) }
      default: break
      }
      guard let replacement else { continue }
      result += bytes[position..<token.range.lowerBound]
      result += Array(replacement.utf8)
      position = token.range.upperBound
    }
    return result + bytes[position...]
  }
}
