import Strata
import StrataFiles
import StrataRealm
package import StrataSQLite
import StrataSchema

/// Brings the objects of a Realm file into a new database, one after the other: memory does not grow with them.
package final class RealmTransfer {
  private let source: RealmSource
  private let schema: Schema
  private let leave: (String) throws -> Void
  /// Told how many objects and values were brought over so far, and the model.
  private let progress: (String, Int) throws -> Void
  private var done = 0
  package private(set) var report = TransferReport()

  /// - Parameters:
  ///   - leave: takes a line of JSON for each value that cannot be said here.
  ///   - progress: told the model and the objects done so far; what it throws ends the run.
  package init(
    _ source: RealmSource, leave: @escaping (String) throws -> Void,
    progress: @escaping (String, Int) throws -> Void = { _, _ in }
  ) {
    self.source = source
    schema = source.history.versions[0].schema
    self.leave = leave
    self.progress = progress
  }

  /// Reads all objects and writes them.
  ///
  /// - Parameter database: with empty tables; nil only reads and reports.
  /// - Returns: the identity of the next object.
  /// - Throws: `RealmError` where the file is damaged.
  package func run(into database: Database?) throws -> Int64 {
    let owned = try OwnedObjects(source) { try progress("", 0) }
    source.file.beginReading()
    for (place, entry) in source.classes.enumerated() {
      report.objects[entry.model.name] =
        entry.table.count - owned.countWithoutOwner(place, source)
      try moveObjects(entry, place, owned, database)
      for (column, property) in entry.collections {
        try moveElements(entry, place, owned, column, property, database)
      }
    }
    return source.nextRow
  }

  private func moveObjects(
    _ entry: RealmSource.Class, _ number: Int, _ owned: OwnedObjects, _ database: Database?
  ) throws {
    let writer = try database.map { try ModelWriter(entry.model, schema: schema, database: $0) }
    var cells = [Value](repeating: .null, count: entry.columns.count)
    do {
      try entry.table.forEachChunk { chunk in
        for row in 0..<chunk.count {
          let identity = entry.firstRow + Int64(chunk.first + row)
          guard owned.contains(number, chunk.first + row) else {
            try leaveObject(entry, chunk, row, identity)
            continue
          }
          report.values += cells.count
          for (position, (column, property)) in entry.columns.enumerated() {
            let place = Place(model: entry.model.name, property: property, identity: identity)
            let value = try chunk.value(column, row)
            guard !owned.isRefused(number, column: column, rank: chunk.first + row) else {
              cells[position] = .null
              try leave(Self.sharedReason, value, place)
              continue
            }
            cells[position] = try stored(value, place) ?? .null
          }
          try writer?.add(identity, cells)
        }
        done += chunk.count
        try progress(entry.model.name, done)
      }
      try writer?.finish()
    } catch {
      // The connection is its caller's again.
      try? writer?.finish()
      throw error
    }
  }

  private func moveElements(
    _ entry: RealmSource.Class, _ number: Int, _ owned: OwnedObjects, _ column: Int,
    _ property: Property, _ database: Database?
  ) throws {
    let writer = try database.map {
      try ElementWriter(property, of: entry.model, schema: schema, database: $0)
    }
    var isSet = false
    if case .set = property.type { isSet = true }
    do {
      try entry.table.forEachChunk { chunk in
        for row in 0..<chunk.count where owned.contains(number, chunk.first + row) {
          let rank = chunk.first + row
          let identity = entry.firstRow + Int64(chunk.first + row)
          var position = 0
          var seen: Set<Value> = []
          var keys: Set<[UInt8]> = []
          try chunk.forEachElement(column, row) { storedKey, value in
            let key = storedKey?.keyText
            let place = Place(
              model: entry.model.name, property: property, identity: identity,
              element: key.map { .string($0) } ?? .int(Int64(position)))
            defer { position += 1 }
            try leaveDamagedKey(storedKey, place)
            guard !owned.isRefused(number, column: column, rank: rank, element: position) else {
              return try leave(Self.sharedReason, value, place)
            }
            guard let stored = try stored(value, place) else { return }
            if isSet, !seen.insert(stored.asSetKey).inserted {
              return try leave("the set has an element that is stored as the same", value, place)
            }
            if let key, !keys.insert(Array(key.utf8)).inserted {
              return try leave("the map has another value with this key", value, place)
            }
            report.elements += 1
            try writer?.add(owner: identity, position: position, key: key, stored)
          }
        }
      }
      try writer?.finish()
    } catch {
      try? writer?.finish()
      throw error
    }
  }

  // MARK: - Values

  /// Where a value stands.
  private struct Place {
    let model: String
    let property: Property
    let identity: Int64
    /// The key or number of an element.
    var element: JSON?
  }

  /// A value as it is stored here; nil for an element that is left out.
  private func stored(_ value: RealmValue, _ place: Place) throws -> Value? {
    guard let type = place.property.type.valueType else { return .null }
    guard value.fits(type.base) else {
      try leave("the value is not of its property's type", value, place)
      if place.element != nil { return nil }
      return type.isOptional ? .null : empty(type.base)
    }
    switch value {
    case .null:
      if type.isOptional || type.base == .scalar(.any) { return .null }
      if case .object = type.base {
        guard place.element != nil else { return .null }
        try leave("a collection of objects has no empty places", value, place)
        return nil
      }
      try leave("the value is missing though it is required", value, place)
      return empty(type.base)
    case .bool(let value): return .bool(value)
    case .int(let value): return .int(value)
    case .float(let bits): return .float(Float(bitPattern: bits))
    case .double(let bits): return .double(Double(bitPattern: bits))
    case .string(let text): return .string(text)
    case .damagedText(let bytes):
      try leave("the text is no UTF-8: what is not was replaced", value, place)
      return .string(String(decoding: bytes, as: UTF8.self))
    case .data(let bytes): return .data(bytes)
    case .date(let seconds, let nanoseconds):
      let date = RealmDate.seconds(seconds, nanoseconds)
      if !RealmDate.isKept(date, seconds, nanoseconds) {
        try leave("the date is kept to the nearest Double of seconds", value, place)
      }
      return .date(date)
    case .decimal(let number):
      if let value = DecimalValue(number.text) { return .decimal(value) }
      try leave("a decimal here has no infinity and 166 digits at most", value, place)
      if place.element != nil { return nil }
      return type.isOptional ? .null : empty(type.base)
    case .objectID(let value): return .objectID(value)
    case .uuid(let value): return .uuid(value)
    case .goneLink:
      try leave("the link leads to no object that is here", value, place)
      return place.element == nil ? .null : nil
    case .link(let link):
      let isAny = type.base == .scalar(.any)
      guard let target = try target(of: link), isAny || type.base == .object(target.model) else {
        try leave("the link leads to no object that is here", value, place)
        return place.element == nil ? .null : nil
      }
      return isAny
        ? .object(model: target.model, identity: target.identity) : .link(target.identity)
    case .list, .dictionary:
      try leave("a value of type any is no collection", value, place)
      return .null
    }
  }

  private func target(of link: RealmLink) throws -> (model: String, identity: Int64)? {
    guard let place = source.placeOfTable[link.table] else { return nil }
    let entry = source.classes[place]
    guard let rank = try entry.table.rank(of: link.key) else { return nil }
    return (entry.model.name, entry.firstRow + Int64(rank))
  }

  /// What stands where a required value is missing.
  private func empty(_ base: BaseType) -> Value {
    switch base.scalar {
    case .bool: .bool(false)
    case .float: .float(0)
    case .double: .double(0)
    case .string: .string("")
    case .data: .data([])
    case .date: .date(0)
    case .uuid: .uuid(UUIDValue(high: 0, low: 0))
    case .objectID: .objectID(ObjectIDValue(high: 0, low: 0))
    case .decimal: DecimalValue("NaN").map { .decimal($0) } ?? .null
    case .any, nil: .null
    default: .int(0)
    }
  }

  // MARK: - What is left out

  private static let sharedReason = "the embedded object has another owner already"

  private func leave(_ reason: String, _ value: RealmValue, _ place: Place) throws {
    report.note(place.model, place.property.name, reason)
    var line: [String: JSON] = [
      "$model": .string(place.model), "$id": .int(place.identity),
      "property": .string(place.property.name), "reason": .string(reason),
      "value": try json(value),
    ]
    if let element = place.element { line["element"] = element }
    try leave(JSON.object(line).canonicalText)
  }

  /// Leaves the bytes of a map's key that is no UTF-8; the element has the text that was made of them.
  private func leaveDamagedKey(_ key: RealmValue?, _ place: Place) throws {
    guard let key, case .damagedText = key else { return }
    try leave("the key is no UTF-8: what is not was replaced", key, place)
  }

  /// An embedded object that no object owns, with all of its values.
  private func leaveObject(
    _ entry: RealmSource.Class, _ chunk: RealmChunk, _ row: Int, _ identity: Int64
  ) throws {
    let reason = "no object owns it: Realm keeps embedded objects whose property is gone"
    var values: [String: JSON] = [:]
    for (column, property) in entry.columns {
      values[property.name] = try json(try chunk.value(column, row))
    }
    for (column, property) in entry.collections {
      var elements: [(key: String, value: JSON)] = []
      try chunk.forEachElement(column, row) { key, value in
        let text = key?.keyText ?? ""
        try leaveDamagedKey(
          key,
          Place(
            model: entry.model.name, property: property, identity: identity,
            element: .string(text)))
        elements.append((text, try json(value)))
      }
      if case .map = property.type {
        values[property.name] = JSON(members: elements)
      } else {
        values[property.name] = .array(elements.map(\.value))
      }
    }
    report.note(entry.model.name, "", reason)
    try leave(
      JSON.object([
        "$model": .string(entry.model.name), "$id": .int(identity), "reason": .string(reason),
        "value": .object(values),
      ]).canonicalText)
  }

  /// A link to an object that is not here, as the file itself names it.
  private func nameless(_ link: RealmLink) -> JSON {
    let tables = source.file.tables
    return .object([
      "$table": .string(tables.indices.contains(link.table) ? tables[link.table].name : "unknown"),
      "$key": .string(String(link.key)),
    ])
  }

  /// A value as `export` spells one of type `any`, with collections inside.
  private func json(_ value: RealmValue) throws -> JSON {
    switch value {
    case .date(let seconds, let nanoseconds):
      return .object([
        "$seconds": .int(seconds), "$nanoseconds": .int(nanoseconds),
      ])
    case .decimal(let number): return .object(["$decimal": .string(number.text)])
    case .damagedText(let bytes): return JSONCoding.json(.data(bytes), as: .any)
    case .link(let link):
      guard let target = try target(of: link) else { return nameless(link) }
      return .object(["$model": .string(target.model), "$id": .int(target.identity)])
    case .goneLink(let link): return nameless(link)
    case .list(let values): return .array(try values.map(json))
    case .dictionary(let entries):
      return JSON(members: try entries.map { ($0.key, try json($0.value)) })
    case .bool(let value): return .bool(value)
    case .int(let value): return .int(value)
    case .float(let bits): return JSONCoding.json(.float(Float(bitPattern: bits)), as: .any)
    case .double(let bits): return JSONCoding.json(.double(Double(bitPattern: bits)), as: .any)
    case .string(let text): return .string(text)
    case .data(let bytes): return JSONCoding.json(.data(bytes), as: .any)
    case .objectID(let value): return JSONCoding.json(.objectID(value), as: .any)
    case .uuid(let value): return JSONCoding.json(.uuid(value), as: .any)
    case .null: return .null
    }
  }
}

extension Value {
  /// The same for all that a set takes for one element: it compares numbers by their value.
  fileprivate var asSetKey: Value {
    switch self {
    case .double(let number): Int64(exactly: number).map { .int($0) } ?? self
    case .float(let number) where number == 0: .float(0)
    case .date(let seconds) where seconds == 0: .date(0)
    default: self
    }
  }
}
