/// How generated code is to look, apart from what the schema says.
package struct GeneratorOptions: Sendable {
  /// The version that headers of generated files name.
  package static let toolVersion = "0.1.0"

  package enum Layout: String, CaseIterable, Sendable {
    /// One file for each file of declarations, which is what a build can know before it reads them.
    case source
    /// One file for each model and enum.
    case model
    /// Everything in one file.
    case single
  }

  package var access: AccessLevel
  /// Further modules that every generated file imports.
  package var imports: [String]
  package var layout: Layout

  package init(access: AccessLevel = .public, imports: [String] = [], layout: Layout = .model) {
    self.access = access
    self.imports = imports
    self.layout = layout
  }

  /// Plain ones: nothing that is generated shows anything of these modules.
  var furtherImports: [SwiftImport] { Set(imports).sorted().map { .module($0, .internal) } }
}

/// A file that was generated.
package struct GeneratedFile: Hashable, Sendable {
  /// Its name, without a folder.
  package var name: String
  package var text: String

  package init(name: String, text: String) {
    self.name = name
    self.text = text
  }
}
