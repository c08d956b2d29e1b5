import Strata
package import StrataRealm
import StrataSQLite
package import StrataSchema

/// A Realm file in our terms: its schema, and which table and column each model and property comes from.
package struct RealmSource {
  /// One class of the file.
  package struct Class {
    package let table: RealmTable
    package let model: Model
    /// The file's columns of the model's properties that hold one value, in the model's order.
    let columns: [(column: Int, property: Property)]
    /// Those of its collections.
    let collections: [(column: Int, property: Property)]
    /// The identity of its first object; the others follow in the file's order.
    let firstRow: Int64
  }

  package let file: RealmFile
  package let history: AdoptedHistory
  package let classes: [Class]
  /// The identity after those of all objects.
  let nextRow: Int64

  /// Number of a table → its place in `classes`.
  let placeOfTable: [Int: Int]

  /// - Parameters:
  ///   - key: 64 bytes, of an encrypted file.
  ///   - name: the schema's; nil for one like the file's.
  /// - Throws: `AdoptError`.
  package init(path: String, key: [UInt8]?, name: String?) throws {
    do {
      file = try RealmFile(path: path, key: key)
    } catch {
      throw AdoptError(Self.sentence(path, error))
    }
    let title = path.split(separator: "/").last.map { $0.split(separator: ".").first ?? $0 }
    var mapping = RealmMapping(file: file, path: path)
    history = try mapping.history(name: try SchemaName.make(name, near: String(title ?? "App")))
    var classes: [Class] = []
    var places: [Int: Int] = [:]
    var next: Int64 = 1
    for found in mapping.classes {
      guard let model = history.versions[0].schema.model(named: found.model) else { continue }
      func columns(_ properties: [Property]) -> [(column: Int, property: Property)] {
        properties.compactMap { property in
          found.columns[property.name].map { ($0, property) }
        }
      }
      places[found.table] = classes.count
      let table = file.tables[found.table]
      classes.append(
        Class(
          table: table, model: model, columns: columns(model.columnProperties),
          collections: columns(model.collectionProperties), firstRow: next))
      next += Int64(table.count)
    }
    self.classes = classes
    placeOfTable = places
    nextRow = next
  }

  /// How many objects the file has.
  package var objects: Int { Int(nextRow - 1) }

  /// The same by model.
  package var counts: [String: Int] {
    Dictionary(
      classes.map { ($0.model.name, $0.table.count) }, uniquingKeysWith: { first, _ in first })
  }
}

extension RealmValue {
  /// Whether a value is of a property's type. Realm sees to that, but a dictionary's values say their type themselves.
  func fits(_ base: BaseType) -> Bool {
    if base == .scalar(.any) { return true }
    return switch self {
    case .null: true
    case .bool: base == .scalar(.bool)
    case .int: base == .scalar(.int)
    case .float: base == .scalar(.float)
    case .double: base == .scalar(.double)
    case .string, .damagedText: base == .scalar(.string)
    case .data: base == .scalar(.data)
    case .date: base == .scalar(.date)
    case .decimal: base == .scalar(.decimal)
    case .objectID: base == .scalar(.objectID)
    case .uuid: base == .scalar(.uuid)
    case .link, .goneLink: base.scalar == nil
    case .list, .dictionary: false
    }
  }
}

extension RealmSource {
  /// What a file is that cannot be opened as a Realm file, and what to do with it.
  private static func sentence(_ path: String, _ error: any Error) -> String {
    let files = POSIXFiles()
    let status: FileStatus?
    do { status = try files.status(of: path) } catch {
      return "'\(path)' cannot be read: \(error.reason)"
    }
    guard let status else { return "there is no '\(path)'" }
    if status.kind == .other { return "'\(path)' is a pipe, socket or device, not a Realm file" }
    if status.kind == .folder { return "'\(path)' is a folder: name the .realm file in it" }
    guard files.isAccessible(path, forWriting: false) else {
      return "'\(path)' cannot be read: this user has no permission to read it"
    }
    if status.size == 0 { return "'\(path)' is empty: it holds no Realm" }
    if Database.isPlain(path) {
      return
        "'\(path)' is a SQLite database, not a Realm file: 'adopt sqlite' brings it in, 'adopt coredata' a store of Core Data"
    }
    return "'\(path)' cannot be read: \(error)"
  }
}
