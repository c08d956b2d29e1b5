package import StrataSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The part of JSON Schema that docs/json uses: what is wrong with a value, by path.
package struct JSONSchema {
  let schema: JSON

  package init(schema: JSON) { self.schema = schema }

  /// That of a command: `docs/json/NAME.schema.json`.
  package init(ofCommand name: String) throws {
    // This file is Tests/StrataTestSupport/JSONSchema.swift.
    let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
      .joined(separator: "/")
    let bytes = try Data(contentsOf: URL(filePath: "\(root)/docs/json/\(name).schema.json"))
    schema = try JSON.parse(String(decoding: bytes, as: UTF8.self))
  }

  package func problems(_ value: JSON) -> [String] { problems(value, schema, "$") }

  private func problems(_ value: JSON, _ schema: JSON, _ path: String) -> [String] {
    var result: [String] = []
    if let constant = schema["const"], constant != value {
      result.append("\(path) is not \(constant)")
    }
    if let list = schema["enum"]?.array, !list.contains(value) {
      result.append("\(path) is none of \(list)")
    }
    let types =
      schema["type"]?.array?.compactMap(\.string) ?? schema["type"]?.string.map { [$0] } ?? []
    if !types.isEmpty, !types.contains(where: { value.isOfType($0) }) {
      return result + ["\(path) is not \(types.joined(separator: " or "))"]
    }
    if let minimum = schema["minimum"]?.int, let number = value.int, number < minimum {
      result.append("\(path) is less than \(minimum)")
    }
    if let pattern = schema["pattern"]?.string, let text = value.string {
      let prefix = pattern.drop { $0 == "^" }.prefix { $0.isLetter || $0.isNumber && $0 != "[" }
      if !text.hasPrefix(String(prefix.prefix { $0 != "[" })) {
        result.append("\(path) is not \(pattern)")
      }
    }
    if let choices = schema["anyOf"]?.array {
      let answers = choices.map { problems(value, $0, path) }
      if !answers.contains([]) { result += answers.flatMap { $0 } }
    }
    if case .object(let members) = value {
      let known = schema["properties"]?.object ?? [:]
      for name in schema["required"]?.array?.compactMap(\.string) ?? [] where members[name] == nil {
        result.append("\(path).\(name) is missing")
      }
      for (name, member) in members {
        if let inner = known[name] {
          result += problems(member, inner, "\(path).\(name)")
        } else if let other = schema["additionalProperties"], other.object != nil {
          result += problems(member, other, "\(path).\(name)")
        } else if schema["additionalProperties"]?.bool == false {
          result.append("\(path).\(name) is unknown")
        }
      }
    }
    if case .array(let elements) = value, let inner = schema["items"] {
      for (index, element) in elements.enumerated() {
        result += problems(element, inner, "\(path)[\(index)]")
      }
    }
    return result
  }
}

extension JSON {
  fileprivate func isOfType(_ name: String) -> Bool {
    switch (self, name) {
    case (.null, "null"), (.bool, "boolean"), (.int, "integer"), (.int, "number"),
      (.double, "number"),
      (.string, "string"), (.array, "array"), (.object, "object"):
      true
    default: false
    }
  }
}
