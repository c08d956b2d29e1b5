package import StrataSource

/// The first station: from a text to a tree of what YAML says.
package enum YAMLComposer {
  /// How deeply lists and mappings may be nested.
  package static let maximumNesting = 32

  /// Reads a text that holds one YAML document at most. What YAML has and the language has not (anchors,
  /// tags, directives, more documents, keys that are no text) is reported, and the rest is still read.
  /// Nil where the text cannot be read at all.
  package static func compose(
    _ file: SourceFile, reporting diagnostics: inout Diagnostics
  ) -> YAMLDocument? {
    diagnostics.add(file)
    guard file.bytes.count <= SourceFile.maximumSize else {
      diagnostics.report(
        YAMLDiagnostic.fileTooLarge,
        "the file is larger than \(SourceFile.maximumSize >> 20) MiB", at: file.span(0..<0),
        help: "spread the declarations over several files of the folder")
      return nil
    }
    return file.bytes.withUnsafeBufferPointer { bytes -> YAMLDocument? in
      guard let reader = YAMLEventReader(bytes, base: file.byteOrderMarkLength) else {
        diagnostics.report(
          YAMLDiagnostic.syntax, "memory is short", at: file.span(0..<0))
        return nil
      }
      var composer = Composer(reader: reader, file: file, diagnostics: Diagnostics())
      defer { diagnostics.append(composer.diagnostics) }
      do throws(ComposeFailure) {
        return YAMLDocument(file: file, root: try composer.composeStream())
      } catch {
        if case .unreadable(let problem) = error { composer.report(problem) }
        return nil
      }
    }
  }
}

private enum ComposeFailure: Error {
  case unreadable(YAMLReadError)
  /// Reported where it was found.
  case reported
}

private struct Composer: ~Copyable {
  var reader: YAMLEventReader
  let file: SourceFile
  var diagnostics: Diagnostics
  private var depth = 0
  /// The elements and entries of all lists and mappings that are open, innermost last: each gets an array
  /// of the right size when it closes.
  private var openElements: [YAMLNode] = []
  private var openEntries: [YAMLEntry] = []

  init(reader: consuming YAMLEventReader, file: SourceFile, diagnostics: Diagnostics) {
    self.reader = reader
    self.file = file
    self.diagnostics = diagnostics
  }

  private mutating func advance() throws(ComposeFailure) {
    do {
      try reader.advance()
    } catch {
      throw .unreadable(error)
    }
  }

  mutating func composeStream() throws(ComposeFailure) -> YAMLNode? {
    try advance()  // the stream's start
    try advance()
    guard reader.kind == .documentStart else { return nil }
    if reader.hasDirective {
      diagnostics.report(
        YAMLDiagnostic.directive, "directives are not part of the language",
        at: file.span(file.rangeOfLine(file.location(at: reader.startOffset).line)),
        help: "remove the line")
    }
    try advance()
    let root = try composeNode()
    try advance()  // the document's end
    try advance()
    if reader.kind == .documentStart {
      // An empty second document has no text of its own: point at its separator.
      let range = reader.range
      diagnostics.report(
        YAMLDiagnostic.severalDocuments, "a second YAML document begins here",
        at: file.span(range), help: "a file holds one document; put the other into its own file")
    }
    return root
  }

  /// Composes the node that the current event begins, and leaves its last event as the current one.
  private mutating func composeNode() throws(ComposeFailure) -> YAMLNode {
    let range = reader.range
    if reader.hasAnchor {
      diagnostics.report(
        YAMLDiagnostic.anchor, "anchors are not part of the language",
        at: file.span(wordRange(from: range.lowerBound)),
        help: "remove the anchor and write repeated text out")
    }
    if reader.hasTag {
      diagnostics.report(
        YAMLDiagnostic.tag, "tags are not part of the language",
        at: file.span(wordRange(from: range.lowerBound)),
        help: "remove the tag; a property's type says how its values are read")
    }
    switch reader.kind {
    case .scalar:
      let isBare = !reader.hasAnchor && !reader.hasTag
      let scalar = reader.scalar
      return YAMLNode(
        .scalar(scalar),
        range: isBare && scalar.style != .block ? range : contentRange(of: range))
    case .sequenceStart: return try composeSequence(range)
    case .mappingStart: return try composeMapping(range)
    default:
      diagnostics.report(
        YAMLDiagnostic.anchor, "aliases are not part of the language", at: file.span(range),
        help: "write out what the alias stands for")
      return YAMLNode(.refused, range: range)
    }
  }

  private mutating func enter(_ range: Range<Int>) throws(ComposeFailure) {
    depth += 1
    guard depth <= YAMLComposer.maximumNesting else {
      diagnostics.report(
        YAMLDiagnostic.nestingTooDeep,
        "lists and mappings are nested more than \(YAMLComposer.maximumNesting) deep",
        at: file.span(range), help: "a schema never needs more than a few levels")
      throw .reported
    }
  }

  private mutating func composeSequence(_ opening: Range<Int>) throws(ComposeFailure) -> YAMLNode {
    let isFlow = reader.isFlow
    try enter(opening)
    let first = openElements.count
    try advance()
    while reader.kind != .sequenceEnd {
      let element = try composeNode()
      openElements.append(element)
      try advance()
    }
    depth -= 1
    let elements = Array(openElements[first...])
    openElements.removeSubrange(first...)
    let end = isFlow ? reader.endOffset : elements.last?.range.upperBound ?? opening.upperBound
    return YAMLNode(
      .sequence(elements, isFlow: isFlow),
      range: opening.lowerBound..<max(opening.lowerBound, end))
  }

  private mutating func composeMapping(_ opening: Range<Int>) throws(ComposeFailure) -> YAMLNode {
    let isFlow = reader.isFlow
    try enter(opening)
    let first = openEntries.count
    var keys = KeySet()
    try advance()
    while reader.kind != .mappingEnd {
      let key = try composeNode()
      try advance()
      var value = try composeNode()
      try advance()
      // A value of nothing stands wherever libyaml stopped looking for one.
      if value.range.isEmpty { value.range = key.range.upperBound..<key.range.upperBound }
      guard let scalar = key.scalar, !scalar.isNull else {
        reportKey(key)
        continue
      }
      if let earlier = keys.insert(scalar.text, among: openEntries[first...]) {
        diagnostics.report(
          YAMLDiagnostic.duplicateKey, "the key '\(scalar.text)' stands twice",
          at: file.span(key.range),
          labels: [
            Diagnostic.Label(
              "it stands here first", at: file.span(openEntries[first + earlier].keyRange))
          ], help: "remove one of them, or rename it")
        continue
      }
      openEntries.append(YAMLEntry(key: scalar.text, keyRange: key.range, value: value))
    }
    depth -= 1
    let entries = Array(openEntries[first...])
    openEntries.removeSubrange(first...)
    let last = entries.last.map { max($0.value.range.upperBound, $0.keyRange.upperBound) }
    let end = isFlow ? reader.endOffset : last ?? opening.upperBound
    return YAMLNode(
      .mapping(entries, isFlow: isFlow), range: opening.lowerBound..<max(opening.lowerBound, end))
  }

  private mutating func reportKey(_ key: YAMLNode) {
    guard !key.isRefused else { return }
    diagnostics.report(
      YAMLDiagnostic.keyNotText, "a key is a name, and this is \(key.kindName)",
      at: file.span(key.range), help: "write a name before the ':'")
  }

  /// The range without white space at its end, of a block's text.
  private func contentRange(of range: Range<Int>) -> Range<Int> {
    var end = range.upperBound
    while end > range.lowerBound, isSpace(file.bytes[end - 1]) { end -= 1 }
    return range.lowerBound..<end
  }

  /// From an offset to the next white space: an anchor or a tag.
  private func wordRange(from start: Int) -> Range<Int> {
    var end = start
    while end < file.bytes.count, !isSpace(file.bytes[end]), file.bytes[end] != UInt8(ascii: ",") {
      end += 1
    }
    return start..<end
  }

  private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  mutating func report(_ error: YAMLReadError) {
    let end = min(error.offset + 1, file.bytes.count)
    var range = min(error.offset, end)..<end
    // Never half a character.
    while range.upperBound < file.bytes.count, file.bytes[range.upperBound] & 0xC0 == 0x80 {
      range = range.lowerBound..<range.upperBound + 1
    }
    switch error.kind {
    case .notUTF8:
      diagnostics.report(
        YAMLDiagnostic.notUTF8, "the text is not UTF-8: \(error.problem)", at: file.span(range),
        help: "save the file as UTF-8")
    case .controlCharacter:
      let code = file.bytes[range].first.map { String($0, radix: 16, uppercase: true) } ?? "?"
      diagnostics.report(
        YAMLDiagnostic.controlCharacter,
        "the text holds a control character (first byte 0x\(code))", at: file.span(range),
        help: "remove it; in a double-quoted text it is written as an escape, \"\\x07\"")
    case .syntax, .outOfMemory:
      let explained = YAMLProblem.explain(error.problem)
      var labels: [Diagnostic.Label] = []
      if let context = error.context, context.offset != error.offset {
        labels.append(
          Diagnostic.Label(
            YAMLProblem.explain(context: context.text),
            at: file.span(context.offset..<min(context.offset + 1, file.bytes.count)))
        )
      }
      diagnostics.report(
        YAMLDiagnostic.syntax, explained.message, at: file.span(range), labels: labels,
        help: explained.help)
    }
  }
}

/// Finds a key's earlier place. Keys are compared by a hash of their bytes first: one after the other in
/// small mappings, by a table in large ones.
private struct KeySet {
  /// Up to this many keys going through them is faster than a table.
  private static let listedCount = 48
  private var hashes: [UInt64] = []
  private var places: [UInt64: Int] = [:]

  /// The place of the same key among the entries so far, or nil for a new one, which is the next.
  mutating func insert(_ key: String, among entries: ArraySlice<YAMLEntry>) -> Int? {
    let index = entries.count
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325  // FNV-1a
    for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    if let candidate = index < Self.listedCount ? hashes.firstIndex(of: hash) : places[hash] {
      // Bytes, because strings are equal already when they are canonically equivalent. Where another key
      // has the same hash, which takes an input that was made for it, all keys are compared.
      let start = entries.startIndex
      if entries[start + candidate].key.utf8.elementsEqual(key.utf8) { return candidate }
      if let found = entries.firstIndex(where: { $0.key.utf8.elementsEqual(key.utf8) }) {
        return found - start
      }
    }
    if index < Self.listedCount {
      hashes.append(hash)
      return nil
    }
    if places.isEmpty {
      for (index, hash) in hashes.enumerated() { places[hash] = index }
    }
    places[hash] = index
    return nil
  }
}
