import ArgumentParser
import StrataSchema

/// One of several equal parts of the files, so that machines can share them without talking to each other.
///
/// A file belongs to the shard that a digest of its path says: nothing but the path as it was named decides, so that
/// every machine finds the same shard, and a file that is added moves no other one.
struct Shard: Hashable {
  /// More than any scheduler starts.
  static let maximumCount = 1_000_000

  let index: Int
  let count: Int

  init(index: Int, of count: Int) {
    self.index = index
    self.count = count
  }

  /// Reads `3/16`. Indexes that begin at 0 are as good as those that begin at 1, because 0 is the same shard as 16.
  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Self.number(parts[0]), let count = Self.number(parts[1]),
      (1...Self.maximumCount).contains(count), (0...count).contains(index)
    else { return nil }
    self.init(index: index, of: count)
  }

  /// The same of an option.
  ///
  /// - Throws: `ValidationError` for what is no shard.
  @Sendable static func parse(_ argument: String) throws -> Shard {
    guard let shard = Shard(argument: argument) else {
      throw ValidationError(
        "Name a part and a count, 1/4 to 4/4 for four parts (0/4 is 4/4).")
    }
    return shard
  }

  /// Digits alone: `+3` and ` 3` are mistakes of a script.
  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
  }

  func contains(_ path: String) -> Bool {
    Self.number(of: path) % UInt64(count) == UInt64(index % count)
  }

  /// The first eight bytes of the SHA-256 of the path without `./` and doubled slashes.
  private static func number(of path: String) -> UInt64 {
    let digest = Digest(of: FileSelection.normalised(path))
    return digest.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// `3-of-16`, for a file's name.
  var name: String { "\(index)-of-\(count)" }
}
