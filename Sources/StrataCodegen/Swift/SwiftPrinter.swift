/// Writes a `SwiftFile` the way swift-format writes it in its default configuration: two spaces, 100 columns.
package struct SwiftPrinter {
  /// The columns of a line, where it can be broken at all.
  package static let maximumColumns = 100

  private var lines: [String] = []
  private var depth = 0

  package static func text(of file: SwiftFile) -> String {
    var printer = SwiftPrinter()
    printer.write(file)
    return printer.lines.joined(separator: "\n") + "\n"
  }

  // MARK: - Lines

  private var margin: String { String(repeating: "  ", count: depth) }

  private func fits(_ text: String) -> Bool { 2 * depth + text.count <= Self.maximumColumns }

  /// Whether a line that ends with the value fits. swift-format keeps a column free for the comma that an array's last element
  /// would need.
  private func fits(_ text: String, endingWith value: SwiftExpression) -> Bool {
    fits(value.isArray ? text + "," : text)
  }

  private mutating func line(_ text: String) { lines.append(text.isEmpty ? "" : margin + text) }

  private mutating func indented(_ body: (inout SwiftPrinter) -> Void) {
    depth += 1
    body(&self)
    depth -= 1
  }

  private mutating func appendToLastLine(_ text: String) {
    guard let last = lines.popLast() else { return }
    lines.append(last + text)
  }

  // MARK: - Files

  private mutating func write(_ file: SwiftFile) {
    for text in file.header { line(text.isEmpty ? "//" : "// " + text) }
    if !file.excusedLintRules.isEmpty {
      let rules = file.excusedLintRules.sorted().joined(separator: ", ")
      line("// swift-format-ignore-file: \(rules)")
    }
    write(file.imports)
    for declaration in file.declarations {
      line("")
      write(declaration)
    }
  }

  private mutating func write(_ imports: [SwiftImport]) {
    // One block of all that is imported plainly, by name, whatever its access.
    let imports = imports.merged
    let modules = imports.compactMap { item -> (name: String, access: AccessLevel)? in
      if case .module(let name, let access) = item { (name, access) } else { nil }
    }
    let plain = modules.filter { $0.access != .package }
    if !plain.isEmpty { line("") }
    for module in plain { writeImport(of: module.name, module.access) }
    for module in modules where module.access == .package {
      line("")
      writeImport(of: module.name, .package)
    }
    for case .foundation(let access) in imports {
      line("")
      line("#if canImport(FoundationEssentials)")
      indented { $0.writeImport(of: "FoundationEssentials", access) }
      line("#else")
      indented { $0.writeImport(of: "Foundation", access) }
      line("#endif")
    }
  }

  /// An import that agrees with those of other files in the module, which may say no access level at all: without
  /// `InternalImportsByDefault` that means public, and no file may disagree with it.
  private mutating func writeImport(of module: String, _ access: AccessLevel) {
    switch access {
    case .public: line("public import \(module)")
    case .internal: line("import \(module)")
    case .package:
      line("#if hasFeature(InternalImportsByDefault)")
      indented { $0.line("package import \(module)") }
      line("#else")
      indented { $0.line("import \(module)") }
      line("#endif")
    }
  }

  // MARK: - Declarations

  private mutating func write(_ declaration: SwiftDeclaration) {
    switch declaration {
    case .type(let type): write(type)
    case .property(let property): write(property)
    case .function(let function): write(function)
    case .enumCase(let enumCase): write(enumCase)
    }
  }

  private mutating func writeDoc(_ doc: String?) {
    for text in doc.map(DocComment.lines) ?? [] { line(text.isEmpty ? "///" : "/// " + text) }
  }

  private mutating func write(_ type: SwiftType) {
    writeDoc(type.doc)
    let inherited = type.inherits.joined(separator: ", ")
    let head = "\(type.introducer) \(type.name)"
    let end = type.members.isEmpty ? "{}" : "{"
    let whole = head + (inherited.isEmpty ? " " : ": \(inherited) ") + end
    if fits(whole) || inherited.isEmpty {
      line(whole)
    } else {
      writeHead(head, inheriting: type.inherits)
      line(end)
    }
    guard !type.members.isEmpty else { return }
    indented { printer in
      for (index, member) in type.members.enumerated() {
        if index > 0, type.separates(index - 1, index) { printer.line("") }
        printer.write(member)
      }
    }
    line("}")
  }

  /// As many of the inherited types as fit beside the name, and the rest below.
  private mutating func writeHead(_ head: String, inheriting types: [String]) {
    var first = head + ":"
    var rest = types[...]
    while rest.count > 1, let next = rest.first, fits("\(first) \(next),") {
      first += " \(next),"
      rest.removeFirst()
    }
    line(first)
    indented { $0.line(rest.joined(separator: ", ")) }
  }

  private mutating func write(_ property: SwiftProperty) {
    writeDoc(property.doc)
    let head = "\(property.introducer) \(property.name)"
    guard let type = property.type else {
      if case .stored(let value?) = property.body { write(head + " =", value) }
      return
    }
    switch property.body {
    case .stored(let value):
      if fits("\(head): \(type) =") {
        guard let value else { return line("\(head): \(type)") }
        write("\(head): \(type) =", value)
      } else {
        line("\(head):")
        indented {
          if let value { $0.write("\(type) =", value) } else { $0.line(type) }
        }
      }
    case .requirement(let accessors):
      writeHead(head, type, ending: "{ \(accessors) }")
    case .getter(let value):
      let whole = "\(head): \(type) { \(value.oneLine) }"
      if fits(whole, endingWith: value) { return line(whole) }
      writeHead(head, type, ending: "{")
      indented { $0.write("", value) }
      line("}")
    case .accessors(let get, let set, let setIntroducer):
      writeHead(head, type, ending: "{")
      indented {
        $0.writeAccessor("get", get)
        $0.writeAccessor(setIntroducer, set)
      }
      line("}")
    }
  }

  private mutating func writeHead(_ head: String, _ type: String, ending: String) {
    if fits("\(head): \(type) \(ending)") {
      line("\(head): \(type) \(ending)")
    } else {
      line("\(head):")
      indented { $0.line(type) }
      line(ending)
    }
  }

  private mutating func writeAccessor(_ introducer: String, _ value: SwiftExpression) {
    let whole = "\(introducer) { \(value.oneLine) }"
    if fits(whole) { return line(whole) }
    line("\(introducer) {")
    indented { $0.write("", value) }
    line("}")
  }

  private mutating func write(_ function: SwiftFunction) {
    writeDoc(function.doc)
    let result = function.result.map { " -> \($0)" } ?? ""
    let parameters = function.parameters.map { parameter in
      "\(parameter.name): \(parameter.type)"
        + (parameter.defaultValue.map { " = \($0.oneLine)" } ?? "")
    }
    let end = function.body.isEmpty ? " {}" : " {"
    let whole =
      function.introducer + "(" + parameters.joined(separator: ", ") + ")" + result + end
    if fits(whole) || parameters.isEmpty {
      line(whole)
    } else {
      line(function.introducer + "(")
      indented { printer in
        for (index, parameter) in function.parameters.enumerated() {
          printer.write(parameter, isLast: index == function.parameters.count - 1)
        }
      }
      line(")" + result + end)
    }
    guard !function.body.isEmpty else { return }
    indented { $0.write(function.body) }
    line("}")
  }

  private mutating func write(_ parameter: SwiftParameter, isLast: Bool) {
    let comma = isLast ? "" : ","
    guard let value = parameter.defaultValue else {
      return line("\(parameter.name): \(parameter.type)\(comma)")
    }
    let head = "\(parameter.name): \(parameter.type) ="
    if fits("\(head) \(value.oneLine)\(comma)") {
      line("\(head) \(value.oneLine)\(comma)")
    } else if fits(head) {
      line(head)
      indented { $0.write("", value) }
      appendToLastLine(comma)
    } else {
      line("\(parameter.name):")
      indented { $0.write("\(parameter.type) =", value) }
      appendToLastLine(comma)
    }
  }

  private mutating func write(_ enumCase: SwiftEnumCase) {
    writeDoc(enumCase.doc)
    guard let value = enumCase.rawValue else { return line("case \(enumCase.name)") }
    write("case \(enumCase.name) =", .verbatim(value))
  }

  // MARK: - Statements and expressions

  private mutating func write(_ statements: [SwiftStatement]) {
    for statement in statements { write(statement) }
  }

  private mutating func write(_ statement: SwiftStatement) {
    switch statement {
    case .expression(let expression): write("", expression)
    case .assignment(let target, let value): write("\(target) =", value)
    case .ifPresent(let name, let body):
      line("if let \(name) {")
      indented { $0.write(body) }
      line("}")
    }
  }

  /// Writes an expression behind a beginning of its line, which may be empty.
  private mutating func write(_ head: String, _ value: SwiftExpression) {
    let start = head.isEmpty ? "" : head + " "
    if !value.containsLongText {
      if fits(start + value.oneLine, endingWith: value) { return line(start + value.oneLine) }
      if !head.isEmpty, !value.isArray, fits("  " + value.oneLine) {
        line(head)
        return indented { $0.line(value.oneLine) }
      }
    }
    switch value {
    case .verbatim(let text):
      guard !head.isEmpty else { return line(text) }
      line(head)
      indented { $0.line(text) }
    case .call(let name, let arguments):
      line("\(start)\(name)(")
      indented { printer in
        for (index, argument) in arguments.enumerated() {
          printer.write(argument.label.isEmpty ? "" : argument.label + ":", argument.value)
          if index < arguments.count - 1 { printer.appendToLastLine(",") }
        }
      }
      line(")")
    case .array(let elements):
      line(start + "[")
      indented { printer in
        for element in elements {
          printer.write("", element)
          printer.appendToLastLine(",")
        }
      }
      line("]")
    case .longText(let text):
      let literal = LongTextLiteral(text)
      line(start + literal.opening)
      // swift-format keeps a string where it finds it; the body stands one level in, where an
      // argument's continuation would.
      indented { printer in
        for part in literal.lines {
          printer.lines.append(part.isEmpty ? "" : printer.margin + part)
        }
        printer.line(literal.closing)
      }
    }
  }
}

extension SwiftType {
  /// Whether an empty line stands between two neighbouring members: cases and bare requirements stand
  /// close together, unless they are documented.
  fileprivate func separates(_ first: Int, _ second: Int) -> Bool {
    !(members[first].isTerse && members[second].isTerse)
  }
}

extension SwiftDeclaration {
  fileprivate var isTerse: Bool {
    switch self {
    case .enumCase(let enumCase): enumCase.doc == nil
    case .property(let property):
      switch property.body {
      case .requirement: property.doc == nil
      case .stored: property.doc == nil
      case .getter, .accessors: false
      }
    case .type, .function: false
    }
  }
}

extension SwiftExpression {
  /// The whole expression without a line break. Long texts have no such form.
  fileprivate var oneLine: String {
    switch self {
    case .verbatim(let text): text
    case .call(let name, let arguments):
      "\(name)("
        + arguments.map { ($0.label.isEmpty ? "" : $0.label + ": ") + $0.value.oneLine }
        .joined(separator: ", ") + ")"
    case .array(let elements): "[" + elements.map(\.oneLine).joined(separator: ", ") + "]"
    case .longText(let text): text
    }
  }

  /// Arrays are broken inside of their brackets first.
  fileprivate var isArray: Bool {
    if case .array = self { return true }
    return false
  }

  fileprivate var containsLongText: Bool {
    switch self {
    case .verbatim: false
    case .call(_, let arguments): arguments.contains { $0.value.containsLongText }
    case .array(let elements): elements.contains(where: \.containsLongText)
    case .longText: true
    }
  }
}
