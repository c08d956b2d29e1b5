import Foundation
import PackagePlugin

/// `swift package strata-check …`: runs `strata check` in the package's folder, and needs no permission to write.
@main struct StrataCheckCommand: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    try run(
      context.tool(named: "StrataTool").url, ["check"] + arguments, in: context.package.directoryURL
    )
  }
}

#if canImport(XcodeProjectPlugin)
  import XcodeProjectPlugin

  extension StrataCheckCommand: XcodeCommandPlugin {
    func performCommand(context: XcodePluginContext, arguments: [String]) throws {
      // Xcode passes the targets that were selected; the command works on the project as a whole.
      var extractor = ArgumentExtractor(arguments)
      _ = extractor.extractOption(named: "target")
      try run(
        context.tool(named: "StrataTool").url, ["check"] + extractor.remainingArguments,
        in: context.xcodeProject.directoryURL)
    }
  }
#endif
