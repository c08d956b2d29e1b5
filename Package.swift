// swift-tools-version: 6.2
import PackageDescription

// The layers of docs/architecture.md, bottom up. A target may import only what it lists here;
// Tests/ArchitectureTests holds this table against the sources.
let package = Package(
  name: "strata",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Strata", targets: ["Strata"]),
    // What tests of migrations need, and an app does not link: proofs, and files with sample data.
    .library(name: "StrataTesting", targets: ["StrataTesting"]),
    .library(name: "StrataCLI", targets: ["StrataCLI"]),
    .executable(name: "strata", targets: ["StrataTool"]),
    .executable(name: "people", targets: ["PeopleTool"]),
    .executable(name: "people-demo", targets: ["PeopleDemo"]),
    // A plugin runs an executable target through the product of the same name.
    .executable(name: "StrataTool", targets: ["StrataTool"]),
    .plugin(name: "StrataPlugin", targets: ["StrataPlugin"]),
    .plugin(name: "StrataCommand", targets: ["StrataCommand"]),
    .plugin(name: "StrataCheckCommand", targets: ["StrataCheckCommand"]),
  ],
  traits: [
    .trait(
      name: "Encryption",
      description: "Encrypted files in Strata; without it, apps need no libcrypto on Linux.")
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
    // Without `pkgConfig`, for which an app without encrypted files would be warned that it lacks the package.
    .systemLibrary(name: "CLibCrypto"),

    // L0
    .target(name: "StrataSource"),
    .target(name: "StrataSchema"),
    .target(name: "StrataExpression", dependencies: ["StrataSchema"]),
    .target(name: "StrataHistory", dependencies: ["StrataSchema", "StrataExpression"]),
    .target(name: "StrataYAML", dependencies: ["CLibYAML", "StrataSource"]),

    // L1
    .target(
      name: "StrataFrontend",
      dependencies: [
        "StrataYAML", "StrataSource", "StrataSchema", "StrataExpression", "StrataHistory",
      ]),
    .target(name: "StrataSQLite", dependencies: ["CSQLite"]),
    .target(name: "StrataRealm", dependencies: ["StrataSchema"]),

    // L2
    .target(
      name: "StrataEvolution",
      dependencies: ["StrataSource", "StrataSchema", "StrataExpression", "StrataHistory"]),
    .target(
      name: "StrataCodegen", dependencies: ["StrataSchema", "StrataExpression", "StrataHistory"]),
    .target(
      name: "StrataCipher",
      dependencies: [
        "StrataSQLite",
        // Apple's systems have CryptoKit.
        .target(name: "CLibCrypto", condition: .when(platforms: [.linux, .android])),
      ]),
    .target(
      name: "Strata",
      dependencies: [
        "StrataSchema", "StrataExpression", "StrataHistory", "StrataSQLite",
        .target(name: "StrataCipher", condition: .when(traits: ["Encryption"])),
      ]),
    .target(
      name: "StrataReference",
      dependencies: [
        "StrataYAML", "StrataSource", "StrataSchema", "StrataExpression", "StrataHistory",
        "StrataFrontend",
      ]),

    // L3 and L4
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
      name: "StrataAdopt",
      dependencies: [
        "StrataSource", "StrataSchema", "StrataExpression", "StrataHistory", "StrataFrontend",
        "StrataEvolution", "StrataSQLite", "StrataRealm", "Strata", "StrataFiles",
      ]),

    .target(
      name: "StrataProject",
      dependencies: [
        "StrataSource", "StrataSchema", "StrataExpression", "StrataHistory", "StrataFrontend",
        "StrataEvolution",
      ]),
    .target(
      name: "StrataReport",
      dependencies: [
        "StrataSource", "StrataSchema", "StrataExpression", "StrataHistory", "StrataEvolution",
      ]),

    .target(
      name: "StrataLanguageServer",
      dependencies: [
        "StrataSource", "StrataSchema", "StrataExpression", "StrataHistory", "StrataYAML",
        "StrataFrontend",
        "StrataEvolution", "StrataReference", "StrataProject",
      ]),
    .target(
      name: "StrataBrowse",
      dependencies: ["Strata", "StrataSchema", "StrataExpression", "StrataSQLite"]),

    // L5
    .target(
      name: "StrataCLI",
      dependencies: [
        "StrataTesting",
        "StrataSource", "StrataSchema", "StrataExpression", "StrataHistory", "StrataFrontend",
        "StrataSQLite", "StrataEvolution", "StrataCodegen", "Strata", "StrataFiles",
        "StrataReference",
        "StrataAdopt", "StrataRealm", "StrataReport", "StrataBrowse",
        "StrataProject",
        "StrataLanguageServer",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // Executables
    .executableTarget(name: "StrataTool", dependencies: ["StrataCLI", "StrataCipher"]),
    .executableTarget(
      name: "strata-codegen",
      dependencies: [
        "StrataSource", "StrataSchema", "StrataExpression", "StrataHistory", "StrataFrontend",
        "StrataCodegen",
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
    .executableTarget(
      name: "PeopleTool", dependencies: ["PeopleMigrations", "StrataCLI", "StrataCipher"]),
    // The same without ciphers, as an app's own tool is without the trait: what scripts/demo builds first.
    .executableTarget(name: "PeopleDemo", dependencies: ["PeopleMigrations", "StrataCLI"]),

    // What code generation is expected to write, compiled.
    .target(name: "GeneratedModels", dependencies: ["Strata"], path: "Tests/Expected/Models"),
    .target(
      name: "GeneratedMigrations", dependencies: ["Strata"], path: "Tests/Expected/Migrations"),

    // Tests
    .testTarget(
      name: "PeopleTests",
      dependencies: [
        "PeopleModels", "PeopleMigrations", "Strata", "StrataTesting", "StrataEvolution",
        "StrataExpression",
        "StrataHistory",
        "StrataFrontend", "StrataSchema", "StrataSource", "StrataSQLite",
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
        "ClubMigrations", "PeopleMigrations", "PeopleModels", "Strata", "StrataFiles",
        "StrataTesting",
        "StrataExpression",
        "StrataHistory",
        "StrataSQLite", "StrataSchema", "StrataTestSupport",
      ]),
    // Runs the compiler on programs that use these modules.
    .testTarget(
      name: "CompilationTests",
      dependencies: [
        "Strata", "GuideModels", "StrataCodegen", "StrataFrontend", "StrataSchema", "StrataSource",
        "StrataExpression", "StrataHistory", "strata-codegen", "StrataTool", "StrataSQLite",
        "RealmFixtures", "CoreDataFixtures",
      ],
      exclude: ["Programs"]),
    .testTarget(name: "StrataSchemaTests", dependencies: ["StrataSchema"]),
    .testTarget(name: "StrataSourceTests", dependencies: ["StrataSource", "StrataSchema"]),
    .testTarget(
      name: "StrataFrontendTests",
      dependencies: [
        "StrataFrontend", "StrataReference", "StrataYAML", "StrataSource", "StrataSchema",
        "StrataExpression", "StrataHistory",
      ],
      exclude: ["Findings"]),
    .testTarget(name: "StrataSQLiteTests", dependencies: ["StrataSQLite"]),
    // Writes Realm files for tests.
    .target(
      name: "RealmFixtures", dependencies: ["StrataRealm", "StrataSchema"],
      path: "Tests/RealmFixtures"),
    // Writes stores of Core Data.
    .target(
      name: "CoreDataFixtures", dependencies: ["StrataSQLite"], path: "Tests/CoreDataFixtures"),
    .testTarget(
      name: "StrataRealmTests", dependencies: ["StrataRealm", "StrataSchema", "RealmFixtures"]),
    .target(
      name: "StrataTestModels", dependencies: ["Strata"], path: "Tests/StrataTestModels",
      plugins: ["StrataPlugin"]),
    .testTarget(
      name: "StrataTests",
      dependencies: [
        "Strata", "StrataFiles", "StrataSchema", "StrataExpression", "StrataSQLite", "StrataCipher",
        "StrataTestModels",
      ]),
    .testTarget(
      name: "StrataCodegenTests",
      dependencies: ["StrataSchema", "StrataExpression", "StrataHistory", "StrataCodegen"]),
    .testTarget(name: "ArchitectureTests"),
    // Runs the built commands.
    .testTarget(
      name: "StrataCLITests",
      dependencies: [
        "StrataTool", "PeopleTool", "PeopleDemo", "Strata", "StrataCLI", "StrataSchema",
        "StrataSource",
        "StrataYAML", "StrataTestSupport", "StrataCipher", "StrataSQLite", "RealmFixtures",
        "strata-codegen",
      ]),
    // What several test targets need.
    .target(
      name: "StrataTestSupport", dependencies: ["StrataSchema"], path: "Tests/StrataTestSupport"),
    .target(name: "CFaultVFS", dependencies: ["CSQLite"], path: "Tests/CFaultVFS"),
    .testTarget(
      name: "StrataMigrationTests",
      dependencies: [
        "StrataTesting",
        "Strata", "StrataFiles", "StrataSchema", "StrataExpression", "StrataHistory",
        "StrataSQLite",
        "StrataCipher", "CFaultVFS",
        "StrataTestSupport",
      ]),
    // Damaged files, killed writers and what encryption costs; run by scripts.
    .executableTarget(
      name: "FileTrials",
      dependencies: [
        "Strata", "StrataFiles", "StrataTesting", "StrataSchema", "StrataExpression",
        "StrataHistory",
        "StrataSQLite", "StrataCipher",
      ],
      path: "Tests/FileTrials", exclude: ["sqlcipher_library.py"]),
    .testTarget(
      name: "StrataExpressionTests", dependencies: ["StrataExpression", "StrataSchema"]),
    .testTarget(
      name: "StrataCheckTests",
      dependencies: [
        "Strata", "StrataFiles", "StrataTesting", "StrataCLI", "StrataEvolution", "StrataFrontend",
        "StrataSource",
        "StrataSchema", "StrataExpression", "StrataHistory", "StrataProject", "StrataTestSupport",
      ],
      exclude: ["Cases"]),
    .testTarget(
      name: "StrataAdoptTests",
      dependencies: [
        "StrataAdopt", "StrataCLI", "StrataEvolution", "StrataFrontend", "StrataSource",
        "StrataSchema", "StrataExpression", "StrataHistory", "StrataRealm", "Strata", "StrataFiles",
        "StrataSQLite", "StrataTesting",
        "RealmFixtures", "CoreDataFixtures", "StrataTestSupport",
      ]),
    .testTarget(
      name: "StrataLanguageServerTests",
      dependencies: [
        "StrataLanguageServer", "StrataProject", "StrataFrontend", "StrataExpression",
        "StrataHistory", "StrataSource", "StrataSchema",
      ]),
    .testTarget(
      name: "StrataBrowseTests",
      dependencies: [
        "StrataTesting",
        "StrataBrowse", "Strata", "StrataExpression", "StrataHistory", "StrataSQLite",
        "StrataSchema",
      ]),
    .testTarget(
      name: "StrataReportTests",
      dependencies: [
        "StrataReport", "StrataEvolution", "StrataFrontend", "StrataSource", "StrataSchema",
        "StrataExpression", "StrataHistory",
      ]),
    .testTarget(
      name: "StrataEvolutionTests",
      dependencies: [
        "StrataEvolution", "StrataFrontend", "StrataSource", "StrataSchema", "StrataExpression",
        "StrataHistory",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// The tests against an optimised Strata: docs/decisions/0073.
let isOptimisedForTests = Context.environment["STRATA_OPTIMISED_TESTS"] != nil
if isOptimisedForTests {
  // What no test needs, and the plugins, whose tools would be compiled once more, for the host.
  let unused: Set = [
    "FileTrials", "StrataPlugin", "StrataCommand", "StrataCheckCommand",
  ]
  package.targets.removeAll { unused.contains($0.name) }
  package.products.removeAll { unused.contains($0.name) || $0.name == "StrataTool" }
  // What the plugin would write stands there already, beside the target's own files.
  for target in package.targets where target.plugins?.isEmpty == false {
    target.plugins = nil
    target.path = ".build/testing/generated/\(target.name)"
  }
}

// One loop, so that no target can forget a setting.
for target in package.targets
where [.regular, .executable, .test].contains(target.type) {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
  if isOptimisedForTests, target.type == .test {
    target.swiftSettings?.append(.unsafeFlags(["-Onone"]))
  }
}
