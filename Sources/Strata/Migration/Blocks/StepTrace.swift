/// Told of each object before a block sees it, and of each `step.back` that comes too late to be heard. Only proofs listen.
///
/// A struct around the function, because a task-local function crashes in release builds: docs/decisions/0072.
package struct StepTrace: Sendable {
  @TaskLocal package static var current: StepTrace?

  private let body: @Sendable (_ version: Int, _ object: FrozenRow) -> Void
  let hasLateBack: @Sendable (_ version: Int, _ model: String) -> Void

  package init(
    _ body: @escaping @Sendable (_ version: Int, _ object: FrozenRow) -> Void = { _, _ in },
    hasLateBack: @escaping @Sendable (_ version: Int, _ model: String) -> Void = { _, _ in }
  ) {
    self.hasLateBack = hasLateBack
    self.body = body
  }

  package func callAsFunction(_ version: Int, _ object: FrozenRow) { body(version, object) }
}
