import StrataExpression
import Synchronization

/// The texts of conditions without arguments, parsed and checked against their model.
///
/// Counting ten thousand objects by an index takes 0.2 ms; understanding `age == 42` anew would add a tenth.
final class ConditionCache: Sendable {
  /// Texts that are put together anew for each value must not fill the memory.
  private static let maximumCount = 128
  private static let maximumBytes = 1024

  private let known = Mutex<[String: ResolvedExpression]>([:])

  func condition(
    _ text: String, or parse: () throws(StoreError) -> ResolvedExpression
  ) throws(StoreError) -> ResolvedExpression {
    // Swift takes strings for equal whose bytes are not, K and the Kelvin sign among them; queries don't.
    guard text.utf8.count <= Self.maximumBytes, text.utf8.allSatisfy({ $0 < 0x80 }) else {
      return try parse()
    }
    if let found = known.withLock({ $0[text] }) { return found }
    let parsed = try parse()
    known.withLock { known in
      if known.count >= Self.maximumCount { known.removeAll(keepingCapacity: true) }
      known[text] = parsed
    }
    return parsed
  }
}
