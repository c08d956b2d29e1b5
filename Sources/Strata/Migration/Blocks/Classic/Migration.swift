/// Brings a file from the shape that it has to the newest one.
///
/// It may be called more than once for a file, as where another process commits before the new content is written: what it does has to
/// depend on the objects alone, and to change nothing but them.
///
/// - Parameters:
///   - migration: the objects as they were and as they will be.
///   - oldSchemaVersion: the version that the file is at.
public typealias MigrationBlock =
  @Sendable (
    _ migration: Migration, _ oldSchemaVersion: Int
  ) throws -> Void

/// The classic form of a migration: one block that sees the objects of a file as they were stored and as the newest schema
/// has them.
///
/// ```swift
/// Store.Configuration(
///   schema: PeopleSchema.self,
///   migrationBlock: { migration, oldSchemaVersion in
///     if oldSchemaVersion < 1 {
///       migration.enumerateObjects(ofType: "Person") { old, new in
///         new!["fullName"] = "\(old!["firstName"]!) \(old!["lastName"]!)"
///       }
///     }
///   })
/// ```
///
/// Properties that continue under their names are already copied when the block runs, and new ones have their defaults. What
/// goes wrong, in an accessor that cannot throw as well, stops the upgrade with an error that names the object;
/// the file is then as it was.
///
/// Neither a migration nor its objects are of use when the block has returned.
public final class Migration {
  private let session: ClassicSession

  init(session: ClassicSession) { self.session = session }

  /// What the file has.
  public var oldSchema: MigrationSchema { MigrationSchema(session.transition.source) }

  /// What the program declares.
  public var newSchema: MigrationSchema { MigrationSchema(session.transition.target) }

  /// Runs a body for every object of a model, in the order of their creation.
  ///
  /// For a model that was added the old object is nil, and the objects are those that the block has created; for one that
  /// was removed the new object is nil. An object that the block has deleted is passed over. A name that neither schema has
  /// has no objects.
  ///
  /// A body that looks at nothing but its two objects is the fastest: such objects are written as they are read. One that
  /// looks at others, or keeps an object, makes all of them be written first.
  public func enumerateObjects(
    ofType typeName: String,
    _ body: (_ oldObject: MigrationObject?, _ newObject: MigrationObject?) throws -> Void
  ) rethrows {
    try session.enumeration(of: typeName).forEach(body)
  }

  /// Says that a property of the newest schema continues one that the file has under another name.
  ///
  /// A name in between, as of a version that was skipped, may be given and renamed again. Both have to be of the same type; one
  /// that becomes required takes its default where there is no value.
  public func renameProperty(onType typeName: String, from oldName: String, to newName: String) {
    session.attempt { try session.rename(oldName, to: newName, of: typeName) }
  }

  /// Deletes all objects of a model.
  ///
  /// - Returns: whether the file or the newest schema has such a model.
  @discardableResult
  public func deleteData(forType typeName: String) -> Bool {
    session.attempt { try session.deleteData(of: typeName) } ?? false
  }

  /// Stores a new object of the newest schema.
  ///
  /// - Parameters:
  ///   - typeName: the model's name in the newest schema.
  ///   - value: a dictionary (what is missing has its default), an array with a value for each property in the order
  ///     of the declaration, or an object whose properties of the same names are taken; nested for links.
  @discardableResult
  public func create(_ typeName: String, value: Any = [String: Any]()) -> MigrationObject {
    session.attempt { try session.create(typeName, value) } ?? session.unusableObject(typeName)
  }

  /// Deletes an object of the newest schema. Links to it go as their delete rules say.
  public func delete(_ object: MigrationObject) {
    session.attempt { try session.delete(object) }
  }
}
