import Foundation

/// The folder of a target, and what is to be generated from it.
///
/// Everything is decided by names of files, so that the outputs are known before a single one is read.
struct TargetFolder {
  let targetName: String
  let folder: URL
  let packageFolder: URL

  /// What a folder holds: arguments of the tool, and the files that it reads and writes.
  struct Content {
    var arguments: [String]
    var inputs: [URL]
    var outputNames: [String]
  }

  /// Nil where there is nothing to generate from.
  var content: Content? {
    if let content = content(of: folder) { return content }
    for settings in [folder, packageFolder].map({ $0.appendingPathComponent("strata.yaml") }) {
      if let content = content(namedBy: settings) { return content }
    }
    return nil
  }

  private func content(of folder: URL) -> Content? {
    let files = folder.yamlFiles
    if files.contains(where: { !$0.isStep }) { return declarations(in: folder) }
    let hasVersions =
      folder.appendingPathComponent("versions").exists || linkTarget(of: folder) != nil
    return files.isEmpty && !hasVersions ? nil : steps(in: folder)
  }

  // MARK: - Declarations

  private func declarations(in folder: URL) -> Content {
    let declarations = folder.yamlFiles
    let seal = folder.appendingPathComponent("schema.lock")
    // One output a file; names that differ only in case are one file on some disks, and share the first one's.
    var stems: [String: String] = [:]
    for name in declarations.map({ $0.deletingPathExtension().lastPathComponent }) {
      stems[name.lowercased()] = stems[name.lowercased()] ?? name
    }
    return Content(
      arguments: ["models", "--schemas", folder.path, "--layout", "source"] + settingsArguments,
      // The frozen versions and their seal change nothing here, but a file that is no command's input is warned of.
      inputs: declarations + versions(of: folder).yamlFiles + [seal].filter(\.exists)
        + settingsInputs,
      outputNames: stems.values.sorted().map { $0 + "+Strata.swift" })
  }

  // MARK: - Steps

  private func steps(in folder: URL) -> Content {
    let versions = versions(of: folder)
    // The declarations that are being worked on stand beside their frozen versions.
    let schemas = versions.deletingLastPathComponent()
    let seal = schemas.appendingPathComponent("schema.lock")
    // By the link's own path: a file of the target that is no command's input is warned of.
    let linked = folder.appendingPathComponent("versions")
    let frozen = versions.yamlFiles.map { linked.appendingPathComponent($0.lastPathComponent) }
    var inputs = folder.yamlFiles + frozen + [seal].filter(\.exists) + settingsInputs
    if schemas.path != folder.resolvingSymlinksInPath().path { inputs += schemas.yamlFiles }
    return Content(
      arguments: ["migrations", "--migrations", folder.path, "--versions", versions.path]
        + settingsArguments,
      inputs: inputs, outputNames: ["FrozenTypes+Strata.swift", "Migrations+Strata.swift"])
  }

  /// The frozen versions. Listing a linked folder gives nothing: the link is resolved first, also one that leads to a folder
  /// that is yet to come.
  private func versions(of folder: URL) -> URL {
    linkTarget(of: folder) ?? folder.appendingPathComponent("versions")
  }

  private func linkTarget(of folder: URL) -> URL? {
    let link = folder.appendingPathComponent("versions").path
    guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link) else {
      return nil
    }
    let url =
      target.hasPrefix("/")
      ? URL(fileURLWithPath: target) : folder.appendingPathComponent(target)
    return url.standardizedFileURL.resolvingSymlinksInPath()
  }

  // MARK: - strata.yaml

  /// The settings of the target, else those of the package.
  private var settings: URL? {
    [folder, packageFolder].map { $0.appendingPathComponent("strata.yaml") }.first(where: \.exists)
  }

  private var settingsInputs: [URL] { settings.map { [$0] } ?? [] }

  private var settingsArguments: [String] { settings.map { ["--settings", $0.path] } ?? [] }

  /// The content of the folder that a strata.yaml names under `schemas` or `migrations`.
  private func content(namedBy settings: URL) -> Content? {
    guard let text = try? String(contentsOf: settings, encoding: .utf8) else { return nil }
    let base = settings.deletingLastPathComponent()
    func folder(_ key: String) -> URL? {
      for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix(key + ":") {
        let value = line.dropFirst(key.count + 1).split(separator: "#").first ?? ""
        let path = value.trimmingCharacters(in: CharacterSet(charactersIn: " \t\"'"))
        guard !path.isEmpty else { return nil }
        return URL(fileURLWithPath: path, relativeTo: base).standardizedFileURL
          .resolvingSymlinksInPath()
      }
      return nil
    }
    let keys =
      targetName.hasSuffix("Migrations") ? ["migrations", "schemas"] : ["schemas", "migrations"]
    return keys.lazy.compactMap(folder).first.flatMap { self.content(of: $0) }
  }
}

extension URL {
  var isYAML: Bool { ["yaml", "yml"].contains(pathExtension) }

  var exists: Bool { FileManager.default.fileExists(atPath: path) }

  /// Whether the file is a step, `12.yaml`: its name is the version that it reaches.
  fileprivate var isStep: Bool {
    let stem = deletingPathExtension().lastPathComponent
    return !stem.isEmpty && stem.utf8.allSatisfy { (48...57).contains($0) }
  }

  /// The YAML files directly in this folder, sorted by name, without hidden ones and Strata's settings.
  fileprivate var yamlFiles: [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.sorted().filter { !$0.hasPrefix(".") }.map { appendingPathComponent($0) }
      .filter { $0.isYAML && $0.lastPathComponent != "strata.yaml" }
  }
}
