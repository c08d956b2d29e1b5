import Foundation
import PackagePlugin

/// `swift package strata …`: runs the `strata` command in the package's folder.
@main struct StrataCommand: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    try run(
      context.tool(named: "StrataTool").url, arguments, in: context.package.directoryURL)
  }
}

#if canImport(XcodeProjectPlugin)
  import XcodeProjectPlugin

  extension StrataCommand: XcodeCommandPlugin {
    func performCommand(context: XcodePluginContext, arguments: [String]) throws {
      // Xcode passes the targets that were selected; the command works on the project as a whole.
      var extractor = ArgumentExtractor(arguments)
      _ = extractor.extractOption(named: "target")
      try run(
        context.tool(named: "StrataTool").url, extractor.remainingArguments,
        in: context.xcodeProject.directoryURL)
    }
  }
#endif
