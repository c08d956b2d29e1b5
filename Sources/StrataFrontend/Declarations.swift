package import StrataExpression
package import StrataSchema
import StrataSource
package import StrataYAML

// What the YAML says, piece by piece and with places, before anything is looked up.

/// A value and the bytes that say it.
package struct Located<Value: Sendable>: Sendable {
  package var value: Value
  package var range: Range<Int> { compactRange.range }

  private let compactRange: ByteRange

  package init(_ value: Value, at range: Range<Int>) {
    self.value = value
    self.compactRange = ByteRange(range)
  }
}

/// `schema:`, `version:` and `language:`.
package struct HeaderDeclaration: Sendable {
  /// The index of the file that says it.
  package var file: Int
  /// All keys of the header, from the first one on, for messages about the header as such.
  package var range: Range<Int>
  package var name: Located<String>?
  package var version: Located<Int>?
  package var language: Located<Int>?
  /// Whether a key is there, even if what it says is wrong and was reported.
  package var hasName = false
  package var hasVersion = false
}

package enum ModelKey: String, CaseIterable, Hashable, Sendable {
  case doc
  case primaryKey
  case embedded
  case extends
  case abstract
  case indexes
  case unique
  case swiftName
  case rules
  case properties
}

package enum RuleKey: String, CaseIterable, Hashable, Sendable {
  case that
  case says
}

package enum PropertyKey: String, CaseIterable, Hashable, Sendable {
  case type
  case `default`
  case indexed
  case unique
  case ignored
  case deleteRule
  case linkingObjects
  case generate
  case swiftName
  case doc
}

package enum EnumKey: String, CaseIterable, Hashable, Sendable {
  case doc
  case type
  case cases
}

/// Several property names that count together, in order: a compound index or uniqueness.
package struct CompoundDeclaration: Sendable {
  package var names: [Located<String>]
  package var range: Range<Int>

  /// The names alone.
  package var properties: [String] { names.map(\.value) }
}

package struct ModelDeclaration: Sendable {
  /// The index of the file that declares it.
  package var file: Int
  package var name: Located<String>
  package var doc: String?
  package var swiftName: Located<String>?
  package var isEmbedded: Located<Bool>?
  package var isAbstract: Located<Bool>?
  package var extends: Located<String>?
  package var primaryKey: CompoundDeclaration?
  package var indexes: [CompoundDeclaration] = []
  package var uniques: [CompoundDeclaration] = []
  package var properties: [PropertyDeclaration] = []
  package var rules: [RuleDeclaration] = []
  /// Where each key that is written has its value.
  package var keys: [(key: ModelKey, value: Range<Int>)] = []

  package init(file: Int, name: Located<String>) {
    self.file = file
    self.name = name
  }
}

/// A condition that every object of a model keeps, under its name.
package struct RuleDeclaration: Sendable {
  package var name: Located<String>
  /// Nil where there is none or it cannot be parsed, which was reported.
  package var condition: Expression?
  package var sentence: Located<String>?
  /// The condition as it is written, to find its parts.
  package internal(set) var text: (scalar: YAMLScalar, range: Range<Int>)?

  init(name: Located<String>) { self.name = name }
}

package struct PropertyDeclaration: Sendable {
  package var file: Int { Int(compactFile) }
  private let compactFile: UInt32
  package var name: Located<String>
  /// Nil where there is none or what stands there is none, which was reported.
  package var type: TypeSyntax?
  /// Nil for the short form, which has nothing but a type.
  package var details: PropertyDetails?

  package init(file: Int, name: Located<String>) {
    self.compactFile = UInt32(file)
    self.name = name
  }
}

/// What the long form of a property says besides its type. A class, because most properties have none of
/// it, and declarations are passed around a lot.
package final class PropertyDetails: Sendable {
  package let contents: Contents

  init(_ contents: Contents) { self.contents = contents }

  package struct Contents: Sendable {
    package var inverse: InverseSyntax?
    package var defaultValue: YAMLNode?
    package var index: Located<Property.Index>?
    package var isUnique: Located<Bool>?
    package var isIgnored: Located<Bool>?
    package var deleteRule: Located<Property.DeleteRule>?
    package var generate: Located<Property.Generator>?
    package var swiftName: Located<String>?
    package var doc: String?
    /// Where each key that is written stands, and its value.
    package var keys: [(key: PropertyKey, range: Range<Int>, value: Range<Int>)] = []

    package func key(_ key: PropertyKey) -> (range: Range<Int>, value: Range<Int>)? {
      keys.first { $0.key == key }.map { ($0.range, $0.value) }
    }
  }
}

extension PropertyDeclaration {
  package var inverse: InverseSyntax? { details?.contents.inverse }
}

/// `Person.boss` behind `linkingObjects:`.
package struct InverseSyntax: Sendable {
  package var model: String
  package var property: String
  package var range: Range<Int>
}

package struct EnumDeclaration: Sendable {
  package struct Case: Sendable {
    package var name: Located<String>
    /// The raw value as it is written; nil in a list of names.
    package var rawValue: YAMLNode?
  }

  package var file: Int
  package var name: Located<String>
  package var doc: String?
  package var rawType: Located<EnumType.RawType>?
  /// Nil where the cases could not be read, which was reported.
  package var cases: [Case]?
  package var casesRange: Range<Int>?

  package init(file: Int, name: Located<String>) {
    self.file = file
    self.name = name
  }

  /// What a case is stored as, as it is written or would be.
  package func storedText(of name: String) -> String? {
    guard let cases, let position = cases.firstIndex(where: { $0.name.value == name }) else {
      return nil
    }
    if let written = cases[position].rawValue { return written.scalar?.text }
    return rawType?.value == .int ? String(position) : name
  }
}
