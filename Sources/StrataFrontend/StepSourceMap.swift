package import StrataSchema
package import StrataSource
import StrataYAML

/// Where each part of a step stands in its file.
package struct StepSourceMap: Sendable {
  package let file: SourceFile
  /// The number behind `to:`.
  package var to: SourceSpan?
  /// Old names in `rename:`.
  package var renamedFrom: [SchemaPath: SourceSpan] = [:]
  /// New names in `rename:`, by old path.
  package var renamedTo: [SchemaPath: SourceSpan] = [:]
  /// New models in `set:`, and new properties in them.
  package var set: [SchemaPath: SourceSpan] = [:]
  /// Old models in `back:`, and old properties in them.
  package var back: [SchemaPath: SourceSpan] = [:]
  /// Old models in `delete:`.
  package var delete: [String: SourceSpan] = [:]
  /// Old models in `deduplicate:`.
  package var deduplicate: [String: SourceSpan] = [:]
  /// What stands behind them there.
  package var deduplicateRule: [String: SourceSpan] = [:]
  /// Old properties behind `by:`, by model.
  package var deduplicateBy: [SchemaPath: SourceSpan] = [:]
  /// Rules of new models in `repair:`.
  package var repair: [SchemaPath: SourceSpan] = [:]
  package var drop: [SchemaPath: SourceSpan] = [:]
  /// New models behind `swift:`.
  package var swift: [String: SourceSpan] = [:]
  /// In the order of `MigrationStep.accept`: the rule's name and the path.
  package var accept: [(rule: SourceSpan, at: SourceSpan)] = []

  private var expressions: [SchemaPath: (scalar: YAMLScalar, range: Range<Int>)] = [:]
  private var waysBack: [SchemaPath: (scalar: YAMLScalar, range: Range<Int>)] = [:]
  private var conditions: [String: (scalar: YAMLScalar, range: Range<Int>)] = [:]

  private struct RepairPart: Hashable {
    var rule: SchemaPath
    /// Nil for the condition of those that are deleted.
    var property: String?
  }

  private var repairs: [RepairPart: (scalar: YAMLScalar, range: Range<Int>)] = [:]

  init(file: SourceFile) { self.file = file }

  mutating func addRepair(_ node: YAMLNode, of rule: SchemaPath, property: String?) {
    repairs[RepairPart(rule: rule, property: property)] = node.scalar.map { ($0, node.range) }
  }

  /// A part of an expression in `repair:`; of a property's value, or of the condition for deletion without a property.
  package func span(
    ofRepairOf rule: SchemaPath, property: String?, part: Range<Int>
  ) -> SourceSpan? {
    repairs[RepairPart(rule: rule, property: property)].map { place(part, of: $0) }
  }

  mutating func addExpression(_ node: YAMLNode, for path: SchemaPath) {
    expressions[path] = node.scalar.map { ($0, node.range) }
  }

  mutating func addWayBack(_ node: YAMLNode, for path: SchemaPath) {
    waysBack[path] = node.scalar.map { ($0, node.range) }
  }

  mutating func addCondition(_ node: YAMLNode, for model: String) {
    conditions[model] = node.scalar.map { ($0, node.range) }
  }

  /// A part of the expression that `set:` gives a new property; all of it without a part.
  package func span(ofExpressionFor path: SchemaPath, part: Range<Int>? = nil) -> SourceSpan? {
    expressions[path].map { place(part, of: $0) }
  }

  /// A part of the expression that `back:` gives an old property; all of it without a part.
  package func span(ofWayBackFor path: SchemaPath, part: Range<Int>? = nil) -> SourceSpan? {
    waysBack[path].map { place(part, of: $0) }
  }

  /// A part of the condition that `delete:` gives an old model; all of it without a part.
  package func span(ofConditionFor model: String, part: Range<Int>? = nil) -> SourceSpan? {
    conditions[model].map { place(part, of: $0) }
  }

  private func place(
    _ part: Range<Int>?, of text: (scalar: YAMLScalar, range: Range<Int>)
  ) -> SourceSpan {
    guard let part else { return file.span(text.range) }
    return file.span(text.scalar.place(of: part, at: text.range, in: file))
  }
}
