import Foundation
import StrataAdopt
import StrataSchema
import StrataSource
import Testing

@testable import StrataCLI

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Shipped histories of well-known apps stand beside the project and are not a part of it.
@Suite("Histories of shipped apps")
struct SharedHistoriesTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("shared/data/histories").path

  static let isThere = FileManager.default.fileExists(atPath: folder)

  struct History: Sendable, CustomTestStringConvertible {
    var system: AdoptSource
    var path: String
    var versions: Int
    var open: Int

    var testDescription: String { path.split(separator: "/").first.map(String.init) ?? path }
  }

  static let histories = [
    History(
      system: .coredata, path: "woocommerce-ios/Storage/Storage/Model/WooCommerce.xcdatamodeld",
      versions: 117, open: 7),
    History(
      system: .coredata, path: "wire-ios-data-model/Resources/zmessaging.xcdatamodeld",
      versions: 90, open: 9),
    History(
      system: .coredata, path: "wire-ios-data-model/Resources/ZMEventModel.xcdatamodeld",
      versions: 3, open: 0),
    History(
      system: .coredata, path: "simplenote-ios/Simplenote/Simplenote.xcdatamodeld", versions: 6,
      open: 0),
    History(
      system: .room, path: "nowinandroid/core/database/schemas", versions: 14, open: 5),
    History(
      system: .drift,
      path: "drift-migrations-example/examples/migrations_example/drift_schemas", versions: 11,
      open: 2),
    History(
      system: .drift, path: "drift-migrations-example/examples/app/drift_schemas", versions: 3,
      open: 0),
  ]

  @Test(
    "Each is adopted without a hand, the same on every run, and check finds the questions alone",
    .enabled(if: isThere, "shared/data/histories is not beside the project"), arguments: histories)
  func adopts(_ history: History) throws {
    func read() throws -> AdoptedProject {
      let adopted = try AdoptedProject.read(
        history.system, "\(Self.folder)/\(history.path)", name: nil)
      return try AdoptedProject(adopted, date: "2026-11-21")
    }
    let (project, again) = (try read(), try read())
    try project.compareWithSource()
    #expect(project.history.versions.count == history.versions)
    #expect(project.frozen.openCount == history.open)
    #expect(project.findings.errorCount == history.open)
    #expect(project.files.map(\.text) == again.files.map(\.text))
    #expect(project.report == again.report)
    for step in project.frozen.steps {
      // One change of one kind at one place, and so one verdict.
      #expect(
        Set(step.changes.map { "\($0.kind) \($0.path) \($0.message)" }).count == step.changes.count)
    }
  }

  @Test(
    "Every entity, attribute and relationship of the XML is in the result, or in the report",
    .enabled(if: isThere, "shared/data/histories is not beside the project"),
    arguments: histories.filter { $0.system == .coredata })
  func isComplete(_ history: History) throws {
    let path = "\(Self.folder)/\(history.path)"
    let adopted = try CoreDataFolder.read(path, name: nil)
    let compiled = try adopted.compiled()
    #expect(compiled.count == history.versions)
    for (version, schema) in zip(adopted.versions, compiled) {
      let file = URL(fileURLWithPath: "\(path)/\(version.name).xcdatamodel/contents")
      let facts = XMLFacts(try Data(contentsOf: file))
      #expect(Set(schema.models.map(\.name)) == facts.entities)
      for property in facts.properties {
        let found = schema.model(named: property.entity)?.property(named: property.name)
        let isReported = version.notes.contains {
          $0.entity == property.entity && $0.property == property.name
        }
        guard let found else {
          #expect(isReported, "\(version.name) \(property)")
          continue
        }
        #expect(
          isReported || found.type.spelling == property.type
            || (property.isToMany && found.type.linkedModel == property.destination),
          "\(version.name) \(property) is \(found.type.spelling)")
      }
    }
  }
}

/// A second reading of a model, with Foundation's parser.
private final class XMLFacts: NSObject, XMLParserDelegate {
  struct Property {
    var entity: String
    var name: String
    var type: String
    var isToMany = false
    var destination: String?
  }

  var entities: Set<String> = []
  var properties: [Property] = []
  private var entity = ""

  init(_ data: Data) {
    super.init()
    let parser = XMLParser(data: data)
    parser.delegate = self
    _ = parser.parse()
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String] = [:]
  ) {
    let mark = attributes["optional"] == "YES" ? "?" : ""
    switch name {
    case "entity":
      entity = attributes["name"] ?? ""
      entities.insert(entity)
    case "attribute":
      let types = [
        "Integer 16": "int16", "Integer 32": "int32", "Integer 64": "int64", "Boolean": "bool",
        "String": "string", "Date": "date", "Binary": "data", "Double": "double",
        "Float": "float", "Decimal": "decimal", "UUID": "uuid",
      ]
      properties.append(
        Property(
          entity: entity, name: attributes["name"] ?? "",
          type: (types[attributes["attributeType"] ?? ""] ?? "none") + mark))
    case "relationship":
      let destination = attributes["destinationEntity"] ?? ""
      properties.append(
        Property(
          entity: entity, name: attributes["name"] ?? "", type: destination + mark,
          isToMany: attributes["toMany"] == "YES", destination: destination))
    default: break
    }
  }
}
