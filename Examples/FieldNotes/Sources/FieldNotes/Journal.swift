import Foundation
public import Strata

/// The observations of one expedition.
///
/// The library's own face to the store: who uses it works with sites, species and observations.
public final class Journal {
  /// For whatever the journal itself does not offer.
  public let store: Store

  /// Opens the journal in a file, or a new one in memory that nobody shares.
  ///
  /// - Throws: `StoreError`
  public init(path: String? = nil) throws {
    let configuration: Store.Configuration
    if let path {
      configuration = Store.Configuration(path: path, schema: FieldNotesSchema.self)
    } else {
      configuration = Store.Configuration(
        inMemoryIdentifier: UUID().uuidString, schema: FieldNotesSchema.self)
    }
    store = try Store(configuration: configuration)
  }

  /// Notes that something was seen.
  ///
  /// - Returns: the observation, which belongs to the store now.
  @discardableResult
  public func note(
    _ species: String, at site: Site, count: Int32 = 1, note: String = ""
  ) throws -> Observation {
    try store.write {
      let observation = Observation(
        site: site, species: try self.species(named: species), count: count, note: note)
      try store.add(observation)
      return observation
    }
  }

  /// How many of a species were seen in all.
  public func total(of species: String) -> Int {
    store.objects(Observation.self).where { $0.species.name == species }
      .reduce(0) { $0 + Int($1.count) }
  }

  private func species(named name: String) throws -> Species {
    try store.object(ofType: Species.self, forPrimaryKey: name) ?? Species(name: name)
  }
}
