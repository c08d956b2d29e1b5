import Foundation
import StrataCodegen
import StrataFrontend
import StrataSource
import Testing

/// The same declarations give the same bytes, wherever and however they are generated.
@Suite struct DeterminismTests {
  @Test func whateverTheOrderOfFiles() throws {
    let sources = EveryFeatureTests.declarations.map { SourceFile(path: $0.key, text: $0.value) }
      .sorted { $0.path < $1.path }
    let orders = [sources, sources.reversed(), [sources[1], sources[2], sources[0]]]

    for layout in GeneratorOptions.Layout.allCases {
      let results = try orders.map { order in
        let compiled = try GeneratedCode.compile(order)
        return ModelsGenerator(
          schema: compiled.schema, order: compiled.declarationOrder,
          options: GeneratorOptions(layout: layout)
        ).files()
      }
      #expect(results[1] == results[0] && results[2] == results[0])
    }
  }

  /// The tool itself, from folders of different names, with relative and absolute paths, in other languages, in
  /// processes of their own: nothing may hang on the seed of hashes.
  @Test func whateverThePlaceAndTheLanguage() throws {
    let environments = [
      ["LC_ALL": "C"], ["LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"],
      ["LC_ALL": "de_DE@euro", "TZ": "Asia/Tokyo"], ["LC_ALL": "ar_EG", "TZ": "UTC"],
    ]
    var results: [[String: Data]] = []
    for (number, environment) in environments.enumerated() {
      let base = FileManager.default.temporaryDirectory
        .appendingPathComponent("\(UUID().uuidString) of \(number)")
      defer { try? FileManager.default.removeItem(at: base) }
      let schemas = base.appendingPathComponent("my schemas")
      try FileManager.default.createDirectory(at: schemas, withIntermediateDirectories: true)
      let names = EveryFeatureTests.declarations.keys.sorted()
      for name in number % 2 == 0 ? names : names.reversed() {
        try EveryFeatureTests.declarations[name]?.write(
          to: schemas.appendingPathComponent(name), atomically: false, encoding: .utf8)
      }
      let isRelative = number % 2 == 0
      let output = base.appendingPathComponent("output")
      let result = try SwiftCommand.run(
        [
          "models", "--schemas", isRelative ? "my schemas" : schemas.path,
          "--output", isRelative ? "output" : output.path,
        ],
        executable: SwiftCommand.products.appendingPathComponent("strata-codegen").path,
        in: isRelative ? base : URL(fileURLWithPath: "/"), environment: environment)
      #expect(result.status == 0 && result.output.isEmpty, "\(result.output)")
      results.append(
        Dictionary(
          uniqueKeysWithValues: try FileManager.default.contentsOfDirectory(
            at: output, includingPropertiesForKeys: nil
          ).map { ($0.lastPathComponent, try Data(contentsOf: $0)) }))
    }

    #expect(results[0].count == 11)
    for result in results.dropFirst() { #expect(result == results[0]) }
  }
}
