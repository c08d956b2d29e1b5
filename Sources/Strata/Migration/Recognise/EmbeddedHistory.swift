import StrataExpression
package import StrataHistory
import StrataSchema

/// The history of a schema as bytes in the program, which cost nothing until a migration parses them.
public struct EmbeddedHistory: Sendable {
  private let text: StaticString

  /// Takes what code generation wrote; not meant to be written by hand.
  public init(json: StaticString) { text = json }

  /// Parses the embedded bytes.
  ///
  /// - Throws: `SchemaFormatError` where the bytes are not what this version of the library writes.
  package func parse() throws -> History {
    let json = try JSON.parse(text.withUTF8Buffer { Array($0) })
    return try History(json: json)
  }
}
