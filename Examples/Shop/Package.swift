// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Shop",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "strata", path: "../..")],
  targets: [
    // Two schemas, each with its own file: what is for sale, and what was bought.
    .target(
      name: "Catalogue", dependencies: [.product(name: "Strata", package: "strata")],
      plugins: [.plugin(name: "StrataPlugin", package: "strata")]),
    .target(
      name: "Orders", dependencies: [.product(name: "Strata", package: "strata")],
      plugins: [.plugin(name: "StrataPlugin", package: "strata")]),
    .executableTarget(
      name: "shop",
      dependencies: ["Catalogue", "Orders", .product(name: "Strata", package: "strata")]),
  ],
  swiftLanguageModes: [.v6]
)
