import StrataSource

/// A file as an editor names it, and where it is: several paths may lead to one file.
struct FilePlace: Hashable {
  /// The path that the editor names.
  let path: String
  /// The same with the folder that is behind all links. By it a file has one name.
  let place: String

  init(_ path: String) {
    self.path = path
    place = SourceFolder.path(
      of: ProjectFolder.name(path), in: ProjectFolder.place(of: ProjectFolder.parent(path)))
  }

  /// Nil for a URI that names no file.
  init?(uri: String) {
    guard let path = FileURI.path(uri) else { return nil }
    self.init(path)
  }
}
