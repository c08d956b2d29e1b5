import StrataFrontend
import StrataSQLite
import StrataSource

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The files of a revision, read from git's objects: nothing is checked out, and clones without history and
/// linked work trees will do.
struct GitRevision {
  /// As it was written.
  let name: String
  private let commit: String
  /// A folder of the repository.
  private let anchor: String

  /// - Parameter folder: the folder whose repository is meant.
  /// - Throws: `CommandFailure` that says what is missing, and how to get it.
  init(_ name: String, of folder: String) throws {
    try self.init(name, in: Self.place(of: folder).anchor)
  }

  /// Whether git knows a revision by that name here.
  static func exists(_ name: String, of folder: String) -> Bool {
    (try? GitRevision(name, of: folder)) != nil
  }

  /// The repository of a folder: its top, and the way from there to the folder with a slash at the end; nil where git knows none.
  static func repository(of folder: String) -> (top: String, prefix: String)? {
    guard
      let result = try? git(["rev-parse", "--show-toplevel", "--show-prefix"], in: folder),
      result.status == 0
    else { return nil }
    let lines = String(decoding: result.output, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 1 else { return nil }
    return (String(lines[0]), String(lines[1]))
  }

  /// The commit on which a `git rebase` that has stopped puts ours; nil where none has.
  static func rebased(of folder: String) -> String? {
    let anchor = place(of: folder).anchor
    for name in ["rebase-merge/onto", "rebase-apply/onto"] {
      guard let place = try? git(["rev-parse", "--git-path", name], in: anchor),
        place.status == 0
      else { return nil }
      let path = String(decoding: place.output.prefix { $0 != 0x0A }, as: UTF8.self)
      let file = path.hasPrefix("/") ? path : anchor + "/" + path
      guard let text = try? POSIXFiles().read(file, from: 0, count: maximumHash) else { continue }
      return String(decoding: text.prefix { $0 != 0x0A }, as: UTF8.self)
    }
    return nil
  }

  /// Characters of the name of a commit at most, with a line break.
  private static let maximumHash = 128

  private init(_ name: String, in anchor: String) throws {
    self.name = name
    self.anchor = anchor
    guard !name.isEmpty, !name.hasPrefix("-") else {
      throw CommandFailure("'\(name)' is no revision of git.")
    }
    let result = try Self.git(
      ["rev-parse", "--verify", "--quiet", "\(name)^{commit}"], in: anchor)
    guard result.status == 0 else { throw try Self.missing(name, in: anchor) }
    commit =
      String(decoding: result.output, as: UTF8.self).split(separator: "\n").first
      .map(String.init) ?? ""
  }

  /// The newest commit that this revision and the checked out one have in common; nil where git does not know it,
  /// as in a clone without history.
  func commonAncestor() throws -> GitRevision? {
    let result = try Self.git(["merge-base", commit, "HEAD"], in: anchor)
    guard result.status == 0 else { return nil }
    let text = String(decoding: result.output, as: UTF8.self).split(separator: "\n").first
    return try text.map { try GitRevision(String($0), in: anchor) }
  }

  func isSameCommit(as other: GitRevision) -> Bool { commit == other.commit }

  /// How many merges are looked at.
  private static let maximumMerges = 20

  /// Sides that went their own way from this revision and were merged on the way to the checked out one, with
  /// the commit that they came from.
  func mergedSides() throws -> [(side: GitRevision, ancestor: GitRevision)] {
    let merges = try Self.git(
      [
        "rev-list", "--merges", "--parents", "--max-count=\(Self.maximumMerges)", "\(commit)..HEAD",
      ],
      in: anchor)
    guard merges.status == 0 else { return [] }
    var sides: [(side: GitRevision, ancestor: GitRevision)] = []
    for line in String(decoding: merges.output, as: UTF8.self).split(separator: "\n") {
      for parent in line.split(separator: " ").dropFirst().map(String.init) {
        let base = try Self.git(["merge-base", commit, parent], in: anchor)
        let ancestor = String(decoding: base.output.prefix { $0 != 0x0A }, as: UTF8.self)
        guard base.status == 0, ancestor != commit, ancestor != parent else { continue }
        sides.append((try GitRevision(parent, in: anchor), try GitRevision(ancestor, in: anchor)))
      }
    }
    return sides
  }

  /// The files directly in a folder that end with one of the extensions, sorted by name, with the paths that they
  /// have in the work tree.
  func files(in folder: String, extensions: [String]) throws -> [SourceFile] {
    let place = Self.place(of: folder)
    let listing = try Self.git(
      ["ls-tree", "-z", commit, "--", Self.content(of: place.rest)], in: place.anchor)
    guard listing.status == 0 else {
      // What is not there may be missing in another repository, as beside a submodule.
      let isMissing = !place.rest.isEmpty
      if isMissing, Self.repository(of: place.anchor)?.top != Self.repository(of: anchor)?.top {
        return []
      }
      throw CommandFailure("git cannot list \(folder) at \(name): \(Self.message(listing)).")
    }
    var entries: [(name: String, object: String)] = []
    for entry in listing.output.split(separator: 0) {
      // mode, kind, object, tab, path
      let text = String(decoding: entry, as: UTF8.self)
      guard let tab = text.utf8.firstIndex(of: UInt8(ascii: "\t")) else { continue }
      let facts = text[..<tab].split(separator: " ")
      guard facts.count == 3, facts[0].hasPrefix("100"), facts[1] == "blob" else { continue }
      let fileName = FilePaths.name(of: String(text[text.utf8.index(after: tab)...]))
      guard !fileName.hasPrefix("."), Self.has(fileName, extensions)
      else { continue }
      entries.append((fileName, String(facts[2])))
    }
    entries.sort { left, right in left.name.utf8.lexicographicallyPrecedes(right.name.utf8) }
    let contents = try read(entries.map(\.object))
    return zip(entries, contents).map { entry, bytes in
      SourceFile(path: SourceFolder.path(of: entry.name, in: folder), bytes: bytes)
    }
  }

  /// The top of the repository.
  var top: String? { Self.repository(of: anchor)?.top }

  /// Folders with a file of this name that had it and have none now.
  func folders(ofGone name: String) throws -> [String] {
    guard let top else { return [] }
    let listing = try Self.git(
      [
        "diff", "--name-only", "-z", "--no-renames", "--no-relative", "--no-ext-diff",
        "--diff-filter=D", commit, "--", ":(top,glob)**/\(name)",
      ], in: anchor)
    // As in a repository without a work tree.
    guard listing.status == 0 else { return [] }
    return listing.output.split(separator: 0).map {
      "\(top)/\(String(decoding: $0, as: UTF8.self))".folderOfPath
    }
  }

  /// The names of the files directly in a folder whose content git has neither in a commit nor in its index. What a merge has left in
  /// conflict it has.
  static func unsavedFiles(in folder: String) throws -> Set<String> {
    let place = place(of: folder)
    let listing = try git(
      [
        "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignored",
        "--", content(of: place.rest),
      ], in: place.anchor)
    guard listing.status == 0, let repository = repository(of: place.anchor) else {
      throw CommandFailure("git cannot say what changed in \(folder): \(message(listing)).")
    }
    let prefix = repository.prefix + content(of: place.rest).dropFirst("./".count)
    var names: Set<String> = []
    for entry in listing.output.split(separator: 0) {
      // a letter for the index, one for the work tree, a space, the path from the top of the repository
      let text = String(decoding: entry, as: UTF8.self)
      let isUnsaved =
        switch text.prefix(2) {
        // Unknown, ignored, or added without its content.
        case "??", "!!", " A": true
        // Changed since it was put into the index, or of another kind.
        case let state: state.hasSuffix("M") || state.hasSuffix("T")
        }
      guard isUnsaved else { continue }
      let path = text.dropFirst(3)
      guard path.hasPrefix(prefix) else { continue }
      names.insert(String(path.dropFirst(prefix.count)))
    }
    return names
  }

  /// The declarations at a path of the repository: those of a folder, or a file.
  func yamlFiles(at path: String) throws -> [SourceFile] {
    let top = try Self.git(["rev-parse", "--show-toplevel"], in: anchor)
    let root = String(decoding: top.output.prefix { $0 != 0x0A }, as: UTF8.self)
    let plain = path.split(separator: "/").joined(separator: "/")
    let place = plain.isEmpty ? root : "\(root)/\(plain)"
    let kind = try Self.git(["cat-file", "-t", "\(commit):\(plain)"], in: anchor)
    guard top.status == 0, kind.status == 0 else {
      throw CommandFailure("there is no '\(path)' at \(name).")
    }
    guard kind.output.starts(with: "blob".utf8) else {
      let files = try files(in: place, extensions: SourceFolder.yamlExtensions)
      guard !files.isEmpty else { throw CommandFailure("\(name):\(path) has no declarations.") }
      return files
    }
    let content = try Self.git(["cat-file", "blob", "\(commit):\(plain)"], in: anchor)
    return [SourceFile(path: plain, bytes: content.output)]
  }

  private static func has(_ name: String, _ extensions: [String]) -> Bool {
    extensions.contains { name.hasSuffix("." + $0) }
  }

  private func read(_ objects: [String]) throws -> [[UInt8]] {
    if objects.isEmpty { return [] }
    let input = Array((objects.joined(separator: "\n") + "\n").utf8)
    let result = try Self.git(["cat-file", "--batch"], in: anchor, input: input)
    guard result.status == 0 else {
      throw CommandFailure("git cannot read objects of \(name): \(Self.message(result)).")
    }
    var contents: [[UInt8]] = []
    var rest = result.output[...]
    for _ in objects {
      // object, kind and size on a line, the bytes, a line break
      guard let end = rest.firstIndex(of: 0x0A),
        let size = Int(
          String(decoding: rest[..<end], as: UTF8.self).split(separator: " ").last ?? ""),
        rest.endIndex - end > size + 1
      else {
        throw CommandFailure(
          "an object of \(name) is missing from this clone; 'git fetch --refetch' fetches all of them."
        )
      }
      contents.append(Array(rest[(end + 1)..<(end + 1 + size)]))
      rest = rest[(end + size + 2)...]
    }
    return contents
  }

  // MARK: git

  /// What git tells its hooks, about the folder that it was called in. The repository is that of the schema's folder.
  private static let variablesOfHooks: Set<String> = [
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX",
  ]

  /// The folder, or the nearest one above it that is there now, and the way from that: the folder may be the top of a repository itself,
  /// and it may be gone.
  private static func place(of folder: String) -> (anchor: String, rest: String) {
    var anchor = (try? POSIXFiles().realPath(of: folder)) ?? folder
    var rest = ""
    while anchor != ".", anchor != "/",
      (try? POSIXFiles().status(of: anchor))??.kind != .folder
    {
      rest = anchor.nameOfPath + (rest.isEmpty ? "" : "/" + rest)
      anchor = anchor.folderOfPath
    }
    return (anchor, rest)
  }

  /// What git takes for all that stands in a folder, from its anchor.
  private static func content(of rest: String) -> String { rest.isEmpty ? "./" : "./\(rest)/" }

  private static func git(
    _ arguments: [String], in folder: String, input: [UInt8] = []
  ) throws -> Subprocess.Result {
    do {
      return try Subprocess.run(
        "git", ["-C", folder] + arguments, input: input,
        environment: ["LC_ALL=C", "GIT_OPTIONAL_LOCKS=0"], removing: variablesOfHooks)
    } catch Subprocess.Failure.cannotStart(let error) {
      throw CommandFailure("git cannot be run: \(String(cString: strerror(error))).")
    }
  }

  private static func message(_ result: Subprocess.Result) -> String {
    let text = String(decoding: result.errors, as: UTF8.self)
    return text.split(separator: "\n").first.map(String.init) ?? "status \(result.status)"
  }

  private static func missing(_ name: String, in folder: String) throws -> CommandFailure {
    let inside = try git(["rev-parse", "--is-shallow-repository"], in: folder)
    guard inside.status == 0 else {
      let reason = message(inside)
      // As where the repository is another user's.
      guard reason.contains("not a git repository") else {
        return CommandFailure("git:\(name) cannot be read: git says \"\(reason)\".")
      }
      return CommandFailure("git:\(name) needs a git repository, and this folder is in none.")
    }
    let isShallow = String(decoding: inside.output, as: UTF8.self).hasPrefix("true")
    let advice = try fetching(name, isShallow: isShallow, in: folder)
    return CommandFailure(
      "git has no revision '\(name)' \(isShallow ? "in this shallow clone" : "here")."
        + (advice.map { " " + $0 } ?? ""))
  }

  /// How a revision that is missing can be fetched; nil where no command would.
  private static func fetching(_ name: String, isShallow: Bool, in folder: String) throws -> String?
  {
    if name == "FETCH_HEAD" {
      return "It is there once something was fetched: 'git fetch origin BRANCH'."
    }
    // `main~2`, `HEAD^`: a commit before another one.
    let base = String(name.prefix { !"~^@:".contains($0) })
    let behind = name.dropFirst(base.count)
    if !behind.isEmpty,
      try git(["rev-parse", "--verify", "--quiet", "\(base)^{commit}"], in: folder).status == 0
    {
      guard isShallow else { return nil }
      return "Fetch more of its history with 'git fetch --deepen=100', or all of it with "
        + "'git fetch --unshallow'."
    }
    let listed = try git(["remote"], in: folder)
    let remotes = String(decoding: listed.output, as: UTF8.self).split(separator: "\n").map(
      String.init)
    guard !base.isEmpty, !base.hasSuffix("HEAD"),
      let usual = remotes.first(where: { $0 == "origin" }) ?? remotes.first
    else { return nil }
    let depth = isShallow && behind.isEmpty ? " --depth=1" : ""
    for remote in remotes {
      for prefix in ["refs/remotes/\(remote)/", "remotes/\(remote)/", "\(remote)/"]
      where base.hasPrefix(prefix) {
        let branch = base.dropFirst(prefix.count)
        let place = "refs/remotes/\(remote)/\(branch)"
        return "Fetch it with 'git fetch\(depth) \(remote) \(branch):\(place)'."
      }
    }
    return "Fetch it with 'git fetch\(depth) \(usual) \(base)' and name FETCH_HEAD\(behind)."
  }
}
