// The part of Xcode's module that plugins see, as its documentation has it: what the Xcode half of our plugins is compiled against
// where there is no Xcode.
public import Foundation
public import PackagePlugin

public protocol XcodeBuildToolPlugin: Plugin {
  func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command]
}

public protocol XcodeCommandPlugin: Plugin {
  func performCommand(context: XcodePluginContext, arguments: [String]) throws
}

public struct XcodePluginContext {
  public let xcodeProject: XcodeProject
  public let pluginWorkDirectoryURL: URL

  public func tool(named name: String) throws -> PluginContext.Tool {
    throw CocoaError(.fileNoSuchFile)
  }
}

public struct XcodeProject {
  public let id: String
  public let displayName: String
  public let directoryURL: URL
  public let filePaths: [URL]
  public let targets: [XcodeTarget]
}

public struct XcodeTarget {
  public let id: String
  public let displayName: String
  public let inputFiles: FileList
}
