/// The Swift block of one version: what it does to the data that an expression cannot say.
///
/// ```swift
/// extension PeopleMigrations {
///   /// One name field instead of two.
///   static let toVersion1 = Step(to: 1) { step in
///     try step.each(V0.Person.self, V1.Person.self) { old, new in
///       new.fullName = "\(old.firstName) \(old.lastName)"
///     }
///   }
/// }
/// ```
///
/// A block has to be pure: the same objects in, the same objects out, on every machine and path. Clock
/// and chance are replaced by `date`, `uuid(for:)` and `random(for:)` of the step's context.
///
/// The block is called once before any data is touched, to learn which objects it maps with `each`: for none of them then, as in a file
/// without objects. It is called again to be carried out, and once more where it looks further than it did before.
public struct Step: Sendable {
  /// The version that the step reaches.
  public let version: Int

  package let body: @Sendable (StepContext) throws -> Void

  /// - Parameters:
  ///   - version: the version that the step reaches.
  ///   - body: what it does. An error that it throws stops the upgrade and leaves the file as it was.
  public init(to version: Int, _ body: @escaping @Sendable (StepContext) throws -> Void) {
    self.version = version
    self.body = body
  }
}
