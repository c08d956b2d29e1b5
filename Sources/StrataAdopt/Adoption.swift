package import StrataSchema

/// Why a history cannot be adopted; nothing was written.
package struct AdoptError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// The systems whose histories or files are read.
package enum AdoptSource: String, CaseIterable, Sendable {
  case coredata
  case room
  case drift
  case realm
  case sqlite
}

/// Something of the source that is not in the result as it was.
package struct AdoptNote: Hashable, Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    /// It has no equivalent and is not in the result.
    case leftOut = "left-out"
    /// It is in the result in another form.
    case changed
  }

  package var kind: Kind
  /// The entity or table; empty for the whole version.
  package var entity: String
  package var property: String?
  package var reason: String

  static let noNumbersGivenOut =
    "its numbers are no longer given out by the database (AUTOINCREMENT)"

  package init(kind: Kind, entity: String, property: String?, reason: String) {
    self.kind = kind
    self.entity = entity
    self.property = property
    self.reason = reason
  }
}

/// One version of the source in our terms.
package struct AdoptedVersion: Sendable {
  /// What the source calls it.
  package var name: String
  package var schema: Schema
  package var notes: [AdoptNote]
  /// Names that this version continues under another name: what the source calls a renaming identifier.
  var identifiers = RenamingIdentifiers()
  /// Of a Core Data model: what was read, and what it is called here.
  var coreData: CoreDataVersion?
  /// Of a Core Data model.
  var relationships = RelationshipEnds()
  /// Of Room and drift: the tables as they were read, and what they and their columns are called here.
  var tables: TableMapping?

  package init(name: String, schema: Schema, notes: [AdoptNote]) {
    self.name = name
    self.schema = schema
    self.notes = notes
  }

  init(
    name: String, schema: Schema, notes: [AdoptNote], identifiers: RenamingIdentifiers,
    coreData: CoreDataVersion? = nil, relationships: RelationshipEnds = RelationshipEnds()
  ) {
    self.init(name: name, schema: schema, notes: notes)
    self.identifiers = identifiers
    self.coreData = coreData
    self.relationships = relationships
  }
}

/// A version of a Core Data model as it was read, and what its entities and properties are called here.
struct CoreDataVersion: Sendable {
  var root: XMLNode
  var names: CoreDataSource.Names
}

/// The renaming identifiers of a version, by our names; whatever has none is known by its name.
struct RenamingIdentifiers: Sendable {
  var models: [String: String] = [:]
  var properties: [SchemaPath: String] = [:]
}

/// A note with the versions that it is true for.
package struct AdoptEntry: Hashable, Sendable {
  package var note: AdoptNote
  package var versions: [Int]
}

/// A whole history of another system in our terms, before anything is frozen.
package struct AdoptedHistory: Sendable {
  package var source: AdoptSource
  package var name: String
  /// In order.
  package var versions: [AdoptedVersion]
  /// What is not about one version's schema.
  package var notes: [AdoptNote]

  /// All notes, each once, with its versions; sorted.
  package var entries: [AdoptEntry] {
    var byNote: [AdoptNote: [Int]] = [:]
    for note in notes { byNote[note] = [] }
    for version in versions {
      for note in Set(version.notes) { byNote[note, default: []].append(version.schema.version) }
    }
    return byNote.map { AdoptEntry(note: $0, versions: $1.sorted()) }.sorted {
      ($0.note.entity, $0.note.property ?? "", $0.versions.first ?? -1, $0.note.reason)
        < ($1.note.entity, $1.note.property ?? "", $1.versions.first ?? -1, $1.note.reason)
    }
  }
}
