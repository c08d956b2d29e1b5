/// Told of each object before a block sees it. Only proofs listen.
///
/// A struct around the function, because a task-local function crashes in release builds: docs/decisions/0072.
package struct StepTrace: Sendable {
  @TaskLocal package static var current: StepTrace?

  private let body: @Sendable (_ version: Int, _ object: FrozenRow) -> Void

  package init(_ body: @escaping @Sendable (_ version: Int, _ object: FrozenRow) -> Void) {
    self.body = body
  }

  func callAsFunction(_ version: Int, _ object: FrozenRow) { body(version, object) }
}
