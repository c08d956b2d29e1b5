import Foundation
import Testing

/// The table of docs/architecture.md: what each target may import. Sources are read as text, so that a dependency that somebody adds
/// to the manifest is not enough to break the layers.
@Suite struct LayeringTests {
  static let allowedImports: [String: Set<String>] = [
    "StrataSource": [],
    "StrataSchema": [],
    "StrataExpression": ["StrataSchema"],
    "StrataHistory": ["StrataSchema", "StrataExpression"],
    "StrataYAML": ["CLibYAML", "StrataSource"],
    "StrataFrontend": [
      "StrataYAML", "StrataSource", "StrataSchema", "StrataExpression", "StrataHistory",
    ],
    "StrataSQLite": ["CSQLite"],
    "StrataRealm": ["StrataSchema"],
    "StrataEvolution": ["StrataSource", "StrataSchema", "StrataExpression", "StrataHistory"],
    "StrataCipher": ["StrataSQLite", "CLibCrypto", "CommonCrypto", "CryptoKit"],
    "StrataProject": [
      "StrataSource", "StrataSchema", "StrataExpression", "StrataHistory", "StrataFrontend",
      "StrataEvolution",
    ],
    "StrataLanguageServer": [
      "StrataSource", "StrataSchema", "StrataExpression", "StrataYAML", "StrataFrontend",
      "StrataEvolution", "StrataReference", "StrataProject", "StrataHistory",
    ],
    "StrataBrowse": ["Strata", "StrataSchema", "StrataExpression", "StrataSQLite"],
    "StrataReport": [
      "StrataSource", "StrataSchema", "StrataExpression", "StrataEvolution", "StrataHistory",
    ],
    "StrataCodegen": ["StrataSchema", "StrataExpression", "StrataHistory"],
    "StrataReference": [
      "StrataYAML", "StrataSource", "StrataSchema", "StrataExpression", "StrataFrontend",
      "StrataHistory",
    ],
    "Strata": [
      "StrataSchema", "StrataExpression", "StrataSQLite", "StrataCipher", "StrataHistory",
    ],
    "StrataFiles": [
      "Strata", "StrataSchema", "StrataExpression", "StrataHistory", "StrataSQLite",
    ],
    "StrataTesting": [
      "Strata", "StrataFiles", "StrataSchema", "StrataExpression", "StrataHistory", "StrataSQLite",
    ],
    "StrataAdopt": [
      "StrataSchema", "StrataExpression", "StrataHistory", "StrataFrontend", "StrataEvolution",
      "Strata", "StrataFiles",
      "StrataSource", "StrataSQLite", "StrataRealm",
    ],
  ]

  /// Modules of the toolchain that come without a library of their own, everywhere.
  static let platform: Set<String> = [
    "Glibc", "Musl", "Darwin", "Synchronization", "Dispatch", "Swift", "Observation",
  ]

  /// Targets that hold values of Foundation's types.
  static let foundationUsers: Set<String> = ["Strata", "StrataAdopt", "StrataCipher"]

  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test(arguments: allowedImports.keys.sorted())
  func importsWhatTheTableAllows(target: String) throws {
    var allowed = try #require(Self.allowedImports[target]).union(Self.platform)
    if Self.foundationUsers.contains(target) {
      allowed.formUnion(["Foundation", "FoundationEssentials"])
    }
    for file in try Self.swiftFiles(of: target) {
      let imported = try Self.imports(of: file)
      #expect(
        imported.subtracting(allowed).isEmpty,
        "\(file.lastPathComponent) imports what \(target) may not")
    }
  }

  /// The compiler crashes on one in release builds alone: docs/decisions/0072.
  @Test func taskLocalValuesAreNoFunctions() throws {
    var count = 0
    for target in try FileManager.default.contentsOfDirectory(
      atPath: Self.root.appendingPathComponent("Sources").path)
    {
      for file in try Self.swiftFiles(of: target) {
        for line in try Self.codeLines(of: file) where line.contains("@TaskLocal") {
          count += 1
          #expect(
            !line.contains("->"), "\(file.lastPathComponent): put the function into a struct")
        }
      }
    }
    #expect(count > 0)
  }

  @Test func onlyTheWrappersSpellTheirLibrary() throws {
    for (library, wrapper) in [
      ("sqlite3_", "StrataSQLite"), ("yaml_", "StrataYAML"), ("EVP_", "StrataCipher"),
    ] {
      for target in Self.allowedImports.keys where target != wrapper {
        for file in try Self.swiftFiles(of: target) {
          let code = try Self.codeLines(of: file)
          #expect(
            !code.contains { Self.calls(library, in: $0) },
            "\(file.lastPathComponent) calls \(library)…")
        }
      }
    }
  }

  /// What a target depends on is compiled before it, in each app's first build, also where no file imports it.
  @Test(arguments: manifestDependencies.keys.sorted())
  func importsWhatTheManifestNames(target: String) throws {
    let named = try #require(Self.manifestDependencies[target])
    let imported = try Self.swiftFiles(of: target).reduce(into: Set<String>()) { imported, file in
      imported.formUnion(try Self.imports(of: file))
    }
    #expect(
      named.subtracting(imported).isEmpty, "\(target) depends on what none of its files imports")
  }

  @Test func theManifestIsReadWhole() throws {
    #expect(Self.manifestDependencies["Strata"] == Self.allowedImports["Strata"])
    #expect(Self.manifestDependencies["StrataCLI"]?.contains("ArgumentParser") == true)
    #expect(
      Set(Self.allowedImports.filter { !$0.value.isEmpty }.keys)
        .isSubset(of: Self.manifestDependencies.keys))
  }

  /// The package tests itself: a target that is missing here would be unguarded.
  @Test func everyLibraryTargetHasARow() throws {
    let sources = try FileManager.default.contentsOfDirectory(
      atPath: Self.root.appendingPathComponent("Sources").path)
    let guarded = Set(Self.allowedImports.keys).union([
      // C modules, the command and executables may import everything below them.
      "CLibCrypto", "CLibYAML", "CSQLite", "CSQLiteShim", "StrataCLI", "StrataTool", "PeopleTool",
      "PeopleDemo", "strata-codegen",
    ])
    #expect(Set(sources.filter { !$0.hasPrefix(".") }).subtracting(guarded).isEmpty)
  }

  // MARK: - Reading the manifest

  /// The modules that each target of `Sources/` names as its dependencies; of those that name any.
  static let manifestDependencies: [String: Set<String>] = {
    let manifest =
      (try? String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)) ?? ""
    let target =
      /\.(?:target|executableTarget)\(\s*name: "(?<name>[^"]+)",\s*dependencies: \[(?<list>[^\]]*)\]/
    var dependencies: [String: Set<String>] = [:]
    for match in manifest.matches(of: target) {
      let name = String(match.name)
      let folder = root.appendingPathComponent("Sources/\(name)")
      guard FileManager.default.fileExists(atPath: folder.path) else { continue }
      let products = String(match.list).replacing(/, package: "[^"]+"/, with: "")
        .replacing(/, condition: \.when\(traits: \["[^"]+"/, with: "")
      dependencies[name] = Set(products.matches(of: /"([^"]+)"/).map { String($0.1) })
    }
    return dependencies
  }()

  /// Optimised code leaves out what these say; `misuse` and `checkUse` speak in every build.
  @Test func sentencesOfTheStoreSurviveOptimisation() throws {
    for file in try Self.swiftFiles(of: "Strata") {
      let code = try Self.codeLines(of: file)
      for silent in ["precondition(", "preconditionFailure(", "assert(", "assertionFailure("] {
        #expect(
          !code.contains { Self.calls(silent, in: $0) },
          "\(file.lastPathComponent) calls \(silent)…)")
      }
    }
  }

  // MARK: - Reading sources

  private static func swiftFiles(of target: String) throws -> [URL] {
    let folder = root.appendingPathComponent("Sources/\(target)")
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
  }

  private static func codeLines(of file: URL) throws -> [Substring] {
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter {
      !$0.drop { $0 == " " }.hasPrefix("//")
    }
  }

  private static let modifiers: Set<String> = [
    "public", "package", "internal", "private", "@_exported", "@testable",
  ]

  private static func imports(of file: URL) throws -> Set<String> {
    Set(
      try codeLines(of: file).compactMap { line in
        // Deeper lines belong to texts that show people an import.
        guard line.prefix(while: { $0 == " " }).count <= 2 else { return nil }
        let words = line.split(separator: " ")
        guard let index = words.firstIndex(of: "import"), words.count > index + 1,
          words[..<index].allSatisfy({ modifiers.contains(String($0)) })
        else { return nil }
        return words[index + 1].split(separator: ".").first.map(String.init)
      })
  }

  private static func calls(_ library: String, in line: Substring) -> Bool {
    // A name in a string is text for people or SQL.
    let code = line.split(separator: "\"", omittingEmptySubsequences: false)
    return stride(from: 0, to: code.count, by: 2).contains { code[$0].contains(library) }
  }
}
