import Strata
import StrataSchema

/// What a failure comes from: the step, and the smallest data that shows it.
extension ProofRun {
  /// How often going step by step is tried again before a path is held to differ.
  private static let repetitions = 2

  /// The step at which a path begins to differ, on the smallest data that shows it.
  func explain(
    _ found: ContentDifference, _ path: ProofPath, _ data: ProofData, _ versions: [Int],
    _ reference: [Int: ProofData], _ name: String
  ) throws {
    var path = path
    var first = found
    var step = try firstStep(of: path, data, versions, reference)
    if !path.isElsewhere, !path.isRepetition {
      // Chance and clocks show on any path; where the plainest one differs from itself, that says more.
      var again = ProofPath.stepwise(versions)
      again.remark = "run again"
      for _ in 0..<Self.repetitions {
        guard let other = try firstStep(of: again, data, versions, reference) else { continue }
        (path, step, first) = (again, other, other.found)
        break
      }
    }
    // What does not show again comes from a block: declared steps have no way to be different.
    let blocks = versions.dropFirst().filter { $0 <= path.target && target.blocks[$0] != nil }
    let cut = path.cut(at: step?.version ?? blocks.first ?? path.target)
    let until = versions.filter { $0 <= cut.target }
    func look(_ data: ProofData) throws -> ContentDifference? {
      guard case .content(let expected) = try bench.go(.stepwise(until), data),
        case .content(let content) = try bench.go(cut, data)
      else { return nil }
      return difference(expected, content, path, data.nextRow)
    }
    let shown = try look(data)
    var smallest = data
    var last: ContentDifference?
    if let shown {
      var search = DeltaDebugging { candidate in
        guard let found = try look(candidate),
          found.model == shown.model, found.property == shown.property
        else { return false }
        last = found
        return true
      }
      smallest = try search.smallest(data)
    }
    let told = last ?? shown ?? step?.found ?? first
    let ending =
      shown == nil
      ? "  it does not show each time: the block asks a clock or chance, or remembers earlier runs"
      : Self.text(of: smallest, from: versions[0])
    fail(
      object: told.object, property: told.property, path: name + path.label, step: cut.target,
      explanation: """
          step by step: \(Self.short(told.expected))
          this path:    \(Self.short(told.found))
        \(ending)
        """)
  }

  /// The first version at which a path differs; nil where this time it does not.
  private func firstStep(
    of path: ProofPath, _ data: ProofData, _ versions: [Int], _ reference: [Int: ProofData]
  ) throws -> (version: Int, found: ContentDifference)? {
    for version in versions.dropFirst() {
      guard let expected = reference[version],
        case .content(let content) = try bench.go(path.cut(at: version), data),
        let found = difference(expected, content, path, data.nextRow)
      else { continue }
      return (version, found)
    }
    return nil
  }

  /// A block that ended its process.
  func explain(_ crash: ProofCrash, _ path: ProofPath, _ data: ProofData, _ name: String) throws {
    func ends(_ candidate: ProofData) throws -> ProofCrash? {
      guard case .crashed(let found) = try bench.go(path, candidate), found.model == crash.model
      else { return nil }
      return found
    }
    var crash = crash
    var smallest = data
    // What it saw last is nearly always enough.
    if let identity = crash.identity, data.identities.contains(identity) {
      let alone = data.removing(Set(data.identities).subtracting([identity]))
      if let found = try ends(alone) {
        crash = found
        smallest = alone
      }
    }
    var search = DeltaDebugging(maximumRuns: DeltaDebugging.maximumRunsForRefusals) { candidate in
      guard let found = try ends(candidate) else { return false }
      crash = found
      return true
    }
    smallest = try search.smallest(smallest)
    let model = crash.model ?? ""
    let object = smallest.objects.first { $0.identity == crash.identity && $0.model == model }
    fail(
      object: object.map { ContentComparison.name(of: $0, in: smallest.schema) }
        ?? crash.identity.map { "\(model) #\($0)" } ?? model,
      property: nil, path: name + path.label, step: crash.version ?? path.target,
      explanation: """
          the block ends the process: \(crash.cause)
        \(Self.text(of: smallest, from: path.from))
        """, code: MigrationError(.blockFailed, "").code)
  }
}
