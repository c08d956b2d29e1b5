package import StrataSource

/// A part of a YAML text: what it says, and which bytes say it.
package struct YAMLNode: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case scalar(YAMLScalar)
    case sequence([YAMLNode], isFlow: Bool)
    case mapping([YAMLEntry], isFlow: Bool)
    /// Something that the language does not have and that was reported, such as an alias. Code that meets
    /// it says nothing more about it.
    case refused
  }

  package var content: Content
  /// From the first to behind the last byte that belongs to the node, quotes and brackets included, white
  /// space and comments around it not.
  package var range: Range<Int> {
    get { compactRange.range }
    set { compactRange = ByteRange(newValue) }
  }

  private var compactRange: ByteRange

  package init(_ content: Content, range: Range<Int>) {
    self.content = content
    self.compactRange = ByteRange(range)
  }
}

/// Text, with the style that tells a number from a string of digits.
package struct YAMLScalar: Hashable, Sendable {
  package enum Style: Hashable, Sendable {
    case plain
    case singleQuoted
    case doubleQuoted
    /// `|` or `>`.
    case block
  }

  package var text: String
  package var style: Style

  package init(_ text: String, style: Style) {
    self.text = text
    self.style = style
  }

  package var isPlain: Bool { style == .plain }

  /// Nothing at all, `~` or `null`, unquoted.
  package var isNull: Bool {
    isPlain && (text.isEmpty || text == "~" || text == "null" || text == "Null" || text == "NULL")
  }
}

/// A key of a mapping and its value.
package struct YAMLEntry: Hashable, Sendable {
  package var key: String
  package var keyRange: Range<Int> { compactKeyRange.range }
  package var value: YAMLNode

  private let compactKeyRange: ByteRange

  package init(key: String, keyRange: Range<Int>, value: YAMLNode) {
    self.key = key
    self.compactKeyRange = ByteRange(keyRange)
    self.value = value
  }
}

extension YAMLNode {
  package var scalar: YAMLScalar? {
    if case .scalar(let scalar) = content { return scalar }
    return nil
  }

  package var isNull: Bool { scalar?.isNull ?? false }

  package var isRefused: Bool {
    if case .refused = content { return true }
    return false
  }

  /// What the node is, in a user's words: "a list".
  package var kindName: String {
    switch content {
    case .scalar(let scalar): scalar.isNull ? "nothing" : "'\(scalar.text)'"
    case .sequence: "a list"
    case .mapping: "a mapping"
    case .refused: "something that is not allowed here"
    }
  }
}

/// A YAML text as a tree.
package struct YAMLDocument: Sendable {
  package var file: SourceFile
  /// Nil for a text that says nothing.
  package var root: YAMLNode?

  package init(file: SourceFile, root: YAMLNode?) {
    self.file = file
    self.root = root
  }
}
