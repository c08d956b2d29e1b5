import CoreDataFixtures

/// A store in a folder of a test's own.
final class StoreFixture {
  let scratch: AdoptScratch
  let path: String

  /// - Parameters:
  ///   - changes: statements that make another store of it.
  ///   - model: what stands in Z_MODELCACHE; nil for nothing.
  init(_ changes: String = "", model: [UInt8]? = StoreModel.archive(StoreModel.entities)) throws {
    scratch = try AdoptScratch()
    path = try StoreFile.write(in: scratch.path, changes: changes, model: model)
  }
}
