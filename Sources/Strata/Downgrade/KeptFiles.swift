import StrataHistory
import StrataSQLite
import StrataSchema

extension Store {
  /// How long files are kept as they were before an upgrade, so that it can be taken back.
  public struct OldFiles: Sendable, Hashable {
    /// Days after which a kept file is removed when the store is opened.
    public var days: Int
    /// Files that are kept at most; the oldest go first.
    public var maximumCount: Int
    /// Bytes that all of them have at most. A file that is larger alone is not kept.
    public var maximumBytes: Int

    /// - Parameters:
    ///   - days: at least one.
    ///   - maximumCount: how many files; at least one.
    ///   - maximumBytes: of all kept files together; of 1 GiB where it is not given.
    public static func forDays(
      _ days: Int, maximumCount: Int = 3, maximumBytes: Int = 1 << 30
    ) -> OldFiles {
      OldFiles(
        days: max(1, days), maximumCount: max(1, maximumCount), maximumBytes: maximumBytes)
    }
  }
}

/// The files that are kept beside a store's as they were before an upgrade: `people.db.kept-4-20261122`, where 4 is their version.
///
/// The day stands in the name, because a file that is copied or restored gets another time. What a file is says its own description.
package struct KeptFiles {
  /// Behind the store's own name.
  private static let mark = ".kept-"
  /// The highest number that a file of a day gets.
  private static let maximumOfDay = 9999
  private static let secondsOfDay = 86400

  let path: String
  let files: any FileOperations
  let vfs: String?

  struct Kept {
    let path: String
    /// As its name says.
    let version: Int
    let day: Int
    /// Which one of its day, from 1.
    let number: Int
    let size: Int
  }

  /// The day as a name says it, and its number since 2001.
  ///
  /// - Parameter seconds: since 2001-01-01 UTC.
  static func day(of seconds: Double) -> (text: String, number: Int) {
    let number = Int((seconds / Double(secondsOfDay)).rounded(.down))
    let text = DateText.text(of: Double(number * secondsOfDay)) ?? "2001-01-01"
    return (String(text.prefix(10).filter(\.isNumber)), number)
  }

  /// All of them, the newest first.
  func all() throws -> [Kept] {
    let place = try files.realPath(of: path)
    let (folder, own) = (FilePaths.folder(of: place), FilePaths.name(of: place))
    return try files.contents(ofFolder: folder).compactMap { name -> Kept? in
      guard name.utf8.starts(with: own.utf8),
        let end = Self.end(of: name.utf8.dropFirst(own.utf8.count))
      else { return nil }
      let path = (folder == "/" ? "" : folder) + "/" + name
      return Kept(
        path: path, version: end.version, day: end.day, number: end.number,
        size: try files.size(of: path) ?? 0)
    }.sorted { ($0.day, $0.number, $0.path) > ($1.day, $1.number, $1.path) }
  }

  /// What stands behind a store's name in that of a kept file: the version, the day, and which one of it; nil for another name.
  static func end(of name: Substring.UTF8View) -> (version: Int, day: Int, number: Int)? {
    guard name.starts(with: mark.utf8) else { return nil }
    // Version, day, and a number where there were several: what SQLite and an upgrade keep beside has more.
    let parts = name.dropFirst(mark.utf8.count).split(separator: UInt8(ascii: "-")).map {
      String($0) ?? ""
    }
    let numbers = parts.compactMap { Int($0) }
    guard (2...3).contains(parts.count), numbers.count == parts.count,
      parts[1].utf8.count == 8, let day = number(ofDay: parts[1])
    else { return nil }
    return (numbers[0], day, numbers.count == 3 ? numbers[2] : 1)
  }

  /// The file beside which a file of this name is kept; nil for another name.
  package static func database(ofKept path: String) -> String? {
    let (bytes, mark) = (Array(path.utf8), Array(mark.utf8))
    guard let start = bytes.indices.last(where: { bytes[$0...].starts(with: mark) }), start > 0,
      end(of: path.utf8[path.utf8.index(path.utf8.startIndex, offsetBy: start)...]) != nil
    else { return nil }
    return String(decoding: bytes[..<start], as: UTF8.self)
  }

  private static func number(ofDay text: String) -> Int? {
    let digits = Array(text)
    let spelled = "\(String(digits[0..<4]))-\(String(digits[4..<6]))-\(String(digits[6..<8]))"
    return DateText.parse(spelled).map {
      Int(($0 / Double(secondsOfDay)).rounded())
    }
  }

  /// Where the file, which is at this version, may be kept; nil where it is too large.
  func place(for version: Int, _ rule: Store.OldFiles, on date: Double) throws -> String? {
    guard let size = try files.size(of: path), size <= rule.maximumBytes else { return nil }
    let name = try files.realPath(of: path) + Self.mark + "\(version)-\(Self.day(of: date).text)"
    // Behind all of that day, also where earlier ones were removed: the newest is the last.
    let day = Self.day(of: date).number
    let last = try all().filter { $0.day == day }.map(\.number).max() ?? 0
    guard last < Self.maximumOfDay else { return nil }
    return last == 0 ? name : "\(name)-\(last + 1)"
  }

  /// Removes those whose time is over, or that are too many or too large together; the newest stays for its time.
  func clean(_ rule: Store.OldFiles, on date: Double) {
    let today = Self.day(of: date).number
    var (count, bytes) = (0, 0)
    let all = (try? all()) ?? []
    // A clock was ahead when files of later days were kept: how old they are is not known, and they go before others.
    for kept in all.filter({ $0.day <= today }) + all.filter({ $0.day > today }) {
      count += 1
      bytes += kept.size
      let isOver = today - kept.day >= rule.days
      guard isOver || count > rule.maximumCount || (count > 1 && bytes > rule.maximumBytes) else {
        continue
      }
      // What cannot be removed now is tried again with the next opening.
      try? files.removeIfPresent(kept.path)
    }
    cleanLeftovers()
  }

  /// Removes all of them, with what SQLite keeps beside one that was opened.
  func removeAll() throws {
    for kept in try all() {
      for file in StoreFiles(kept.path).all.reversed() { try files.removeIfPresent(file) }
    }
    cleanLeftovers()
  }

  /// Removes what a killed upgrade has left where it kept a file: the next one keeps it under another name.
  private func cleanLeftovers() {
    guard let place = try? files.realPath(of: path) else { return }
    let (folder, own) = (FilePaths.folder(of: place), FilePaths.name(of: place) + Self.mark)
    var places: Set<[UInt8]> = []
    for name in (try? AsideFile.names(in: folder, files: files)) ?? []
    where name.utf8.starts(with: own.utf8) {
      if let kept = AsideFile.owner(of: name) { places.insert(Array(kept.utf8)) }
    }
    for name in places {
      let kept = (folder == "/" ? "" : folder) + "/" + String(decoding: name, as: UTF8.self)
      guard let lock = try? AsideFile.lockNames(beside: kept, waiting: 0, files: files) else {
        continue
      }
      try? AsideFile.removeLeftovers(of: kept, holding: lock, files: files)
      lock.release()
    }
  }

  /// Files that are kept beside one, the newest first; none where that cannot be told.
  package static func paths(beside path: String) -> [String] {
    let kept = try? KeptFiles(path: path, files: POSIXFiles(), vfs: nil).all()
    return (kept ?? []).map(\.path)
  }

  /// As what a file is refused that was a kept one when it was written.
  private static let kindsOfDamage: Set<MigrationError.Kind> = [
    .fileDamaged, .notADatabase, .fileUnreadable,
  ]

  /// The newest kept file of an earlier version of the same history than the file's, which the file was made of as far as it knows.
  ///
  /// - Parameter takesAny: whether the newest one is taken where the file was made of none of them as it is.
  /// - Throws: `MigrationError` where there are such files, and the file was made of none of them, or the newest cannot be read.
  func newest(for target: UpgradeTarget, takesAny: Bool = false) throws -> String? {
    func inspector(of path: String) -> FileInspector {
      FileInspector(files: files, vfs: vfs.flatMap { FileCipher.resolve($0, forFile: path) })
    }
    let newer = try inspector(of: path).stored(at: path)
    let own = try target.version(of: newer, path: path)
    var other: String?
    var withOtherKey: String?
    var damage: MigrationError?
    for kept in try all() where kept.version < own.number {
      let (older, mark): (StoredSchema, UpgradeMark)
      do {
        (older, mark) = try inspector(of: kept.path).marked(at: kept.path)
      } catch let error as MigrationError where error.isOfKey {
        withOtherKey = withOtherKey ?? kept.path
        continue
      } catch let error as MigrationError where Self.kindsOfDamage.contains(error.kind) {
        // One that is older than a whole one is not the one that is meant.
        if other == nil { damage = damage ?? error }
        continue
      } catch {
        continue
      }
      guard let version = try? target.version(of: older, path: kept.path),
        version.number < own.number
      else { continue }
      let fits = newer.upgrades.comes(from: mark)
      // Where the file does not know, the newest is meant, and that may be the damaged one.
      if fits == true || fits == nil && damage == nil { return kept.path }
      other = other ?? kept.path
    }
    if let damage { throw damage }
    if other == nil, let withOtherKey {
      throw MigrationError(
        .cannotGoBack,
        """
        \(withOtherKey), which is kept beside \(path), has another key than that, or only one of the two has a key. Give it the same \
        one first, with `strata rekey`.
        """)
    }
    guard let other else { return nil }
    if takesAny { return other }
    throw MigrationError(
      .cannotGoBack,
      """
      \(path) is not what an upgrade makes of a file that is kept beside it: \(other), the newest, is of another file, or an older \
      version has written since. Name the old file that it was upgraded from.
      """)
  }
}
