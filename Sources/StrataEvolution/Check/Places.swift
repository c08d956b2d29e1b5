package import StrataSchema
package import StrataSource

/// Where the parts of a schema are declared. The rules know no YAML: the reader of the declarations fills this in.
package struct SchemaPlaces: Sendable {
  package enum Aspect: Hashable, Sendable {
    case name
    case type
    case defaultValue
    case index
    case unique
    case deleteRule
    case generate
    /// Of a model.
    case primaryKey
    case indexes
    case uniques
    case embedded
    /// Of a model: the rule that the path's second name is.
    case rule
  }

  /// The number behind `version:`.
  package var version: SourceSpan?
  /// Where models, enums, properties and cases, or what is said of them, stand.
  package var find: @Sendable (SchemaPath, Aspect) -> SourceSpan?
  /// In which order properties are declared; nil where that is not known, as for frozen versions.
  package var order: DeclarationOrder?

  package init(
    version: SourceSpan? = nil, order: DeclarationOrder? = nil,
    find: @escaping @Sendable (SchemaPath, Aspect) -> SourceSpan? = { _, _ in nil }
  ) {
    self.version = version
    self.order = order
    self.find = find
  }

  package subscript(path: SchemaPath) -> SourceSpan? { find(path, .name) }
}

/// Where the parts of a step stand in its file.
package struct StepPlaces: Sendable {
  package enum Part: Hashable, Sendable {
    case to
    /// The old name in `rename:`, and what it becomes.
    case renamed(SchemaPath)
    case newName(SchemaPath)
    /// A new model or property in `set:`.
    case set(SchemaPath)
    /// An old model or property in `back:`.
    case back(SchemaPath)
    case delete(String)
    case deduplicate(String)
    case deduplicateBy(SchemaPath)
    /// A rule of a new model in `repair:`.
    case repair(SchemaPath)
    case drop(SchemaPath)
    case swift(String)
    /// By its place in `accept:`; its rule, and what it is about.
    case acceptedRule(Int)
    case acceptedPath(Int)
  }

  /// The bytes of a part of an expression.
  package enum Text: Hashable, Sendable {
    case value(SchemaPath)
    /// What `back:` gives an old property.
    case wayBack(SchemaPath)
    case condition(String)
    /// Of a rule's repair: a property's value, or without a property the condition for deletion.
    case repair(SchemaPath, property: String?)
  }

  package var file: SourceFile
  package var find: @Sendable (Part) -> SourceSpan?
  package var expression: @Sendable (Text, Range<Int>) -> SourceSpan?
  /// The edit of the file that declares what an old model or property is called now; nil where it cannot be made.
  package var declaration: @Sendable (_ old: SchemaPath, _ new: String) -> FixIt.Edit?

  package init(
    file: SourceFile, find: @escaping @Sendable (Part) -> SourceSpan? = { _ in nil },
    expression: @escaping @Sendable (Text, Range<Int>) -> SourceSpan? = { _, _ in nil },
    declaration: @escaping @Sendable (_ old: SchemaPath, _ new: String) -> FixIt.Edit? = { _, _ in
      nil
    }
  ) {
    self.file = file
    self.find = find
    self.expression = expression
    self.declaration = declaration
  }

  package subscript(part: Part) -> SourceSpan? { find(part) }
}
