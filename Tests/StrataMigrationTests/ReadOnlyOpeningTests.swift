import Foundation
import StrataSchema
import Testing

@testable import Strata

/// Files that a store may only read, and that are not quite what is declared.
@Suite struct ReadOnlyOpeningTests {
  let bench: Workbench
  let path: String

  init() throws {
    bench = try Workbench()
    path = bench.path("a.db")
  }

  private static func schema(_ properties: [Property], indexes: [[String]] = []) -> Schema {
    Schema(
      name: "Test", version: 0,
      models: [Model(name: "Dog", indexes: indexes, properties: properties)])
  }

  private static let name = Property.required("name", .string)

  private enum Plain: GeneratedSchema {
    static let definition = SchemaDefinition(dynamic: schema([.required("age", .int), name]))
  }

  private enum Indexed: GeneratedSchema {
    static let definition = SchemaDefinition(
      dynamic: schema([.required("age", .int), name], indexes: [["age", "name"]]))
  }

  private enum Retyped: GeneratedSchema {
    static let definition = SchemaDefinition(dynamic: schema([.required("age", .string), name]))
  }

  private func open(_ schema: any GeneratedSchema.Type) throws -> Store {
    try Store(
      configuration: Store.Configuration(
        fileURL: URL(fileURLWithPath: path), readOnly: true, schema: schema))
  }

  private func makeFile(_ schema: any GeneratedSchema.Type) throws {
    try Store(path: path, schema: schema).close()
    try bench.sql(path, "INSERT INTO Dog (_row, age, name) VALUES (1, 3, 'Rex'), (2, 1, 'Max')")
  }

  /// What is found without an index is the same.
  @Test func anIndexMoreOrLessIsFine() throws {
    try makeFile(Plain.self)
    let more = try open(Indexed.self)
    #expect(
      try more.objects(named: "Dog").filter("age < 4").sorted(by: "age")
        .map { $0["name"] as? String } == ["Max", "Rex"])
    more.close()

    try Store(path: path, schema: Indexed.self).close()
    let less = try open(Plain.self)
    #expect(try less.objects(named: "Dog").count == 2)
  }

  @Test func anythingElseIsATrueSentence() throws {
    try makeFile(Plain.self)
    let error = #expect(throws: StoreError.self) { try open(Retyped.self) }
    let text = error?.description ?? ""
    #expect(text.contains("has version 0, but not as it is declared here"), "\(text)")
    #expect(text.contains("Dog.age"), "\(text)")
    #expect(!text.contains("upgrade to 0"), "\(text)")
  }
}
