// swift-tools-version: 6.2
import PackageDescription

// The layers of docs/architecture.md, bottom up. A target may import only what it lists here;
// Tests/ArchitectureTests holds this table against the sources.
let package = Package(
  name: "strata",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Strata", targets: ["Strata"]),
    .library(name: "StrataCLI", targets: ["StrataCLI"]),
    .executable(name: "strata", targets: ["StrataTool"]),
    .executable(name: "people", targets: ["PeopleTool"]),
    // A plugin runs an executable target through the product of the same name.
    .executable(name: "StrataTool", targets: ["StrataTool"]),
    .plugin(name: "StrataPlugin", targets: ["StrataPlugin"]),
    .plugin(name: "StrataCommand", targets: ["StrataCommand"]),
    .plugin(name: "StrataCheckCommand", targets: ["StrataCheckCommand"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
  ],
  targets: [
    // C
    .systemLibrary(
      name: "CLibYAML", pkgConfig: "yaml-0.1",
      providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),

    // L0
    .target(name: "StrataSource"),
    .target(name: "StrataSchema"),
    .target(name: "StrataExpression", dependencies: ["StrataSchema"]),
    .target(name: "StrataYAML", dependencies: ["CLibYAML", "StrataSource"]),

    // L1
    .target(
      name: "StrataFrontend",
      dependencies: ["StrataYAML", "StrataSource", "StrataSchema", "StrataExpression"]),
    .target(name: "StrataSQLite", dependencies: ["CSQLite"]),
    .target(name: "StrataRealm", dependencies: ["StrataSchema"]),

    // L2
    .target(
      name: "StrataEvolution", dependencies: ["StrataSource", "StrataSchema", "StrataExpression"]),
    .target(name: "StrataCodegen", dependencies: ["StrataSchema", "StrataExpression"]),
    .target(name: "Strata", dependencies: ["StrataSchema", "StrataExpression", "StrataSQLite"]),
    .target(
      name: "StrataReference",
      dependencies: [
        "StrataYAML", "StrataSource", "StrataSchema", "StrataExpression", "StrataFrontend",
      ]),

    // L3
    .target(
      name: "StrataAdopt",
      dependencies: [
        "StrataSource", "StrataSchema", "StrataExpression", "StrataFrontend", "StrataEvolution",
        "StrataSQLite", "StrataRealm", "Strata",
      ]),

    // L4
    .target(
      name: "StrataCLI",
      dependencies: [
        "StrataSource", "StrataSchema", "StrataExpression", "StrataYAML", "StrataFrontend",
        "StrataSQLite", "StrataEvolution", "StrataCodegen", "Strata", "StrataReference",
        "StrataAdopt", "StrataRealm",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // Executables
    .executableTarget(name: "StrataTool", dependencies: ["StrataCLI"]),
    .executableTarget(
      name: "strata-codegen",
      dependencies: [
        "StrataSource", "StrataSchema", "StrataExpression", "StrataFrontend", "StrataCodegen",
      ]),

    // Plugins
    .plugin(
      name: "StrataPlugin", capability: .buildTool(), dependencies: ["strata-codegen"]),
    .plugin(
      name: "StrataCommand",
      capability: .command(
        intent: .custom(verb: "strata", description: "Runs the strata command in this package."),
        permissions: [
          .writeToPackageDirectory(reason: "Writes frozen versions, step files and formatted YAML.")
        ]),
      dependencies: ["StrataTool"]),
    // Asks for no permission, so that it runs without a terminal.
    .plugin(
      name: "StrataCheckCommand",
      capability: .command(
        intent: .custom(
          verb: "strata-check",
          description: "Runs strata check in this package, which writes nothing.")),
      dependencies: ["StrataTool"]),

    // The People example
    .target(
      name: "PeopleModels", dependencies: ["Strata"], path: "schemas",
      plugins: ["StrataPlugin"]),

    .target(
      name: "PeopleMigrations", dependencies: ["Strata"], path: "migrations",
      plugins: ["StrataPlugin"]),
    .executableTarget(name: "PeopleTool", dependencies: ["PeopleMigrations", "StrataCLI"]),

    // What code generation is expected to write, compiled.
    .target(name: "GeneratedModels", dependencies: ["Strata"], path: "Tests/Expected/Models"),
    .target(
      name: "GeneratedMigrations", dependencies: ["Strata"], path: "Tests/Expected/Migrations"),

    // Tests
    .testTarget(
      name: "PeopleTests",
      dependencies: [
        "PeopleModels", "PeopleMigrations", "Strata", "StrataEvolution", "StrataExpression",
        "StrataFrontend", "StrataSchema", "StrataSource",
      ]),
    .testTarget(
      name: "GeneratedModelsTests",
      dependencies: ["Strata", "GeneratedModels", "GeneratedMigrations", "PeopleModels"]),
    // The models of docs/guide.md.
    .target(
      name: "GuideModels", dependencies: ["Strata"], path: "Tests/GuideModels",
      plugins: ["StrataPlugin"]),
    .testTarget(
      name: "GuideTests", dependencies: ["Strata", "GuideModels", "StrataTestSupport"]),
    // The steps of docs/migrations.md.
    .target(
      name: "ClubMigrations", dependencies: ["Strata"], path: "Tests/StepExamples/migrations",
      plugins: ["StrataPlugin"]),
    .testTarget(
      name: "StepExampleTests",
      dependencies: [
        "ClubMigrations", "PeopleMigrations", "PeopleModels", "Strata", "StrataExpression",
        "StrataSQLite", "StrataSchema", "StrataTestSupport",
      ]),
    // Runs the compiler on programs that use these modules.
    .testTarget(
      name: "CompilationTests",
      dependencies: [
        "Strata", "GuideModels", "StrataCodegen", "StrataFrontend", "StrataSchema", "StrataSource",
        "StrataExpression", "strata-codegen",
      ],
      exclude: ["Programs"]),
    .testTarget(name: "StrataSchemaTests", dependencies: ["StrataSchema"]),
    .testTarget(name: "StrataSourceTests", dependencies: ["StrataSource", "StrataSchema"]),
    .testTarget(
      name: "StrataFrontendTests",
      dependencies: [
        "StrataFrontend", "StrataReference", "StrataYAML", "StrataSource", "StrataSchema",
        "StrataExpression",
      ],
      exclude: ["Findings"]),
    .testTarget(name: "StrataSQLiteTests", dependencies: ["StrataSQLite"]),
    // Writes Realm files for tests.
    .target(
      name: "RealmFixtures", dependencies: ["StrataRealm", "StrataSchema"],
      path: "Tests/RealmFixtures"),
    .testTarget(
      name: "StrataRealmTests", dependencies: ["StrataRealm", "StrataSchema", "RealmFixtures"]),
    .target(
      name: "StrataTestModels", dependencies: ["Strata"], path: "Tests/StrataTestModels",
      plugins: ["StrataPlugin"]),
    .testTarget(
      name: "StrataTests",
      dependencies: [
        "Strata", "StrataSchema", "StrataExpression", "StrataSQLite", "StrataTestModels",
      ]),
    .testTarget(
      name: "StrataCodegenTests",
      dependencies: ["StrataSchema", "StrataExpression", "StrataCodegen"]),
    .testTarget(name: "ArchitectureTests"),
    // Runs the built commands.
    .testTarget(
      name: "StrataCLITests",
      dependencies: [
        "StrataTool", "PeopleTool", "Strata", "StrataCLI", "StrataSchema", "StrataSource",
        "StrataYAML", "StrataTestSupport", "RealmFixtures", "strata-codegen",
      ]),
    // What several test targets need.
    .target(
      name: "StrataTestSupport", dependencies: ["StrataSchema"], path: "Tests/StrataTestSupport"),
    .target(name: "CFaultVFS", dependencies: ["CSQLite"], path: "Tests/CFaultVFS"),
    .testTarget(
      name: "StrataMigrationTests",
      dependencies: [
        "Strata", "StrataSchema", "StrataExpression", "StrataSQLite", "CFaultVFS",
        "StrataTestSupport",
      ]),
    .testTarget(
      name: "StrataExpressionTests", dependencies: ["StrataExpression", "StrataSchema"]),
    .testTarget(
      name: "StrataCheckTests",
      dependencies: [
        "Strata", "StrataCLI", "StrataEvolution", "StrataFrontend", "StrataSource",
        "StrataSchema", "StrataExpression", "StrataTestSupport",
      ],
      exclude: ["Cases"]),
    .testTarget(
      name: "StrataAdoptTests",
      dependencies: [
        "StrataAdopt", "StrataCLI", "StrataEvolution", "StrataFrontend", "StrataSource",
        "StrataSchema", "StrataExpression", "StrataRealm", "Strata", "StrataSQLite",
        "RealmFixtures", "StrataTestSupport",
      ]),
    .testTarget(
      name: "StrataEvolutionTests",
      dependencies: [
        "StrataEvolution", "StrataFrontend", "StrataSource", "StrataSchema", "StrataExpression",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// One loop, so that no target can forget a setting.
for target in package.targets
where [.regular, .executable, .test].contains(target.type) {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
