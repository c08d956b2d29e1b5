// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "FieldNotes",
  platforms: [.macOS(.v15)],
  products: [
    // Whoever uses this library gets its classes, and needs to know nothing of YAML or plugins.
    .library(name: "FieldNotes", targets: ["FieldNotes"])
  ],
  dependencies: [.package(name: "strata", path: "../..")],
  targets: [
    .target(
      name: "FieldNotes", dependencies: [.product(name: "Strata", package: "strata")],
      plugins: [.plugin(name: "StrataPlugin", package: "strata")]),
    .executableTarget(name: "fieldnotes-report", dependencies: ["FieldNotes"]),
    .testTarget(
      name: "FieldNotesTests",
      dependencies: ["FieldNotes", .product(name: "Strata", package: "strata")]),
  ],
  swiftLanguageModes: [.v6]
)
