import StrataProject

extension Project {
  func swiftFiles() throws -> SwiftFiles { try SwiftFiles(folder: migrationsPath) }
}
