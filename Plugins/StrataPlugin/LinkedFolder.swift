import Foundation

/// A folder by the path under which a target has it, which may lead through links.
///
/// Files are listed where they really are, because listing a link gives nothing, and named as the target has them: SwiftPM
/// looks for changes there, and warns of files there that are no command's input.
struct LinkedFolder {
  let shown: URL
  /// Whether a link stands here, whatever it leads to.
  let isLink: Bool
  private let real: URL

  init(_ shown: URL) {
    self.shown = shown
    // Resolved by hand where the link leads to a folder that is yet to come.
    let link = try? FileManager.default.destinationOfSymbolicLink(atPath: shown.path)
    isLink = link != nil
    if let link {
      let target =
        link.hasPrefix("/")
        ? URL(fileURLWithPath: link)
        : shown.deletingLastPathComponent().appendingPathComponent(link)
      real = target.standardizedFileURL.resolvingSymlinksInPath()
    } else {
      real = shown.resolvingSymlinksInPath()
    }
  }

  var path: String { real.path }

  var exists: Bool { FileManager.default.fileExists(atPath: real.path) }

  func appending(_ name: String) -> LinkedFolder {
    LinkedFolder(shown.appendingPathComponent(name))
  }

  /// The folder above the real one.
  var parent: LinkedFolder { LinkedFolder(real.deletingLastPathComponent()) }

  /// The YAML files directly in the folder, sorted by name, without hidden ones and Strata's settings.
  var yamlFiles: [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: real.path)) ?? []
    return names.sorted().filter { !$0.hasPrefix(".") && $0 != "strata.yaml" }
      .map { shown.appendingPathComponent($0) }.filter(\.isYAML)
  }

  /// A file of the folder, where there is one.
  func file(_ name: String) -> URL? {
    let file = shown.appendingPathComponent(name)
    return FileManager.default.fileExists(atPath: file.path) ? file : nil
  }
}

extension URL {
  var isYAML: Bool { ["yaml", "yml"].contains(pathExtension) }
}
