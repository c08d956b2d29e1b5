import StrataSQLite
import StrataSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Store {
  /// Opens a file, and creates it when it is missing.
  ///
  /// - Throws: ``StoreError``
  public convenience init(
    path: String, schema: (any GeneratedSchema.Type)? = nil,
    migrations: (any MigrationChain.Type)? = nil, file: StaticString = #fileID,
    line: UInt = #line
  ) throws(StoreError) {
    var configuration = Self.defaultConfiguration
    configuration.fileURL = URL(fileURLWithPath: path)
    configuration.inMemoryIdentifier = nil
    if let schema { configuration.schema = schema }
    if let migrations { configuration.migrations = migrations }
    try self.init(configuration: configuration, file: file, line: line)
  }

  /// Opens what the configuration says.
  ///
  /// A file at an older version of the schema is upgraded first.
  /// - Throws: ``StoreError``
  public convenience init(
    configuration: Configuration, file: StaticString = #fileID, line: UInt = #line
  ) throws(StoreError) {
    let opening = Opening(configuration)
    do {
      try self.init(opened: opening.open(), configuration)
      location = SourceLocation(file: file, line: line)
    } catch {
      throw StoreError(error, path: opening.path)
    }
  }

  /// One more store of a file that this process has opened. A file that is missing is not created, and one at another version is refused.
  ///
  /// - Throws: ``StoreError``
  convenience init(again configuration: Configuration) throws(StoreError) {
    let opening = Opening(configuration)
    do {
      try self.init(opened: opening.openAgain(), configuration)
    } catch {
      throw StoreError(error, path: opening.path)
    }
  }

  private convenience init(opened: Opening.Result, _ configuration: Configuration) throws {
    try self.init(
      database: opened.database, configuration: configuration, definition: opened.definition,
      path: opened.path, pinsVersions: opened.isWriteAheadLogged)
    snapshot.dataVersion = opened.standing.dataVersion
    snapshot.tablesVersion = opened.standing.tablesVersion
  }
}
