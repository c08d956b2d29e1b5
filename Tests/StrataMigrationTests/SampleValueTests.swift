import StrataFiles
import StrataHistory
import StrataSchema
import Testing

@testable import Strata
@testable import StrataTesting

/// A property's name decides what its sample values look like, and its type what they can be.
@Suite struct SampleValueTests {
  private static let names = [
    "year", "birthYear", "age", "count", "number", "latitude", "email", "zip", "url", "city",
  ]
  private static let types: [ScalarType] = [
    .bool, .int, .int8, .int16, .int32, .int64, .float, .double, .decimal, .string, .data, .date,
    .uuid, .objectID, .any,
  ]

  @Test(arguments: types) func valuesFitTheirTypeWhateverTheNameIs(_ type: ScalarType) throws {
    let bench = try Workbench()
    let models = Self.names.map { name in
      Model(
        name: "Of" + name,
        properties: [
          .required(name, type), .optional("\(name)Or", type),
          Property(name: "\(name)List", type: .list(ValueType(.scalar(type)))),
          Property(name: "\(name)Set", type: .set(ValueType(.scalar(type)))),
          Property(name: "\(name)Map", type: .map(ValueType(.scalar(type), isOptional: true))),
        ])
    }
    let schema = Schema(name: "Test", version: 0, models: models)
    let target = UpgradeTarget(history: .chained("Test", [("2026-01-01", schema, nil)]))

    let file = try bench.sample(version: 0, of: target, objects: 200)

    let found = try FileInspector().inspect(file, target: target, checksAll: true)
    #expect(found.contentProblems == [])
    #expect(found.counts.values.allSatisfy { $0 == 200 })
  }

  @Test func aYearIsAYearWhereItsTypeHoldsIt() {
    let values = SampleValues(seed: 7, schema: Schema(name: "Test", version: 0, models: []))
    func highest(_ type: ScalarType) -> Int64 {
      (0..<500).map { object in
        let value = values.value(
          of: .scalar(type), name: "birthYear", model: "Person", object: object, isUnique: false)
        guard case .int(let number) = value else { return -1 }
        return number
      }.max() ?? -1
    }
    #expect((100...127).contains(highest(.int8)))
    #expect((1900..<2030).contains(highest(.int16)))
    #expect((1900..<2030).contains(highest(.int)))
  }
}
