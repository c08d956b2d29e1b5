import Strata
import StrataSQLite

extension FileSelection {
  /// Without what an earlier run of the same command has written: outputs and backups would be taken for databases, and a backup that
  /// is upgraded is none any more.
  ///
  /// - Parameters:
  ///   - target: what `option` names, a folder or a pattern with `{}`.
  ///   - option: `--output` or `--backup`.
  func leavingOut(
    writtenTo target: String?, _ option: String, files: any FileOperations = POSIXFiles()
  ) -> FileSelection {
    guard let target else { return self }
    let written =
      FilePlaces.isPattern(target)
      ? places(of: all, target, option, files) : contents(of: target, option, files)
    return filtered { !written.contains(key(of: $0, files)) }
  }

  /// What a command may have written into a folder: what a pattern finds there that begins above it, and what was named and stands at the
  /// place of another file. A folder that holds all that was named holds the databases.
  private func contents(
    of folder: String, _ option: String, _ files: any FileOperations
  ) -> Set<PathKey> {
    guard (try? files.status(of: folder))??.kind == .folder,
      let target = try? files.realPath(of: folder)
    else { return [] }
    var (inside, outside): ([File], [File]) = ([], [])
    for file in all where file.problem == nil {
      if Self.isBelow(target, FilePlaces.located(file.path, files)) {
        inside.append(file)
      } else {
        outside.append(file)
      }
    }
    guard !inside.isEmpty, !outside.isEmpty else { return [] }
    let found = inside.filter { file in
      guard !file.isNamed, let root = file.patternRoot,
        let place = try? files.realPath(of: root.isEmpty ? "." : root)
      else { return false }
      return Self.isBelow(place, target)
    }
    return places(of: outside, folder, option, files).union(found.map { key(of: $0, files) })
  }

  private func places(
    of selected: [File], _ target: String, _ option: String, _ files: any FileOperations
  ) -> Set<PathKey> {
    let selected = selected.filter { $0.problem == nil }
    // What is wrong with the places is told where they are used.
    guard
      let places = try? FilePlaces(
        option: option, target, for: selected, patternRoots: patternRoots, files: files)
    else { return [] }
    var result: Set<PathKey> = []
    for file in selected {
      let place = PathKey(FilePlaces.located(places.place(of: file.path), files))
      if place != key(of: file, files) { result.insert(place) }
    }
    return result
  }

  private func key(of file: File, _ files: any FileOperations) -> PathKey {
    PathKey(FilePlaces.located(file.path, files))
  }

  /// Whether a path lies below a folder, both from the root.
  private static func isBelow(_ folder: String, _ path: String) -> Bool {
    path.utf8.starts(with: (folder == "/" ? "/" : folder + "/").utf8)
      && path.utf8.count > folder.utf8.count + 1
  }
}
