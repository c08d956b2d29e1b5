// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "AddressBook",
  platforms: [.macOS(.v15)],
  dependencies: [
    // An app of your own names the repository: .package(url: "…", from: "0.1.0")
    .package(name: "strata", path: "../..")
  ],
  targets: [
    // The declarations (*.yaml), their frozen versions, and extensions of the generated classes.
    .target(
      name: "Models", dependencies: [.product(name: "Strata", package: "strata")],
      plugins: [.plugin(name: "StrataPlugin", package: "strata")]),
    // The steps between the versions.
    .target(
      name: "Migrations", dependencies: [.product(name: "Strata", package: "strata")],
      plugins: [.plugin(name: "StrataPlugin", package: "strata")]),
    // The app.
    .executableTarget(
      name: "addressbook",
      dependencies: ["Models", "Migrations", .product(name: "Strata", package: "strata")]),
    // The strata command with this app's Swift blocks inside.
    .executableTarget(
      name: "addressbook-data",
      dependencies: ["Migrations", .product(name: "StrataCLI", package: "strata")]),
  ],
  swiftLanguageModes: [.v6]
)
