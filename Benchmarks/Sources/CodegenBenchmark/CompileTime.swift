import Foundation

/// How long the compiler takes for a generated model, compared with a class of the same properties, and what the plugin
/// adds to a build with nothing to do.
struct CompileTime {
  static let models = 100

  let strata: URL
  let scratch: URL

  func measure() throws {
    let schema = SampleSchema(models: Self.models)
    let generated = try package("Generated", usesStrata: true)
    try schema.writeYAML(to: generated.appendingPathComponent("Sources/Sample"))
    let written = try package("HandWritten", usesStrata: false)
    try schema.writeClasses(to: written.appendingPathComponent("Sources/Sample"))

    print("\(Self.models) models of 20 properties, swift build, debug")
    let generatedTime = try compileTime(of: generated)
    let writtenTime = try compileTime(of: written)
    let perModel = 1 / Double(Self.models)
    report(
      "compile a generated model", generatedTime * perModel,
      "\(ratio(generatedTime / writtenTime)) × hand-written")
    report("compile a hand-written class", writtenTime * perModel)

    let withPlugin = try nullBuild(generated)
    let without = try nullBuild(written)
    report(
      "null build", withPlugin,
      String(format: "%+.0f ms with the plugin", (withPlugin - without) * 1000))
    report("null build without it", without)
  }

  /// A package with one library, `Sample`.
  private func package(_ name: String, usesStrata: Bool) throws -> URL {
    let folder = scratch.appendingPathComponent(name)
    let sources = folder.appendingPathComponent("Sources/Sample")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    let dependency = usesStrata ? ".package(name: \"strata\", path: \"\(strata.path)\")" : ""
    let product = usesStrata ? ".product(name: \"Strata\", package: \"strata\")" : ""
    let plugin = usesStrata ? ".plugin(name: \"StrataPlugin\", package: \"strata\")" : ""
    let manifest = """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "\(name)", platforms: [.macOS(.v15)],
        dependencies: [\(dependency)],
        targets: [
          .target(name: "Sample", dependencies: [\(product)], plugins: [\(plugin)])
        ])
      """
    try Data(manifest.utf8).write(to: folder.appendingPathComponent("Package.swift"))
    // A file that is touched to have the module compiled again.
    try Data("enum Touched {}\n".utf8).write(to: sources.appendingPathComponent("Touched.swift"))
    return folder
  }

  /// Everything of the module is compiled again, in batches as SwiftPM does, and nothing else.
  private func compileTime(of package: URL) throws -> Double {
    let build = Command("swift", ["build", "--target", "Sample"], in: package)
    try build.run()
    func run() throws { try build.run() }
    let idle = try Clock.median(run)
    let objects = package.appendingPathComponent(".build/debug/Sample.build")
    // What tells the compiler where its outputs go belongs to the plan of the build, and stays.
    func removeObjects() throws {
      let files = try FileManager.default.contentsOfDirectory(
        at: objects, includingPropertiesForKeys: nil)
      for file in files where file.pathExtension != "json" && file.lastPathComponent != "sources" {
        try FileManager.default.removeItem(at: file)
      }
    }
    let compiled = try Clock.median(prepare: removeObjects, run)
    return compiled - idle
  }

  private func nullBuild(_ package: URL) throws -> Double {
    let build = Command("swift", ["build", "--target", "Sample"], in: package)
    try build.run()
    func run() throws { try build.run() }
    return try Clock.median(run)
  }
}
