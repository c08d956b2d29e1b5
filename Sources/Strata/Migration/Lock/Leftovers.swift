import StrataSQLite

/// What interrupted runs have left in folders, looked up once for a run over many files: of ten thousand in one folder each would read ten
/// thousand names.
///
/// What is left during the run itself is not known here; its lock's file stands beside it and tells.
package final class Leftovers {
  /// Folders whose leftovers are remembered: files come folder by folder, and their outputs and backups do, too.
  private static let maximumFolders = 64

  /// By the folder's bytes.
  private var names: [[UInt8]: [String]] = [:]

  package init() {}

  func names(in folder: String, files: any FileOperations) throws -> [String] {
    let key = Array(folder.utf8)
    if let known = names[key] { return known }
    let found = try AsideFile.names(in: folder, files: files)
    if names.count >= Self.maximumFolders { names.removeAll() }
    names[key] = found
    return found
  }
}
