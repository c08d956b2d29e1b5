import Foundation
import StrataCodegen
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataSchema
import StrataSource
import Testing

/// The Swift of the pages about stores, what fails and what repairs it, is accepted by the compiler: a page that shows a call
/// that does not exist helps no reader.
@Suite struct PageSnippetTests {
  /// What the examples speak of.
  private static let people = """
    schema: People
    version: 5
    models:
      Person:
        properties:
          fullName: string
          age: { type: int, default: 0 }
          home: Address?
      Address: { embedded: true, properties: { street: string } }
      Place: { primaryKey: postalCode, properties: { postalCode: string } }
      Account: { unique: [[email, country]], properties: { email: string, country: string } }
      Order: { properties: { customer: { type: Customer, deleteRule: deny } } }
      Customer: { properties: { name: string } }
    """

  private static let shop = """
    schema: Shop
    version: 0
    models:
      Item: { properties: { name: string } }
    """

  struct Snippet {
    let page: String
    let code: String
    let number: Int

    /// The example as the body of a function, whose parameters are what it does not say itself.
    var function: String {
      """
      import Foundation
      import Strata
      func \(page.lowercased())_\(number)(
        store: Store, second: Store, person: Person, frozenPerson: Person, place: Place,
        customer: Customer, people: Results<Person>, key: Data, kept: inout [Person],
        otherKey: Data, passphrase: String,
        token: inout NotificationToken?, configuration: inout Store.Configuration
      ) throws {
      #sourceLocation(file: "\(page).md", line: 1)
      \(code)
      #sourceLocation()
      }
      """
    }
  }

  private static func snippets() throws -> [Snippet] {
    let folder = SwiftCommand.tests.deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("docs/diagnostics")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { $0.hasPrefix("STR50") }
    return try names.flatMap { name in
      let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      return text.components(separatedBy: "```swift\n").dropFirst().enumerated().map {
        number, rest in
        Snippet(
          page: String(name.dropLast(3)), code: rest.components(separatedBy: "\n```")[0],
          number: number)
      }
    }
  }

  @Test func theCompilerAcceptsThem() throws {
    let snippets = try Self.snippets()
    #expect(snippets.count >= 40)
    let schema = try GeneratedCode.compile([SourceFile(path: "People.yaml", text: Self.people)])
      .schema
    let history = History(
      name: "People",
      versions: [
        FrozenVersion(
          schema: schema, step: nil, date: "2026-11-21", stepDigest: nil, chain: Digest(of: "0"))
      ])
    var files =
      try GeneratedCode(of: ["People.yaml": Self.people]).files
      + GeneratedCode(of: ["Shop.yaml": Self.shop]).files
      + MigrationsGenerator(history: history, options: GeneratorOptions(layout: .single)).files()
    files += snippets.map {
      GeneratedFile(name: "\($0.page)-\($0.number).swift", text: $0.function)
    }
    files.append(GeneratedFile(name: "Show.swift", text: "func show<T>(_ value: T) {}\n"))

    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try OutputFolder(folder.path).write(files)
    let result = try SwiftCommand.compile(
      files.map { folder.appendingPathComponent($0.name).path },
      ["-module-name", "Pages", "-wmo", "-suppress-warnings"])

    let errors = result.output.components(separatedBy: "\n").filter { $0.contains("error:") }
    #expect(result.status == 0 && errors == [], "\(errors.joined(separator: "\n"))")
  }
}
