import StrataHistory
package import StrataSchema
package import StrataSource
import StrataYAML

/// Writes renames into the text of a step.
package enum RenameInsertion {
  /// What becomes of an old model or property.
  package typealias Rename = (old: SchemaPath, new: String)

  /// The edit that declares renames in a step's `rename:`, in the form that it has.
  ///
  /// - Parameter number: the version that the step reaches, for a file in which nothing stands yet.
  /// - Returns: nil for a text that has no place for them, such as a list.
  package static func edit(
    declaring renames: [Rename], in file: SourceFile, number: Int
  ) -> FixIt.Edit? {
    var ignored = Diagnostics()
    guard let document = YAMLComposer.compose(file, reporting: &ignored) else { return nil }
    let entries = renames.map { "\(quoted($0.old.description)): \(quoted($0.new))" }
    let list = entries.joined(separator: ", ")
    let lineBreak = file.lineBreak
    let end = file.bytes.count
    let ends = file.bytes.isEmpty || [0x0A, 0x0D].contains(file.bytes.last) ? "" : lineBreak
    func edit(_ range: Range<Int>, _ text: String, isEntry: Bool = false) -> FixIt.Edit {
      FixIt.Edit(path: file.path, range: range, replacement: text, isEntry: isEntry)
    }
    func indent(at offset: Int) -> String {
      String(repeating: " ", count: file.location(at: offset).column - 1)
    }
    guard let root = document.root else {
      let text = ["to: \(number)", "rename: { \(list) }", ""].joined(separator: lineBreak)
      return edit(end..<end, ends + text)
    }
    guard case .mapping(let keys, let isFlow) = root.content else { return nil }
    if let rename = keys.first(where: { $0.key == "rename" }) {
      switch rename.value.content {
      case .mapping(let known, let isFlow):
        guard let start = known.first?.keyRange.lowerBound else {
          return edit(rename.value.range, "{ \(list) }")
        }
        if isFlow { return edit(start..<start, list + ", ", isEntry: true) }
        let separator = lineBreak + indent(at: start)
        return edit(start..<start, entries.map { $0 + separator }.joined(), isEntry: true)
      case .scalar where rename.value.isNull:
        let range = rename.value.range
        guard range.isEmpty else { return edit(range, "{ \(list) }") }
        guard
          let colon = file.bytes[rename.keyRange.upperBound...].firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return edit(colon + 1..<colon + 1, " { \(list) }")
      default: return nil
      }
    }
    guard let start = keys.first?.keyRange.lowerBound else {
      return edit(root.range, "{ to: \(number), rename: { \(list) } }")
    }
    if isFlow { return edit(start..<start, "rename: { \(list) }, ") }
    return edit(end..<end, ends + indent(at: start) + "rename: { \(list) }" + lineBreak)
  }

  /// A name, in quotes where YAML reads it as nothing.
  private static func quoted(_ name: String) -> String {
    name.lowercased() == "null" ? "\"\(name)\"" : name
  }

  /// As `edit`, where the step says afterwards what it said before, and the renames.
  ///
  /// - Returns: nil where it would not, as behind the end of a document.
  package static func checkedEdit(
    declaring renames: [Rename], in file: SourceFile, number: Int
  ) -> FixIt.Edit? {
    guard let edit = edit(declaring: renames, in: file, number: number) else { return nil }
    var ignored = Diagnostics()
    var expected = MigrationStep(to: number)
    if !file.bytes.isEmpty {
      guard let known = StepReader.read(file, reporting: &ignored)?.step else { return nil }
      expected = known
    }
    for rename in renames {
      if rename.old.property == nil {
        expected.renames.models[rename.old.model] = rename.new
      } else {
        expected.renames.properties[rename.old] = rename.new
      }
    }
    let edited = FixItApplication.apply([edit], to: file)
    return StepReader.read(edited, reporting: &ignored)?.step == expected ? edit : nil
  }
}
