/// What a schema does not hold, because it means nothing for data: in which order and in which files things were
/// declared.
package struct DeclarationOrder: Hashable, Sendable {
  /// Model → its properties, as declared. A model that is missing here has them sorted.
  package var properties: [String: [String]]
  /// Enum → its cases, as declared.
  package var cases: [String: [String]]
  /// Model or enum → name of the file that declares it, without folder and extension.
  package var sources: [String: String]
  /// The names of all files of declarations, without folder and extension.
  package var files: [String]
  /// The one of `files` that carries the schema's header.
  package var headerFile: String?

  package init(
    properties: [String: [String]] = [:], cases: [String: [String]] = [:],
    sources: [String: String] = [:], files: [String] = [], headerFile: String? = nil
  ) {
    self.files = files
    self.headerFile = headerFile
    self.properties = properties
    self.cases = cases
    self.sources = sources
  }
}
