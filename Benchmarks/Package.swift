// swift-tools-version: 6.2
import PackageDescription

// Measurements of Strata; run by scripts/bench. A package of its own, so that users of Strata do not build it.
//
// Some measure modules of the compiler whose symbols stay within their package. Those targets are built
// here once more, from the same sources, through symbolic links.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  targets: [
    .systemLibrary(
      name: "CLibYAML", pkgConfig: "yaml-0.1",
      providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
    .target(name: "StrataSource"),
    .target(name: "StrataSchema"),
    .target(name: "StrataExpression", dependencies: ["StrataSchema"]),
    .target(name: "StrataHistory", dependencies: ["StrataSchema", "StrataExpression"]),
    .target(name: "StrataYAML", dependencies: ["CLibYAML", "StrataSource"]),
    .target(
      name: "StrataFrontend",
      dependencies: [
        "StrataYAML", "StrataSource", "StrataSchema", "StrataExpression", "StrataHistory",
      ]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(name: "StrataSQLite", dependencies: ["CSQLite"]),
    .target(
      name: "Strata",
      dependencies: ["StrataSchema", "StrataExpression", "StrataHistory", "StrataSQLite"]),
    .target(
      name: "StrataFiles",
      dependencies: [
        "Strata", "StrataSchema", "StrataExpression", "StrataHistory", "StrataSQLite",
      ]),
    .target(
      name: "StrataTesting",
      dependencies: [
        "StrataFiles", "Strata", "StrataSchema", "StrataExpression", "StrataHistory",
        "StrataSQLite",
      ]),
    .target(
      name: "StrataEvolution",
      dependencies: ["StrataSource", "StrataSchema", "StrataExpression", "StrataHistory"]),
    .target(
      name: "StrataReference",
      dependencies: [
        "StrataYAML", "StrataSource", "StrataSchema", "StrataExpression", "StrataHistory",
        "StrataFrontend",
      ]),
    .target(
      name: "StrataProject",
      dependencies: [
        "StrataSource", "StrataSchema", "StrataExpression", "StrataFrontend", "StrataEvolution",
      ]),
    .target(
      name: "StrataLanguageServer",
      dependencies: [
        "StrataSource", "StrataSchema", "StrataExpression", "StrataYAML", "StrataFrontend",
        "StrataEvolution", "StrataReference", "StrataProject",
      ]),
    .executableTarget(
      name: "EditorBenchmark",
      dependencies: [
        "StrataSource", "StrataSchema", "StrataExpression", "StrataHistory", "StrataFrontend",
        "StrataProject", "StrataLanguageServer",
      ]),
    .executableTarget(
      name: "HistoryBenchmark",
      dependencies: [
        "StrataSource", "StrataSchema", "StrataExpression", "StrataHistory", "StrataFrontend",
        "StrataEvolution",
      ]),
    .executableTarget(name: "CodegenBenchmark"),
    .executableTarget(
      name: "MigrationBenchmark",
      dependencies: [
        "Strata", "StrataTesting", "StrataSchema", "StrataExpression", "StrataHistory",
        "StrataSQLite",
      ]),
    .executableTarget(
      name: "LanguageBenchmark",
      dependencies: ["CLibYAML", "StrataSource", "StrataSchema", "StrataFrontend"]),
    .executableTarget(
      name: "LanguageFuzz",
      dependencies: [
        "StrataSource", "StrataSchema", "StrataYAML", "StrataFrontend", "StrataReference",
      ]),
    .target(name: "StrataRealm", dependencies: ["StrataSchema"]),
    .target(name: "RealmFixtures", dependencies: ["StrataRealm", "StrataSchema"]),
    .executableTarget(
      name: "RealmFuzz", dependencies: ["StrataRealm", "StrataSchema", "RealmFixtures"]),
    .executableTarget(
      name: "RealmFile", dependencies: ["StrataRealm", "StrataSchema", "RealmFixtures"]),
    .target(
      name: "StrataAdopt",
      dependencies: [
        "StrataSource", "StrataSchema", "StrataExpression", "StrataHistory", "StrataFrontend",
        "StrataEvolution", "StrataSQLite", "StrataRealm", "Strata", "StrataFiles",
      ]),
    .target(name: "CoreDataFixtures", dependencies: ["StrataSQLite"]),
    .executableTarget(
      name: "StoreFuzz",
      dependencies: [
        "StrataAdopt", "CoreDataFixtures", "Strata", "StrataFiles", "StrataSchema",
        "StrataExpression", "StrataHistory", "StrataSQLite",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where [.regular, .executable].contains(target.type) {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
