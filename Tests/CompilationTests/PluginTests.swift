import Foundation
import Testing

/// The plugins, with the half that only Xcode compiles.
@Suite struct PluginTests {
  /// Where the toolchain keeps the module that plugins import.
  private static let pluginModules: String? = {
    let info = try? SwiftCommand.run(["-print-target-info"]).output
    let json = info.flatMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) }
    let paths = (json as? [String: Any])?["paths"] as? [String: Any]
    let folder = (paths?["runtimeResourcePath"] as? String).map { $0 + "/pm/PluginAPI" }
    return folder.flatMap { FileManager.default.fileExists(atPath: $0) ? $0 : nil }
  }()

  @Test(
    .enabled(if: pluginModules != nil, "the toolchain has no module for plugins"),
    arguments: ["StrataPlugin", "StrataCommand", "StrataCheckCommand"])
  func theXcodeHalfCompiles(_ plugin: String) throws {
    let manager = FileManager.default
    let folder = manager.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try manager.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? manager.removeItem(at: folder) }
    let common = [
      "-I", try #require(Self.pluginModules), "-I", folder.path, "-package-description-version",
      "6.2",
      "-parse-as-library",
    ]
    let stub = SwiftCommand.tests.appendingPathComponent(
      "Programs/XcodeProjectPlugin/XcodeProjectPlugin.swift")
    let module = try SwiftCommand.run(
      common + [
        "-emit-module", "-module-name", "XcodeProjectPlugin", "-enable-upcoming-feature",
        "InternalImportsByDefault", "-o",
        folder.appendingPathComponent("XcodeProjectPlugin.swiftmodule").path, stub.path,
      ])
    #expect(module.status == 0, "\(module.output)")

    let sources = SwiftCommand.tests.deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Plugins/\(plugin)")
    let files = try manager.contentsOfDirectory(atPath: sources.path).sorted()
      .map { sources.appendingPathComponent($0).path }
    let result = try SwiftCommand.run(
      common + ["-typecheck", "-warnings-as-errors", "-module-name", plugin] + files)
    #expect(result.status == 0 && result.output.isEmpty, "\(result.output)")
  }
}
