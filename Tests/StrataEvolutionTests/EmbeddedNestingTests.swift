import StrataSchema
import Testing

@testable import StrataEvolution

@Suite("How deeply embedded models stand in one another")
struct EmbeddedNestingTests {
  /// An embedded model and the models that it holds.
  private typealias Declared = (name: String, held: [String])

  private func nesting(of models: [Declared]) throws -> EmbeddedNesting {
    let lines = models.map { model in
      let properties = model.held.enumerated().map { "p\($0.offset): \($0.element)?" }
      let all = (["text: string"] + properties).joined(separator: ", ")
      return "\(model.name): { embedded: true, properties: { \(all) } }"
    }
    return EmbeddedNesting(try schema(lines.joined(separator: "\n")))
  }

  @Test("A chain has an end, however long it is")
  func chain() throws {
    let models: [Declared] = (1...12).map { level in
      ("M\(level)", level < 12 ? ["M\(level + 1)"] : [])
    }

    let depths = try nesting(of: models).depths

    #expect(depths.count == 12)
    #expect(depths["M1"] == 12)
    #expect(depths["M9"] == 4)
    #expect(depths["M12"] == 1)
  }

  @Test("The longest of several ways counts")
  func ways() throws {
    let depths = try nesting(of: [
      ("Top", ["Low", "Middle"]), ("Middle", ["Low", "Low"]), ("Low", []),
    ]).depths

    #expect(depths == ["Top": 3, "Middle": 2, "Low": 1])
  }

  @Test("A circle has no end, and what holds one neither")
  func circle() throws {
    let depths = try nesting(of: [
      ("Above", ["A", "Leaf"]), ("A", ["B"]), ("B", ["A", "Leaf"]), ("Own", ["Own"]),
      ("Leaf", []),
    ]).depths

    #expect(depths == ["Leaf": 1])
  }

  @Test("Each link between two models is followed once, whatever ways lead there")
  func wide() throws {
    let models: [Declared] = (1...20).map { level in
      ("M\(level)", level < 20 ? Array(repeating: "M\(level + 1)", count: 10) : [])
    }

    let found = try nesting(of: models)

    #expect(found.depths["M1"] == 20)
    #expect(found.followedCount == 19)
  }
}
