import Foundation

/// Programs of the toolchain.
enum SwiftCommand {
  struct Result {
    let status: Int32
    /// Both streams.
    let output: String
  }

  /// Compiles files against the modules of this build. The compiler has to go beyond the types: what crosses threads is
  /// judged afterwards.
  static func compile(_ files: [String], _ arguments: [String] = []) throws -> Result {
    return try run(
      [
        "-emit-sil", "-o", "/dev/null", "-parse-as-library", "-swift-version", "6",
      ] + modules + arguments + files)
  }

  /// Makes a program of files, one of them `main.swift`, with the object files that this build has of Strata.
  static func link(_ files: [String], to program: String) throws -> Result {
    let objects = try [
      "Strata", "StrataSQLite", "StrataHistory", "StrataExpression", "StrataSchema",
    ]
    .flatMap { module in
      let folder = products.appendingPathComponent("\(module).build")
      return try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.hasSuffix(".o") }.map { folder.appendingPathComponent($0).path }
    }
    return try run(
      ["-emit-executable", "-o", program, "-module-name", "Program", "-swift-version", "6", "-wmo"]
        + modules + files + objects + ["-lsqlite3"])
  }

  /// Where the compiler finds the modules of this build.
  private static var modules: [String] {
    let clibrary = tests.deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources/CSQLite/module.modulemap")
    return [
      "-I", products.appendingPathComponent("Modules").path,
      "-Xcc", "-fmodule-map-file=\(clibrary.path)",
    ]
  }

  static func run(
    _ arguments: [String], executable: String = "swiftc", in folder: URL? = nil,
    environment: [String: String] = [:]
  ) throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [executable] + arguments
    if let folder { process.currentDirectoryURL = folder }
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Result(status: process.terminationStatus, output: text)
  }

  /// The folder of these tests.
  static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  /// The folder of the build that this test is part of.
  static let products: URL = {
    #if os(macOS)
      for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
        return bundle.bundleURL.deletingLastPathComponent()
      }
    #endif
    return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  }()
}
