/// A Swift source file as a value: what generators build, and what `SwiftPrinter` writes as text.
///
/// The model knows the few kinds of declarations that generated code consists of, not the language.
package struct SwiftFile {
  /// The file's name, without a folder.
  package var name: String
  /// Comment lines on top, without their slashes.
  package var header: [String]
  /// Rules of `swift format lint` that a name out of the declarations breaks, and that cannot be changed.
  package var excusedLintRules: Set<String> = []
  package var imports: [SwiftImport] = []
  package var declarations: [SwiftDeclaration] = []

  package init(name: String, header: [String]) {
    self.name = name
    self.header = header
  }
}

/// An import of a module.
package enum SwiftImport {
  case module(String, AccessLevel)
  /// Foundation, or the part of it that starts and links faster, where the platform has that.
  case foundation(AccessLevel)
}

extension SwiftImport {
  /// The part of Foundation that suffices, unless one of its types has to be told by the module's name from something that
  /// was declared.
  static func foundation(
    _ access: AccessLevel, unless isDeclared: (String) -> Bool
  ) -> SwiftImport {
    ["Data", "Date", "UUID", "Decimal"].contains(where: isDeclared)
      ? .module("Foundation", access) : .foundation(access)
  }
}

extension [SwiftImport] {
  /// Each module once, with the widest access that is asked for, by name; the part of Foundation last. Two imports of one module are
  /// warned of. A file that imports Foundation or FoundationEssentials by name gets no `#if` between them.
  var merged: [SwiftImport] {
    var modules: [String: AccessLevel] = [:]
    var foundation: AccessLevel?
    for item in self {
      switch item {
      case .module(let name, let access): modules[name] = access.widened(to: modules[name])
      case .foundation(let access): foundation = access.widened(to: foundation)
      }
    }
    if let access = foundation,
      let name = ["Foundation", "FoundationEssentials"].first(where: { modules[$0] != nil })
    {
      modules[name] = access.widened(to: modules[name])
      foundation = nil
    }
    return modules.sorted { $0.key < $1.key }.map { .module($0.key, $0.value) }
      + (foundation.map { [.foundation($0)] } ?? [])
  }
}

/// How far generated declarations are visible.
package enum AccessLevel: String, CaseIterable, Sendable {
  case `public`
  case package
  case `internal`

  /// The wider one of the two.
  func widened(to other: AccessLevel?) -> AccessLevel {
    let levels: [AccessLevel] = [.public, .package, .internal]
    return levels.first { $0 == self || $0 == other } ?? self
  }
}

/// A declaration of the kinds that generated code has.
package indirect enum SwiftDeclaration {
  case type(SwiftType)
  case property(SwiftProperty)
  case function(SwiftFunction)
  case enumCase(SwiftEnumCase)
}

/// A class, struct, enum, protocol or extension.
package struct SwiftType {
  package var doc: String?
  /// Everything before the name, `public final class`.
  package var introducer: String
  package var name: String
  package var inherits: [String] = []
  package var members: [SwiftDeclaration] = []

  package init(doc: String? = nil, _ introducer: String, _ name: String, inherits: [String] = []) {
    self.doc = doc
    self.introducer = introducer
    self.name = name
    self.inherits = inherits
  }
}

/// A stored or computed property.
package struct SwiftProperty {
  package enum Body {
    case stored(SwiftExpression?)
    /// A getter alone, in its braces.
    case getter(SwiftExpression)
    case accessors(get: SwiftExpression, set: SwiftExpression, setIntroducer: String)
    /// `{ get set }` of a protocol.
    case requirement(String)
  }

  package var doc: String?
  /// Everything before the name, `public static var`.
  package var introducer: String
  package var name: String
  /// Nil where the value says it.
  package var type: String?
  package var body: Body

  package init(
    doc: String? = nil, _ introducer: String, _ name: String, type: String?, _ body: Body
  ) {
    self.doc = doc
    self.introducer = introducer
    self.name = name
    self.type = type
    self.body = body
  }
}

/// A function or initialiser.
package struct SwiftFunction {
  package var doc: String?
  /// Everything before the parameters, `public convenience init`.
  package var introducer: String
  package var parameters: [SwiftParameter]
  package var result: String?
  package var body: [SwiftStatement]

  package init(
    doc: String? = nil, _ introducer: String, parameters: [SwiftParameter] = [],
    result: String? = nil, body: [SwiftStatement]
  ) {
    self.doc = doc
    self.introducer = introducer
    self.parameters = parameters
    self.result = result
    self.body = body
  }
}

package struct SwiftParameter {
  package var name: String
  package var type: String
  package var defaultValue: SwiftExpression?
}

package struct SwiftEnumCase {
  package var doc: String?
  package var name: String
  package var rawValue: String?
}

package enum SwiftStatement {
  case expression(SwiftExpression)
  case assignment(String, SwiftExpression)
  /// `if let name { … }`
  case ifPresent(String, [SwiftStatement])
}

package indirect enum SwiftExpression {
  case verbatim(String)
  /// `name(label: value)`; an empty label for none.
  case call(String, [(label: String, value: SwiftExpression)])
  case array([SwiftExpression])
  /// A text of any length and content, as a raw string over several lines.
  case longText(String)
}
