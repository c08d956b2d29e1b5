import Foundation
import PackagePlugin

/// Generates Swift for a target that has the plugin: live classes where the target's folder holds declarations, the chain
/// of migrations and its frozen types where it holds steps.
@main struct StrataPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let module = target.sourceModule else { return [] }
    return try commands(
      for: TargetFolder(
        targetName: target.name, folder: module.directoryURL,
        packageFolder: context.package.directoryURL,
        targetFolders: context.package.targets.compactMap(\.sourceModule?.directoryURL)),
      tool: context.tool(named: "strata-codegen").url, output: context.pluginWorkDirectoryURL)
  }

  private func commands(
    for folder: TargetFolder, tool: URL, output: URL
  ) throws -> [Command] {
    guard let content = folder.content else {
      Diagnostics.error(
        """
        The target '\(folder.targetName)' uses StrataPlugin, but \(folder.folder.path) holds neither \
        declarations (*.yaml) nor steps (migrations/N.yaml with a link to the frozen versions). Add one, or \
        name their folder in a strata.yaml there.
        """)
      return []
    }
    let generation = Command.buildCommand(
      displayName: "Generating Swift for \(folder.targetName)", executable: tool,
      arguments: content.arguments + ["--output", output.path],
      inputFiles: content.inputs,
      outputFiles: content.outputNames.map { output.appendingPathComponent($0) })
    if content.watched.isEmpty { return [generation] }
    return [try WatchedFolders(content.watched, in: output).command, generation]
  }
}

#if canImport(XcodeProjectPlugin)
  import XcodeProjectPlugin

  extension StrataPlugin: XcodeBuildToolPlugin {
    func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
      // An Xcode target has no folder of its own: the one of its YAML files stands for it.
      let folders = target.inputFiles.map(\.url).filter(\.isYAML)
        .map { $0.deletingLastPathComponent() }
        .filter { $0.lastPathComponent != "versions" }
      guard let folder = folders.min(by: { $0.path.count < $1.path.count }) else { return [] }
      return try commands(
        for: TargetFolder(
          targetName: target.displayName, folder: folder,
          packageFolder: context.xcodeProject.directoryURL),
        tool: context.tool(named: "strata-codegen").url, output: context.pluginWorkDirectoryURL)
    }
  }
#endif
