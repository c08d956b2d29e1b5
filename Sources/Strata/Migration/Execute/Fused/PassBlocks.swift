import StrataSchema

/// Calls the blocks of a pass around it: each block is called up to its `each`, inside of which the next block is called, and inside of the last
/// one's the pass takes place, for all of them. So a block finds behind its `each` what the bodies have found.
///
/// What stands behind is carried out for the last version first; of several that refuse, the first version's error counts.
final class PassBlocks {
  private let transitions: [Transition]
  private let blocks: [FusedTransition]
  private let pass: () throws -> Void
  /// Whether the pass has made all its objects.
  private var isMade = false
  /// What has stopped the pass. A block may make an error of its own of that, or nothing at all.
  private var failureOfPass: (any Error)?
  /// What a block has thrown besides, by its place.
  private var failures: [Int: any Error] = [:]
  /// The first version whose block looks beyond one object, or does something else than when it was planned.
  private var lookingBeyond: Int?

  init(_ fused: [FusedTransition], around pass: @escaping () throws -> Void) {
    transitions = fused.map(\.transition)
    blocks = fused.filter { $0.mapping != nil }
    self.pass = pass
  }

  /// - Throws: `StepContext.LooksBeyond` where a block looks beyond one object; what stops the pass; what a block throws.
  func run() throws {
    enter(0)
    if let version = lookingBeyond ?? versionToComplete {
      throw StepContext.LooksBeyond(version: version)
    }
    if let failure = failureOfPass ?? firstFailure { throw failure }
  }

  /// The version whose objects lack something that what stands behind the `each` of its block may give them. Of several versions, the pass
  /// is repeated version by version first.
  private var versionToComplete: Int? {
    guard transitions.count == 1, let block = blocks.first,
      let refusal = failureOfPass as? MigrationError,
      [.requiredValueMissing, .duplicateValue].contains(refusal.kind)
    else { return nil }
    return block.transition.target.version
  }

  private var firstFailure: (any Error)? {
    failures.min { $0.key < $1.key }?.value
  }

  private func enter(_ place: Int) {
    guard blocks.indices.contains(place) else {
      do {
        try pass()
        isMade = true
      } catch {
        failureOfPass = error
      }
      return
    }
    let transition = blocks[place].transition
    var isMapped = false
    let context = StepContext(environment: transition.environment) { [unowned self] mapping in
      guard !isMapped, blocks[place].begin(mapping) else { return false }
      isMapped = true
      enter(place + 1)
      if !isMade {
        throw failureOfPass ?? firstFailure
          ?? StepContext.LooksBeyond(version: transition.target.version)
      }
      return true
    }
    defer { context.end() }
    do {
      try transition.block?.body(context)
    } catch {
      failures[place] = MigrationError.blockFailed(error, version: transition.target.version)
    }
    if context.hasLookedBeyond || (!isMapped && failures[place] == nil) {
      // The blocks inside of this one have come before.
      lookingBeyond = transition.target.version
    }
  }
}
