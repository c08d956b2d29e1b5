import Foundation
import PackagePlugin

/// Folders outside of all targets in which new and removed files are to be noticed, and files whose removal is.
///
/// SwiftPM plans a build anew when the structure of a target's folder changes, or that of the folder that a prebuild command
/// writes to, links included. So there is a command that does nothing but say that it writes to a folder of links to what is
/// watched. What that folder holds would become resources of the target; names that end in `docc`, documentation, do not.
struct WatchedFolders {
  private let links: URL

  init(_ places: [URL], in output: URL) throws {
    links = output.appendingPathComponent("Watched")
    let manager = FileManager.default
    try manager.createDirectory(at: links, withIntermediateDirectories: true)
    let wanted = Dictionary(
      uniqueKeysWithValues: places.enumerated().map { ("\($0.offset).docc", $0.element.path) })
    for name in try manager.contentsOfDirectory(atPath: links.path) where wanted[name] == nil {
      try manager.removeItem(at: links.appendingPathComponent(name))
    }
    for (name, target) in wanted {
      let link = links.appendingPathComponent(name).path
      if (try? manager.destinationOfSymbolicLink(atPath: link)) == target { continue }
      try? manager.removeItem(atPath: link)
      try manager.createSymbolicLink(atPath: link, withDestinationPath: target)
    }
  }

  var command: Command {
    .prebuildCommand(
      displayName: "Watching folders", executable: URL(fileURLWithPath: "/bin/sh"),
      arguments: ["-c", ":"], outputFilesDirectory: links)
  }
}
