package import StrataSchema

/// What a Swift block works with: the old and the new objects of its step.
///
/// A block that calls `each` once and looks at nothing else maps one object to one object, and is run together with its neighbours in
/// one pass. Everything else looks at other objects, too, and makes the upgrade stop at this version.
public final class StepContext {
  @usableFromInline
  struct Versions: Equatable {
    let old: Int
    let new: Int

    @usableFromInline init(old: Int, new: Int) { (self.old, self.new) = (old, new) }
  }

  /// One `each` of a block.
  struct Mapping {
    typealias Body = (FrozenRow, FrozenRow) throws -> Void

    let oldModel: String
    let newModel: String
    /// The versions by which the block types the two; nil where it names models alone.
    var versions: Versions?
    let body: Body
  }

  /// Thrown where a block looks beyond one object while only mappings are run; the upgrade is planned anew.
  struct LooksBeyond: Error {
    let version: Int
  }

  private let environment: StepEnvironment
  /// Nil while the block's mappings are only being collected, in a pass, and when it has returned.
  private var workspace: (any StepWorkspace)?
  /// Makes a pass for the block's mapping; false where it has been made. Nil outside of a pass.
  private var carryOut: ((Mapping) throws -> Bool)?
  private var isOver = false
  private(set) var mappings: [Mapping] = []
  /// What takes objects back, one for each `back` of a block.
  private var backMappings: [Mapping] = []
  /// Whether the block has looked beyond one object, also where it has caught what that throws without a workspace.
  private(set) var hasLookedBeyond = false

  init(environment: StepEnvironment, workspace: (any StepWorkspace)?) {
    self.environment = environment
    self.workspace = workspace
  }

  /// A block in a pass.
  init(environment: StepEnvironment, carryOut: @escaping (Mapping) throws -> Bool) {
    self.environment = environment
    self.carryOut = carryOut
  }

  /// The block has returned: what it kept of the step reaches nothing any more.
  func end() {
    workspace = nil
    carryOut = nil
    // Their bodies may hold this.
    mappings = []
    backMappings = []
    isOver = true
  }

  /// What the block has said with `back`. The context forgets what it was told, because the bodies may hold it.
  func takeBackMappings() -> [Mapping] {
    defer {
      mappings = []
      backMappings = []
    }
    return backMappings
  }

  private func requireRunning() throws {
    guard isOver else { return }
    throw MigrationError(
      .blockFailed,
      "The step to version \(environment.version) is used after its block has returned.",
      version: environment.version)
  }

  func requireWorkspace() throws -> any StepWorkspace {
    try requireRunning()
    hasLookedBeyond = true
    guard let workspace else {
      throw LooksBeyond(version: environment.version)
    }
    return workspace
  }

  // MARK: - Mapping

  /// Maps every object of a model to its next version, in identity order.
  ///
  /// Properties that continue are already copied and the step's `set` is evaluated when the body runs. When it returns, the body has run for
  /// all objects; only where the block is called to learn what it maps, for none.
  ///
  /// - Throws: what `body` throws; it stops the upgrade.
  // Inlined where the block is, so that the compiler sees both through.
  @inlinable
  public func each<Old: FrozenObject, New: FrozenObject>(
    _ old: Old.Type, _ new: New.Type, _ body: @escaping (Old, New) throws -> Void
  ) throws {
    let versions = Versions(old: Old.version, new: New.version)
    try map(Old.modelName, to: New.modelName, versions: versions) { oldRow, newRow in
      try body(Old(_row: oldRow), New(_row: newRow))
    }
  }

  @usableFromInline
  func map(
    _ oldModel: String, to newModel: String, versions: Versions? = nil,
    _ body: @escaping (FrozenRow, FrozenRow) throws -> Void
  ) throws {
    var body = body
    if let trace = StepTrace.current {
      body = { [version = environment.version, body] old, new in
        trace(version, old)
        try body(old, new)
      }
    }
    let mapping = Mapping(oldModel: oldModel, newModel: newModel, versions: versions, body: body)
    try requireRunning()
    guard let workspace else {
      guard let carryOut else { return mappings.append(mapping) }
      guard try carryOut(mapping) else {
        hasLookedBeyond = true
        throw LooksBeyond(version: environment.version)
      }
      return
    }
    // What a body looks at does not count: where mappings are only collected, it is not run.
    let hadLookedBeyond = hasLookedBeyond
    defer { hasLookedBeyond = hadLookedBeyond }
    try workspace.run(mapping)
  }

  // MARK: - Taking back

  /// Says how a change of an object is taken back over the step, where a version is taken back by `Store.downgrade` or
  /// `strata downgrade`: the newer object in, the older one out. It runs for what was changed or made in the newer version, and
  /// only what it gives another value than for the object as the upgrade made it goes back.
  ///
  /// ```swift
  /// step.back(V1.Person.self, V0.Person.self) { new, old in
  ///   old.firstName = String(new.fullName.prefix { $0 != " " })
  /// }
  /// ```
  /// The body sees its own object alone. A block that looks beyond single objects says `back` before it does: what it says later is
  /// not heard, which a proof calls a failure. A block that says it twice for a model, or for models of which the newer one does not
  /// continue the older one, is refused when a file is taken back.
  ///
  /// - Parameters:
  ///   - new: the model, typed by the version that the step reaches.
  ///   - old: the same of the version before.
  ///   - body: sets properties of the older object. What it throws keeps the change of this object from
  ///     going back, which the report names.
  public func back<New: FrozenObject, Old: FrozenObject>(
    _ new: New.Type, _ old: Old.Type, _ body: @escaping (New, Old) throws -> Void
  ) {
    guard workspace == nil else {
      if hasLookedBeyond {
        StepTrace.current?.hasLateBack(environment.version, Old.modelName)
      }
      return
    }
    backMappings.append(
      Mapping(
        oldModel: Old.modelName, newModel: New.modelName,
        versions: Versions(old: Old.version, new: New.version)
      ) {
        [weak self, version = environment.version, trace = StepTrace.current] oldRow, newRow in
        self?.hasLookedBeyond = false
        trace?(version, newRow)
        try body(New(_row: newRow), Old(_row: oldRow))
        // Also where the body has caught what that throws. A body that uses no step has none to look with.
        if self?.hasLookedBeyond == true { throw LooksBeyond(version: version) }
      })
  }

  // MARK: - In place of clock and chance

  /// Midnight UTC of the day on which the version was frozen, in seconds since 2001-01-01.
  package var secondsSinceReferenceDate: Double { environment.date }

  package func uuidValue(for object: some FrozenObject) -> UUIDValue {
    environment.uuid(
      model: object.row.model.name, key: object.row.stableKey, use: "step")
  }

  /// A source of numbers that look random and are the same on every machine and path.
  ///
  /// - Parameter object: the old object, or a new one whose primary key is set already, as for `uuid(for:)`.
  public func random(for object: some FrozenObject) -> StepRandom {
    StepRandom(
      seed: environment.seed(model: object.row.model.name, key: object.row.stableKey, use: "step"))
  }

  // MARK: - Looking beyond one object

  /// All objects of a model in identity order: the old ones for a type of the version before, the new ones for a
  /// type of the version that the step reaches.
  public func objects<Object: FrozenObject>(_ type: Object.Type) throws
    -> some Sequence<Object>
  {
    let (trace, version) = (StepTrace.current, environment.version)
    return try requireWorkspace().rows(of: Object.modelName, version: Object.version)
      .lazy.map { row in
        trace?(version, row)
        return Object(row: row)
      }
  }

  /// A link to an object, as its own `link` is: for models that have a property of that name.
  public func link<Object: FrozenObject>(to object: Object) -> FrozenLink<Object> {
    FrozenLink(identity: object.row.identity)
  }

  /// The object that a link leads to; nil where it is gone.
  public func object<Object: FrozenObject>(_ link: FrozenLink<Object>?) throws -> Object? {
    guard let link else { return nil }
    return try requireWorkspace()
      .row(of: Object.modelName, version: Object.version, identity: link.identity)
      .map(Object.init(row:))
  }

  /// The object with this primary key; of a compound key all values, in its order: `primaryKey: account, number`.
  public func object<Object: FrozenObject, each Key: StoredValue>(
    _ type: Object.Type, primaryKey: repeat each Key
  ) throws -> Object? {
    var values: [Value] = []
    repeat values.append((each primaryKey)._generatedCell.value ?? .null)
    return try requireWorkspace()
      .row(of: Object.modelName, version: Object.version, primaryKey: values)
      .map(Object.init(row:))
  }

  /// The other version of an object: the new one that continues an old one, or the reverse; nil where there is none.
  public func counterpart<Object: FrozenObject, Other: FrozenObject>(
    of object: Object, as type: Other.Type
  ) throws -> Other? {
    try requireWorkspace()
      .row(of: Other.modelName, version: Other.version, identity: object.row.identity)
      .map(Other.init(row:))
  }

  /// Creates an object of the new version. It takes the next identity.
  ///
  /// - Parameters:
  ///   - type: the model, typed by the new version: `V1.Person.self`.
  ///   - body: sets its properties; what it leaves has its default.
  @discardableResult
  public func create<New: FrozenObject>(_ type: New.Type, _ body: (New) throws -> Void = { _ in })
    throws -> New
  {
    let row = try requireWorkspace().create(New.modelName, version: New.version) { row in
      try body(New(row: row))
    }
    return New(row: row)
  }

  /// Deletes an object of the new version; the delete rules of links to it apply.
  public func delete(_ object: some FrozenObject) throws {
    try requireWorkspace().delete(object.row)
  }
}

/// Numbers that look random and depend on a seed alone (SplitMix64 of Steele, Lea and Flood).
public struct StepRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
