import Strata
import StrataSchema
import Testing

@testable import StrataBrowse

/// Sample data of models whose objects have to lead to others.
@Suite("Sample data in a page")
struct SampleTests {
  private let scratch: BrowseScratch

  init() throws {
    func link(_ target: String, isOptional: Bool = false) -> PropertyType {
      .value(ValueType(.object(target), isOptional: isOptional))
    }
    let name = Property(name: "name", type: .value(ValueType(.scalar(.string))))
    scratch = try BrowseScratch(
      schema: Schema(
        name: "Work", version: 0,
        models: [
          Model(name: "Company", properties: [name]),
          Model(
            name: "Person",
            properties: [
              name, Property(name: "company", type: link("Company")),
              Property(name: "former", type: link("Company", isOptional: true)),
            ]),
          Model(
            name: "Badge", properties: [name, Property(name: "given", type: link("Stamp"))]),
          Model(
            name: "Stamp", isEmbedded: true,
            properties: [Property(name: "by", type: link("Company"))]),
          Model(
            name: "House",
            properties: [
              Property(name: "hall", type: link("Room")),
              Property(name: "stamp", type: link("Stamp", isOptional: true)),
            ]),
          Model(
            name: "Room", isEmbedded: true, properties: [Property(name: "desk", type: link("Desk"))]
          ),
          Model(
            name: "Desk", isEmbedded: true, properties: [Property(name: "box", type: link("Box"))]),
          Model(name: "Box", isEmbedded: true, properties: [name]),
        ]))
  }

  private func sample(_ model: String, status: Int = 200) throws -> JSON {
    try scratch.ask(["do": "sample", "model": .string(model), "count": 10], status: status)
  }

  @Test(
    "Where a required link has nothing to lead to, that is said before anything is made",
    arguments: [("Person", "Person"), ("Badge", "Stamp")])
  func noTarget(model: String, holder: String) throws {
    let refused = try sample(model, status: 400)
    #expect(
      refused["error"]
        == .string("\(holder) needs a Company, and there is none: make one first."))
    #expect(try scratch.ask(["do": "state"])["edits"] == .int(0))
  }

  @Test("With a target, also one that is not saved yet, all of them lead to it and are saved")
  func target() throws {
    try scratch.ask([
      "do": "create", "model": "Company",
      "values": .object(["name": .object(["text": "One"])]),
    ])
    for model in ["Person", "Badge"] { _ = try sample(model) }
    #expect(try scratch.ask(["do": "save"])["edits"] == .int(0))
    #expect(try scratch.store.objects(named: "Person").filter("company.name == 'One'").count == 10)
    #expect(try scratch.store.objects(named: "Badge").filter("given.by.name == 'One'").count == 10)
  }

  @Test("Embedded objects that are required are there, and those that cannot be made are left out")
  func embedded() throws {
    _ = try sample("House")
    #expect(try scratch.ask(["do": "save"])["edits"] == .int(0))
    let houses = try scratch.store.objects(named: "House")
    #expect(try houses.filter("hall.desk.box.name != ''").count == 10)
    #expect(try houses.filter("stamp == nil").count == 10)
  }
}
