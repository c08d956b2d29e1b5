// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Vault",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "strata", path: "../..", traits: ["Encryption"])],
  targets: [
    .target(
      name: "Secrets", dependencies: [.product(name: "Strata", package: "strata")],
      plugins: [.plugin(name: "StrataPlugin", package: "strata")]),
    .executableTarget(
      name: "vault", dependencies: ["Secrets", .product(name: "Strata", package: "strata")]),
  ],
  swiftLanguageModes: [.v6]
)
