/// An object of a frozen version inside a migration: a typed face of one row.
///
/// Code generation writes one for each model that a step names under `swift:`. It never changes again, so a block that
/// compiled once compiles for ever.
public protocol FrozenObject: SendableMetatype {
  /// The model's name in that version.
  static var modelName: String { get }

  /// The frozen version.
  static var version: Int { get }

  /// The row that the properties read and write. The language keeps the name from properties.
  var _row: FrozenRow { get }

  init(_row: FrozenRow)
}

extension FrozenObject {
  package var row: FrozenRow { _row }

  package init(row: FrozenRow) { self.init(_row: row) }

  /// A link to this object, to be set on another one.
  public var link: FrozenLink<Self> { FrozenLink(identity: row.identity) }

  /// Whether both are the same object, in the same version.
  public func isSameObject(as other: Self) -> Bool { row.identity == other.row.identity }
}

/// A link to an object of a frozen version. `StepContext.object(_:)` follows it.
public struct FrozenLink<Target: FrozenObject>: Hashable, Sendable {
  package let identity: Int64

  package init(identity: Int64) { self.identity = identity }
}
