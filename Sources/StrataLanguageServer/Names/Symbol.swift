package import StrataSchema

/// What a name in a file stands for.
package enum Symbol: Hashable, Sendable {
  case model(String)
  case enumeration(String)
  /// A property by the model that declares it.
  case property(SchemaPath)
  case enumCase(SchemaPath)

  /// The name alone.
  var name: String {
    switch self {
    case .model(let name), .enumeration(let name): name
    case .property(let path), .enumCase(let path): path.property ?? path.model
    }
  }

  var path: SchemaPath {
    switch self {
    case .model(let name), .enumeration(let name): SchemaPath(name)
    case .property(let path), .enumCase(let path): path
    }
  }
}

/// A symbol of one version.
package struct ScopedSymbol: Hashable, Sendable {
  /// The number of a frozen version; nil for the working schema.
  package var version: Int?
  package var symbol: Symbol
}

/// A place where a symbol is named.
package struct Occurrence: Hashable, Sendable {
  package var symbol: ScopedSymbol
  package var path: String
  package var range: Range<Int>
  package var isDeclaration: Bool
}
