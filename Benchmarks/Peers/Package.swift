// swift-tools-version: 6.2
import PackageDescription

// How others upgrade the same file, to be printed beside our figures. A package of its own, so that the other benchmarks
// build without theirs.
let package = Package(
  name: "Peers",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0")],
  targets: [
    .executableTarget(
      name: "GRDBRowLoop", dependencies: [.product(name: "GRDB", package: "GRDB.swift")])
  ],
  swiftLanguageModes: [.v6]
)
