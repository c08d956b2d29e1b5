// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "BackgroundImport",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "strata", path: "../..")],
  targets: [
    .target(
      name: "News", dependencies: [.product(name: "Strata", package: "strata")],
      plugins: [.plugin(name: "StrataPlugin", package: "strata")]),
    .executableTarget(
      name: "newsroom", dependencies: ["News", .product(name: "Strata", package: "strata")]),
  ],
  swiftLanguageModes: [.v6]
)
