internal import CLibYAML

/// What libyaml says about a text that it cannot read.
struct YAMLReadError: Error {
  enum Kind {
    case syntax
    case notUTF8
    case controlCharacter
    case outOfMemory
  }

  var kind: Kind
  var problem: String
  var offset: Int
  /// What was being read, and where it began.
  var context: (text: String, offset: Int)?
}

/// Owns libyaml's parser and its current event; nothing else in Strata spells `yaml_`.
struct YAMLEventReader: ~Copyable {
  enum Kind {
    case streamStart
    case streamEnd
    case documentStart
    case documentEnd
    case alias
    case scalar
    case sequenceStart
    case sequenceEnd
    case mappingStart
    case mappingEnd
  }

  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let event: UnsafeMutablePointer<yaml_event_t>
  private var hasEvent = false
  private let bytes: UnsafeBufferPointer<UInt8>
  private let base: Int
  private let marks: MarkTable

  private(set) var kind = Kind.streamStart

  /// Nil where memory is short. The bytes have to outlive the reader.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, base: Int) {
    parser = .allocate(capacity: 1)
    event = .allocate(capacity: 1)
    self.bytes = bytes
    self.base = base
    marks = MarkTable(bytes, base: base)
    guard yaml_parser_initialize(parser) == 1 else {
      parser.deallocate()
      event.deallocate()
      return nil
    }
    // With the encoding set libyaml does not look for a byte order mark, which it would count or not
    // count depending on where it stands.
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(
      parser, bytes.baseAddress.map { $0 + base }, bytes.count - base)
  }

  deinit {
    if hasEvent { yaml_event_delete(event) }
    yaml_parser_delete(parser)
    parser.deallocate()
    event.deallocate()
  }

  /// Moves on to the next event; behind the end of the stream nothing follows.
  mutating func advance() throws(YAMLReadError) {
    if hasEvent { yaml_event_delete(event) }
    hasEvent = false
    guard yaml_parser_parse(parser, event) == 1 else { throw error() }
    hasEvent = true
    kind =
      switch event.pointee.type {
      case YAML_STREAM_START_EVENT: .streamStart
      case YAML_DOCUMENT_START_EVENT: .documentStart
      case YAML_DOCUMENT_END_EVENT: .documentEnd
      case YAML_ALIAS_EVENT: .alias
      case YAML_SCALAR_EVENT: .scalar
      case YAML_SEQUENCE_START_EVENT: .sequenceStart
      case YAML_SEQUENCE_END_EVENT: .sequenceEnd
      case YAML_MAPPING_START_EVENT: .mappingStart
      case YAML_MAPPING_END_EVENT: .mappingEnd
      default: .streamEnd
      }
  }

  var startOffset: Int { marks.offset(event.pointee.start_mark.index, in: bytes) }
  var endOffset: Int { marks.offset(event.pointee.end_mark.index, in: bytes) }
  var range: Range<Int> {
    let start = startOffset
    return start..<max(start, endOffset)
  }

  /// The scalar's text and style.
  var scalar: YAMLScalar {
    let data = event.pointee.data.scalar
    let style: YAMLScalar.Style =
      switch data.style {
      case YAML_SINGLE_QUOTED_SCALAR_STYLE: .singleQuoted
      case YAML_DOUBLE_QUOTED_SCALAR_STYLE: .doubleQuoted
      case YAML_LITERAL_SCALAR_STYLE, YAML_FOLDED_SCALAR_STYLE: .block
      default: .plain
      }
    let text = String(
      decoding: UnsafeBufferPointer(start: data.value, count: data.length), as: UTF8.self)
    return YAMLScalar(text, style: style)
  }

  /// Whether a list or mapping is written in brackets.
  var isFlow: Bool {
    kind == .sequenceStart
      ? event.pointee.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE
      : event.pointee.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
  }

  var hasAnchor: Bool {
    switch kind {
    case .scalar: event.pointee.data.scalar.anchor != nil
    case .sequenceStart: event.pointee.data.sequence_start.anchor != nil
    case .mappingStart: event.pointee.data.mapping_start.anchor != nil
    default: false
    }
  }

  var hasTag: Bool {
    switch kind {
    case .scalar: event.pointee.data.scalar.tag != nil
    case .sequenceStart: event.pointee.data.sequence_start.tag != nil
    case .mappingStart: event.pointee.data.mapping_start.tag != nil
    default: false
    }
  }

  /// Whether the document begins with `%YAML` or `%TAG`.
  var hasDirective: Bool {
    let data = event.pointee.data.document_start
    return kind == .documentStart
      && (data.version_directive != nil || data.tag_directives.start != data.tag_directives.end)
  }

  private func startOfBrokenCharacter(before offset: Int) -> Int {
    for start in stride(from: offset, through: max(base, offset - 3), by: -1)
    where start < bytes.count && bytes[start] >= 0xC0 {
      // A complete character before the offset is none that is broken.
      let length = bytes[start] >= 0xF0 ? 4 : bytes[start] >= 0xE0 ? 3 : 2
      return start + length > offset ? start : offset
    }
    return offset
  }

  private func error() -> YAMLReadError {
    let state = parser.pointee
    let problem = state.problem.map { String(cString: $0) } ?? "it ends too early"
    switch state.error {
    case YAML_MEMORY_ERROR:
      return YAMLReadError(kind: .outOfMemory, problem: "memory is short", offset: base)
    case YAML_READER_ERROR:
      // The reader counts bytes, everybody else characters; within a broken character it points at the byte
      // that breaks it.
      let isControl = problem.hasPrefix("control")
      let offset = min(base + state.problem_offset, bytes.count)
      return YAMLReadError(
        kind: isControl ? .controlCharacter : .notUTF8, problem: problem,
        offset: isControl ? offset : startOfBrokenCharacter(before: offset))
    default:
      let context = state.context.map {
        (String(cString: $0), marks.offset(state.context_mark.index, in: bytes))
      }
      return YAMLReadError(
        kind: .syntax, problem: problem,
        offset: marks.offset(state.problem_mark.index, in: bytes), context: context)
    }
  }
}
