import Foundation

/// The folder of a target, and what is to be generated from it.
///
/// Everything is decided by names of files, so that the outputs are known before a single one is read.
struct TargetFolder {
  let targetName: String
  let folder: URL
  let packageFolder: URL
  /// The folders of all targets of the package, in which SwiftPM looks for new and removed files.
  var targetFolders: [URL] = []

  /// What a folder holds: arguments of the tool, and the files that it reads and writes.
  struct Content {
    var arguments: [String]
    var inputs: [URL]
    var outputNames: [String]
    /// Folders in which a new file makes a difference, and files whose absence does, which no target's folder holds.
    var watched: [URL] = []
  }

  /// Nil where there is nothing to generate from.
  var content: Content? {
    let own = content(of: LinkedFolder(folder))
    let bases = own == nil ? [folder, packageFolder] : []
    let named = bases.lazy.compactMap { content(namedBySettingsIn: $0) }.first
    guard var content = own ?? named else { return nil }
    // As the input of a command it would fail later builds where it is gone.
    if let settings, settings.path != folder.appendingPathComponent("strata.yaml").path {
      content.watched.append(settings)
    }
    return content
  }

  private func content(of folder: LinkedFolder) -> Content? {
    let files = folder.yamlFiles
    if files.contains(where: { !$0.isStep }) { return declarations(in: folder) }
    let versions = folder.appending("versions")
    return files.isEmpty && !versions.exists && !versions.isLink ? nil : steps(in: folder)
  }

  // MARK: - Declarations

  private func declarations(in folder: LinkedFolder) -> Content {
    let declarations = folder.yamlFiles
    // One output a file; names that differ only in case are one file on some disks, and share the first one's.
    var stems: [String: String] = [:]
    for name in declarations.map({ $0.deletingPathExtension().lastPathComponent }) {
      stems[name.lowercased()] = stems[name.lowercased()] ?? name
    }
    // The frozen versions and their seal change nothing here, but a file that is no command's input is warned of.
    let unread =
      folder.appending("versions").yamlFiles + [folder.file("schema.lock")].compactMap { $0 }
    return Content(
      arguments: ["models", "--schemas", folder.path, "--layout", "source"]
        + ["--migrations", stepsFolder(of: folder).path] + settingsArguments,
      inputs: declarations + unread + settingsInputs,
      outputNames: stems.values.sorted().map { $0 + "+Strata.swift" })
  }

  /// Where the steps of declarations are looked for: where a strata.yaml says, else beside them in `migrations`, or in
  /// `Migrations`, as targets are called.
  private func stepsFolder(of declarations: LinkedFolder) -> LinkedFolder {
    let named = [folder, packageFolder].lazy.compactMap { namedFolder("migrations", in: $0) }
    if let named = named.first { return named }
    let usual = declarations.parent.appending("migrations")
    let asTarget = declarations.parent.appending("Migrations")
    return !usual.exists && asTarget.exists ? asTarget : usual
  }

  // MARK: - Steps

  private func steps(in folder: LinkedFolder) -> Content {
    let versions = versions(of: folder)
    // The declarations that are being worked on stand beside their frozen versions.
    let schemas = versions.parent
    var inputs = folder.yamlFiles + versions.yamlFiles + settingsInputs
    if schemas.path != folder.path {
      inputs += schemas.yamlFiles + [schemas.file("schema.lock")].compactMap { $0 }
    } else {
      inputs += [folder.file("schema.lock")].compactMap { $0 }
    }
    var content = Content(
      arguments: ["migrations", "--migrations", folder.path, "--versions", versions.path]
        + settingsArguments,
      inputs: inputs, outputNames: ["FrozenTypes+Strata.swift", "Migrations+Strata.swift"])
    // Through the link `versions` SwiftPM sees no more than the frozen versions.
    watch([schemas], besides: [folder.shown] + targetFolders, in: &content)
    return content
  }

  // MARK: - strata.yaml

  /// The settings of the target, else those of the package.
  private var settings: URL? {
    [folder, packageFolder].lazy.compactMap { LinkedFolder($0).file("strata.yaml") }.first
  }

  private var settingsInputs: [URL] { settings.map { [$0] } ?? [] }

  private var settingsArguments: [String] { settings.map { ["--settings", $0.path] } ?? [] }

  /// The content of the folder that a strata.yaml names under `schemas` or `migrations`.
  private func content(namedBySettingsIn base: URL) -> Content? {
    let keys =
      targetName.hasSuffix("Migrations") ? ["migrations", "schemas"] : ["schemas", "migrations"]
    for case let folder? in keys.map({ namedFolder($0, in: base) }) {
      guard var content = content(of: folder) else { continue }
      // Of the targets of a package that another one depends on SwiftPM sees none but this one.
      watch([folder, versions(of: folder)], besides: [self.folder], in: &content)
      return content
    }
    return nil
  }

  /// The folder that a strata.yaml names.
  private func namedFolder(_ key: String, in base: URL) -> LinkedFolder? {
    let settings = base.appendingPathComponent("strata.yaml")
    guard let text = try? String(contentsOf: settings, encoding: .utf8) else { return nil }
    for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix(key + ":") {
      let path = Self.scalar(line.dropFirst(key.count + 1))
      guard !path.isEmpty else { return nil }
      return LinkedFolder(
        path.hasPrefix("/")
          ? URL(fileURLWithPath: path) : base.appendingPathComponent(path).standardizedFileURL)
    }
    return nil
  }

  /// What stands behind a key on its line. A comment begins with a `#` behind a blank, outside of quotes.
  static func scalar(_ rest: Substring) -> String {
    let text = rest.drop { $0 == " " || $0 == "\t" }
    if let quote = text.first, quote == "\"" || quote == "'" {
      return String(text.dropFirst().prefix { $0 != quote })
    }
    var value = ""
    for character in text {
      if character == "#", value.last.map({ $0 == " " || $0 == "\t" }) ?? true { break }
      value.append(character)
    }
    return value.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
  }

  /// The frozen versions of a folder of steps: its own, or else those of the declarations that a strata.yaml names.
  private func versions(of folder: LinkedFolder) -> LinkedFolder {
    let own = folder.appending("versions")
    if own.exists || own.isLink { return own }
    let schemas = [self.folder, packageFolder].lazy.compactMap { namedFolder("schemas", in: $0) }
    return schemas.first?.appending("versions") ?? own
  }

  // MARK: - What SwiftPM does not see

  /// Adds those that stand outside of the folders in which SwiftPM looks itself. One that holds the package holds what builds write, too, so that each
  /// build would change it.
  private func watch(_ folders: [LinkedFolder], besides known: [URL], in content: inout Content) {
    let known = known.flatMap { [$0.path, LinkedFolder($0).path] }
    for folder in folders where folder.exists {
      let isKnown = known.contains { known in
        [folder.shown.path, folder.path].contains { ($0 + "/").hasPrefix(known + "/") }
      }
      let holdsPackage = (LinkedFolder(packageFolder).path + "/").hasPrefix(folder.path + "/")
      let url = URL(fileURLWithPath: folder.path)
      if !isKnown, !holdsPackage, !content.watched.contains(url) { content.watched.append(url) }
    }
  }
}

extension URL {
  /// Whether the file is a step, `12.yaml`: its name is the version that it reaches.
  fileprivate var isStep: Bool {
    let stem = deletingPathExtension().lastPathComponent
    return !stem.isEmpty && stem.utf8.allSatisfy { (48...57).contains($0) }
  }
}
