/// A path as a key of sets and dictionaries.
///
/// Texts are equal where Unicode says so, names of files are not: `é` as one character and `e` with an accent are two files.
struct PathKey: Hashable {
  private let bytes: [UInt8]

  init(_ path: String) { bytes = Array(path.utf8) }

  init(_ path: ArraySlice<UInt8>) { bytes = Array(path) }

  var path: String { String(decoding: bytes, as: UTF8.self) }
}
