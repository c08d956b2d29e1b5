// swift-tools-version: 6.2
import PackageDescription

// The object store against hand-written loops over the C API, and GRDB beside it. Run by scripts/bench store, everyday, live and rules.
//
// A package of its own: the measured library is built as an app builds it.
let package = Package(
  name: "StoreBenchmark",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "strata", path: "../.."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .systemLibrary(
      name: "RawSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(
      name: "BenchmarkModels", dependencies: [.product(name: "Strata", package: "strata")],
      plugins: [.plugin(name: "StrataPlugin", package: "strata")]),
    .executableTarget(
      name: "StoreBenchmark",
      dependencies: [
        "BenchmarkModels", "RawSQLite", .product(name: "Strata", package: "strata"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .executableTarget(
      name: "EverydayBenchmark",
      dependencies: [
        "BenchmarkModels", "RawSQLite", .product(name: "Strata", package: "strata"),
      ]),
    // Built with the thread sanitizer, by scripts/check-threads.
    .executableTarget(
      name: "ThreadTrials",
      dependencies: ["BenchmarkModels", .product(name: "Strata", package: "strata")]),
    .executableTarget(
      name: "RulesBenchmark",
      dependencies: ["BenchmarkModels", .product(name: "Strata", package: "strata")]),
    .executableTarget(
      name: "LiveBenchmark",
      dependencies: [
        "BenchmarkModels", "RawSQLite", .product(name: "Strata", package: "strata"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
