import StrataSchema

/// An object of a model: the base of every generated class.
///
/// An object that was made with its initialiser is *standalone*: it belongs to no store and holds its values
/// itself. `Store.add(_:update:)` makes it *managed*: from then on it is a view of a row of the file, and is
/// changed inside of `Store.write(_:)` only. Objects are not `Sendable`; a frozen one, an ``ObjectReference`` or a
/// detached copy may travel.
///
/// ```swift
/// let person = Person(fullName: "Ada Lovelace")
/// try store.write { try store.add(person) }
/// print(store.objects(Person.self).count)
/// ```
///
/// Reading never fails: an object that was deleted keeps its last known values, and `isInvalidated` says so. So does one
/// that was added in a transaction that was cancelled.
open class Object {
  // What every read of a property touches is reached without counting references, and without the run time's check for
  // overlapping access: none of these is ever held `inout`.

  /// The store, nil for a standalone object.
  @exclusivity(unchecked) final var manager: Store?
  // The store owns it and outlives it through `manager`. Not an unowned reference, which is counted where it is looked at.
  @exclusivity(unchecked) final var accessHandle: Unmanaged<ModelAccess>?
  @inline(__always) final var managedAccess: ModelAccess? { accessHandle?.takeUnretainedValue() }
  /// The identity; 0 for a standalone object, and that of no object once the transaction that added it was cancelled.
  @inline(__always) final var row: Int64 {
    get { outcome?.isCancelled == true ? WriteOutcome.noRow : givenRow }
    set { givenRow = newValue }
  }
  /// The identity that the object has or had.
  @exclusivity(unchecked) final var givenRow: Int64 = 0
  /// How the transaction ended that added the object; nil for one that was there before.
  @exclusivity(unchecked) final var outcome: WriteOutcome?
  /// When the model's rows had changed last as the row was read; 0 for never read.
  @exclusivity(unchecked) final var generation: UInt64 = 0
  /// The cursor that stands on this object's row. The cursor takes itself off before it moves or ends.
  @exclusivity(unchecked) final unowned(unsafe) var cursor: RowCursor?
  /// The cursor's row, and where its columns are; nil without a cursor.
  @exclusivity(unchecked) final var cursorRow: CursorRow?
  /// The row as it was read last.
  @exclusivity(unchecked) final var buffer = RowBuffer()
  /// Whether the row was not there any more when it was looked for.
  @exclusivity(unchecked) final var isMissing = false
  // The place in `UnreadObjects`, whose these are: which chain it is in, and its neighbours there.
  @exclusivity(unchecked) final var isUnread = false
  @exclusivity(unchecked) final var isReadAfterAdding = false
  /// Whether the object was in a chain at any time, so that it is only given up under the chains' lock.
  @exclusivity(unchecked) final var wasUnread = false
  @exclusivity(unchecked) final var nextUnread: Unmanaged<Object>?
  @exclusivity(unchecked) final var previousUnread: Unmanaged<Object>?
  /// The model of a standalone object without a class of its own.
  final var standaloneModel: _GeneratedModel?
  /// The values of a standalone object; nil until the first use.
  @exclusivity(unchecked) final var standalone: StandaloneStorage?
  /// The collections of a managed object that were asked for, by property.
  @exclusivity(unchecked) final var collections: [CollectionCore?] = []
  /// Nil until the object is hashed, and for most objects of a store for ever.
  @exclusivity(unchecked) final var hashIdentity: HashIdentity?

  /// An object that belongs to no store yet and holds the declared defaults.
  public required init() {}

  deinit {
    guard wasUnread, let manager = manager.map(Unmanaged.passUnretained) else { return }
    manager._withUnsafeGuaranteedRef { $0.unreadObjects.remove(self) }
  }

  /// An object that belongs to no store yet, of a dictionary, an array of values in the order of the declaration, decoded
  /// JSON, or another object, which is copied: the copy links to the same objects of a store. A nested dictionary that holds nothing but a
  /// primary key, `["id": 1]`, names an object: one that is there keeps its values when the new object is added.
  ///
  /// - Parameters:
  ///   - value: a dictionary, an array, decoded JSON or another object.
  ///   - reading: how keys and dates are spelled, and whether unknown keys are an error.
  /// - Throws: `StoreError.wrongType`, `.unknownProperty`
  public convenience init(
    value: Any, reading: ValueReading = ValueReading()
  ) throws(StoreError) {
    self.init()
    do {
      let reader = ObjectReader(store: nil, update: .error, reading: reading)
      try reader.fill(self, value)
    } catch {
      throw StoreError(error, path: "")
    }
  }

  /// An object that belongs to no store yet, of what `json(depth:)` and any encoder write.
  ///
  /// ```swift
  /// let person = try JSONDecoder().decode(Person.self, from: data)
  /// try store.write { try store.add(person, update: .modified) }
  /// ```
  /// A missing key leaves the declared default, null is nil, unknown keys are passed over. Objects with the same primary
  /// key are one object within what is decoded. One that is nowhere spelled but by its key, `{"id": 1}`, names an object: one that is
  /// there keeps its values, but for those that are set in the decoded one.
  ///
  /// - Throws: `DecodingError` with the path of what is missing, of a wrong type or out of range.
  public required convenience init(from decoder: any Decoder) throws {
    self.init()
    try ObjectDecoding().decode(self, from: decoder)
  }

  /// The model and schema of the class; generated.
  open class var _generatedModel: _GeneratedModel {
    misuse(
      "\(self) has no model: classes of objects are generated from a schema's declarations.")
  }
}

// MARK: - State

extension Object {
  /// The store that the object belongs to, nil for a standalone one.
  public final var store: Store? { manager }

  /// Whether the object was deleted, or added in a transaction that was cancelled, or its store was closed, or cannot read
  /// its file any more, which another process has upgraded. Its last known values can still be read. Once true it stays so, except for a deletion that is cancelled.
  public final var isInvalidated: Bool {
    guard let manager else { return false }
    // A file that cannot be read any more is not tracked.
    if manager.snapshot.outdated == nil { manager.noteRead(of: self, TrackedReads.membership) }
    return isGone
  }

  /// The same for Strata's own use, which no view depends on.
  final var isGone: Bool {
    guard let manager else { return false }
    if manager.isClosed || manager.snapshot.outdated != nil { return true }
    readRow(of: manager)
    return isMissing
  }

  /// Whether this is the same object: the same row of the same file, or the same instance. The same as `==`. In a block of a step,
  /// objects of properties of type `any` are the same where both lead to one object.
  public final func isSameObject(as other: Object?) -> Bool {
    guard let other else { return false }
    if self === other { return true }
    guard let manager, let otherManager = other.manager else {
      guard self.manager == nil, let reference = self as? ReferredObject,
        let otherReference = other as? ReferredObject
      else { return false }
      return reference.leadsToSameObject(as: otherReference)
    }
    return givenRow == other.givenRow && isOfCancelledWrite == other.isOfCancelledWrite
      && model.model.name == other.model.model.name && manager.isSameFile(as: otherManager)
  }

  /// Whether the object was added in a transaction that was cancelled.
  final var isOfCancelledWrite: Bool { outcome?.isCancelled == true }

  /// The number of the object's row; 0 for a standalone one. A function of the type: no name of a property may be taken.
  package static func identity(of object: Object) -> Int64 { object.row }

  /// Whether the object is being added to its store: its values are still those that it was given.
  final var isWaitingForRow: Bool { manager != nil && standalone != nil }

  final var model: _GeneratedModel {
    managedAccess?.generated ?? standaloneModel ?? type(of: self)._generatedModel
  }
}

/// An object of a model that no class was generated for, or whose class is not asked for. Its properties are
/// reached by name: `object["fullName"]`.
public final class DynamicObject: Object {
  /// An object without a model, which has no properties.
  public required init() { super.init() }
}
