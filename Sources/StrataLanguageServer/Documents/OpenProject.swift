package import StrataFrontend
package import StrataProject
import StrataSource

/// One project as the editor sees it: its folder, the open documents over it, and what was found in them.
package final class OpenProject {
  /// What the project in a folder is compared with, as its settings say; throws where there is no such thing.
  package typealias Baseline =
    (_ root: String, _ settings: Settings) throws(ProjectProblem) -> ProjectCheck.Against?

  private(set) var folder: ProjectFolder
  private let cache = ProjectCache()
  private let baseline: Baseline
  private var against: ProjectCheck.Against?
  /// The texts of all open documents, by where they are behind all links: the settings may make any of them one of the project's.
  private var open: [String: [UInt8]]
  /// Those of them that the project reads, by path as `check` writes it.
  private var texts: [String: [UInt8]] = [:]
  private(set) var files = ProjectFiles()
  /// The baseline that the settings name and that is not there.
  private var missingBaseline: ProjectProblem?
  private(set) var findings = Diagnostics()
  /// Whether a text has changed since the last look for findings.
  private var isStale = true
  /// Whether the findings may be others than those that the editor was told.
  var hasNews = true
  /// How many edits of renames were compared with places of the text, for tests of how that grows with the text.
  private(set) var comparedEditCount = 0
  private var knownNames: ProjectNames?
  private var filesByPath: [String: SourceFile]?
  /// A text that could be read, and what it declares as the file of a number among those of the schema.
  private struct Readable {
    let file: SourceFile
    var index: Int
    var declarations: FileDeclarations
  }

  /// Declarations of files that cannot be read at the moment, as they were before.
  private var lastReadable: [String: Readable] = [:]

  /// - Parameter open: the texts of all open documents, by where they are behind all links.
  init(root: String, open: [String: [UInt8]], baseline: @escaping Baseline) {
    folder = ProjectFolder(
      root: root,
      settings: Self.settings(open, FilePlace(root + "/" + Settings.fileName).place))
    self.open = open
    self.baseline = baseline
    takeTexts()
    merge()
    readBaseline()
  }

  // MARK: Texts

  /// Sets the text of an open document; nil when it is closed.
  ///
  /// - Parameter place: where the document is behind all links, in the project or elsewhere.
  func setText(_ bytes: [UInt8]?, at place: String) {
    open[place] = bytes
    guard let path = folder.path(of: place) else { return }
    // Also where the text stays: the editor may spell the URI of its findings in another way now.
    hasNews = true
    guard texts[path] != bytes else { return }
    texts[path] = bytes
    if path == Settings.fileName { return readDisk() }
    merge()
  }

  /// Reads the disk again: files were saved, added or deleted.
  func readDisk() {
    folder.read(settings: Self.settings(open, folder.place(of: Settings.fileName)))
    takeTexts()
    merge()
    readBaseline()
  }

  private static func settings(_ open: [String: [UInt8]], _ place: String) -> SourceFile? {
    open[place].map { SourceFile(path: Settings.fileName, bytes: $0) }
  }

  /// Finds the project's own among the open documents, which the settings may have made others.
  private func takeTexts() {
    texts = [:]
    for (place, bytes) in open {
      if let path = folder.path(of: place) { texts[path] = bytes }
    }
  }

  private func merge() {
    isStale = true
    hasNews = true
    knownNames = nil
    filesByPath = nil
    files = folder.files(open: texts)
  }

  private func readBaseline() {
    (against, missingBaseline) = (nil, nil)
    guard files.settings.baseline != nil else { return }
    do {
      against = try baseline(folder.root, files.settings)
    } catch {
      missingBaseline = error
    }
  }

  /// A text of the project as it stands now.
  func file(at path: String) -> SourceFile? {
    if path == Settings.fileName { return folder.settingsFile }
    if let filesByPath { return filesByPath[path] }
    let all = files.schemas + files.steps + files.versions + files.swift
    var byPath: [String: SourceFile] = [:]
    byPath.reserveCapacity(all.count + 1)
    for file in all + [files.lock].compactMap({ $0 }) { byPath[file.path] = file }
    filesByPath = byPath
    return byPath[path]
  }

  // MARK: Findings

  /// What keeps the project from being renamed in, in sentences; nil for nothing.
  var obstacle: String? { problem ?? folder.missing(in: files)?.message }

  /// What keeps the project from being read, in a sentence; nil for nothing.
  var problem: String? {
    folder.problem.map {
      "\($0): nothing in this project is checked or renamed until it can be read, as with strata check."
    }
  }
  /// What the editor was told of it.
  var toldProblem: String?

  /// Looks for findings where a text has changed.
  func check() {
    guard isStale else { return }
    isStale = false
    if folder.settingsFindings.hasErrors {
      findings = folder.settingsFindings
    } else if folder.problem != nil || folder.missing(in: files) != nil || files.isEmpty {
      // Of what is missing then, all that leads to it would be told.
      findings = Diagnostics()
    } else {
      findings = ProjectCheck.run(files, against: against, cache: cache)
    }
  }

  /// What the settings name and the project does not have, each with its entry; none while the settings have mistakes.
  var missing: [(problem: ProjectProblem, span: SourceSpan)] {
    guard !folder.settingsFindings.hasErrors, folder.problem == nil else { return [] }
    let problems = [folder.missing(in: files) ?? missingBaseline].compactMap { $0 }
    return problems.compactMap { problem in
      problem.entry.flatMap { files.settings.referenceSpans[$0] }.map { (problem, $0) }
    }
  }

  /// The frozen versions with their steps, where they can be read.
  var history: HistoryReading? {
    check()
    return cache.history
  }

  // MARK: Names

  /// What is declared where, in the declarations and in each frozen version.
  var names: ProjectNames {
    if let knownNames { return knownNames }
    var declarations: [FileDeclarations] = []
    var sources: [SourceFile] = []
    var unreadable: [String] = []
    for (index, file) in files.schemas.enumerated() {
      let now = cache.declarations(of: file, index: index)
      if now.isReadable {
        lastReadable[file.path] = Readable(file: file, index: index, declarations: now)
      } else {
        unreadable.append(file.path)
      }
      let known = now.isReadable ? nil : readable(file.path, at: index)
      sources.append(known?.file ?? file)
      declarations.append(known?.declarations ?? now)
    }
    if lastReadable.count > 2 * files.schemas.count + 16 { lastReadable = [:] }
    let working = DeclarationTable(files: sources, declarations: declarations)
    let names = ProjectNames(working: working, files: files, unreadable: unreadable)
    knownNames = names
    return names
  }

  /// Counts the comparisons of a rename.
  func count(_ edits: [String: EditsInOrder]) {
    for edits in edits.values { comparedEditCount += edits.comparisonCount }
  }

  /// What a file said when it could be read, as the file of the number that it has now: others may have come or gone since, and
  /// declarations say which file they are of by its number.
  private func readable(_ path: String, at index: Int) -> Readable? {
    guard var known = lastReadable[path] else { return nil }
    if known.index != index {
      known.index = index
      known.declarations = FileDeclarations(reading: known.file, index: index)
      lastReadable[path] = known
    }
    return known
  }
}
