import Foundation

/// Declarations of many models with twenty properties each, as YAML and as classes that somebody wrote by hand.
struct SampleSchema {
  static let propertiesOfAModel = 20

  let models: Int

  /// Declared type and Swift type of the property with this number.
  private func types(_ model: Int, _ property: Int) -> (
    declared: String, swift: String, initial: String
  ) {
    switch property % 10 {
    case 0: ("string", "String", "\"\"")
    case 1: ("int", "Int", "0")
    case 2: ("double?", "Double?", "nil")
    case 3: ("bool", "Bool", "false")
    case 4: ("date?", "Date?", "nil")
    case 5: ("[string]", "[String]", "[]")
    case 6: ("Model\((model + property) % models)?", "Model\((model + property) % models)?", "nil")
    case 7: ("uuid?", "UUID?", "nil")
    case 8: ("set<int>", "Set<Int>", "[]")
    default: ("map<double>", "[String: Double]", "[:]")
    }
  }

  func writeYAML(to folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for model in 0..<models {
      var text = model == 0 ? "schema: Sample\nversion: 0\n" : ""
      text += "models:\n  Model\(model):\n    doc: The model number \(model).\n    properties:\n"
      for property in 0..<Self.propertiesOfAModel {
        let type = types(model, property).declared
        text +=
          "      property\(property): { type: \(type), doc: The property number \(property). }\n"
      }
      try Data(text.utf8).write(to: folder.appendingPathComponent("Model\(model).yaml"))
    }
  }

  /// The same properties as plain stored ones, with the initialiser that a public class needs.
  func writeClasses(to folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for model in 0..<models {
      var text = "public import Foundation\n\n/// The model number \(model).\n"
      text += "public final class Model\(model) {\n"
      var parameters: [String] = []
      var assignments = ""
      for property in 0..<Self.propertiesOfAModel {
        let type = types(model, property)
        text += "  /// The property number \(property).\n"
        text += "  public var property\(property): \(type.swift)\n"
        parameters.append("    property\(property): \(type.swift) = \(type.initial)")
        assignments += "    self.property\(property) = property\(property)\n"
      }
      text +=
        "\n  public init(\n\(parameters.joined(separator: ",\n"))\n  ) {\n\(assignments)  }\n}\n"
      try Data(text.utf8).write(to: folder.appendingPathComponent("Model\(model).swift"))
    }
  }
}
