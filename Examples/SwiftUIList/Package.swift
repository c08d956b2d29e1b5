// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "SwiftUIList",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "strata", path: "../..")],
  targets: [
    .target(
      name: "Groceries", dependencies: [.product(name: "Strata", package: "strata")],
      plugins: [.plugin(name: "StrataPlugin", package: "strata")]),
    .executableTarget(
      name: "groceries", dependencies: ["Groceries", .product(name: "Strata", package: "strata")]),
  ],
  swiftLanguageModes: [.v6]
)
