package import Strata
package import StrataSQLite
import StrataSchema

/// Writes all objects of a database as JSON lines, model by model in identity order.
///
/// A line is one object: `{"$id":7,"$model":"Person","dogs":[{"$id":9}],"fullName":"Ada"}`. `$id` is the object's identity, which
/// links name; embedded objects stand inside their owner. The keys cannot clash with properties, whose names are identifiers.
///
/// Lines are written piece by piece as they are read: an object may own more than memory holds.
package final class ObjectExporter {
  /// Bytes that are collected before they are written.
  private static let pieceSize = 1 << 16

  private let database: Database
  private let schema: Schema
  private let write: (String) throws -> Void
  private var piece: [UInt8] = []
  private var forms: [String: Form] = [:]
  /// The embedded objects within which the one stands that is written.
  private var outer: [Int64] = []
  /// Bytes that were written.
  private var written = 0
  private var problems = ExportProblems()
  private let longestLine: Int
  /// Whether a link may lead to an object that is not there. Sound files have none, and are not asked about each link.
  private var mayDangle = false
  /// Whether the line that is written has null in the place of a required link.
  private var isIncomplete = false

  /// How a model's objects are read and written.
  private struct Form {
    struct Member {
      let property: Property
      let type: ValueType
      /// The name in quotes with its colon.
      let name: [UInt8]
      /// The position in `Model.storedProperties`.
      let position: Int
    }

    let model: Model
    /// In the order of their names.
    let members: [Member]
    /// Reads one object.
    let selection: TableReader.Selection
  }

  /// - Parameters:
  ///   - path: a file that is not changed.
  ///   - shownPath: what the file is called in errors, where it is a copy of another one; nil for its own name.
  ///   - longestLine: bytes of a line that an import takes.
  ///   - write: gets the text piece by piece; lines end with a line break.
  /// - Throws: `MigrationError` that names a link that leads to no object, or an object whose line is longer, when all lines are written.
  package static func exportPieces(
    of path: String, shownAs shownPath: String? = nil, target: UpgradeTarget?,
    models: [String] = [], files: any FileOperations = POSIXFiles(),
    longestLine: Int = ObjectImporter.maximumLineLength, to write: @escaping (String) throws -> Void
  ) throws {
    let name = shownPath ?? path
    let inspector = FileInspector(files: files)
    // Lines go out before all are read.
    try inspector.readingOnce(path, isLocked: true) { database in
      let stored = try inspector.stored(in: database, path: path)
      if let target { _ = try target.version(of: stored, path: name) }
      for model in models {
        guard let reason = stored.schema.reasonAgainstLines(of: model) else { continue }
        throw MigrationError(.unknownVersion, "\(name) \(reason).")
      }
      let exporter = ObjectExporter(
        database, stored.schema, longestLine: longestLine, write)
      // A part of the file that cannot be looked at may hold one, too.
      exporter.mayDangle =
        (try? LinkSurvey(database: database, schema: stored.schema).isSound()) != true
      for model in stored.schema.storedModels where !model.isEmbedded {
        guard models.isEmpty || models.contains(model.name) else { continue }
        try exporter.export(model)
      }
      try exporter.flush()
      // Other programs read such lines, too: they are written, and what comes behind them.
      if let problem = exporter.problems.error(name, longestLine: longestLine) { throw problem }
    }
  }

  /// The lines of models of an open database, one after the other.
  static func lines(
    of database: Database, _ schema: Schema, _ models: [Model],
    to write: @escaping (JSON) throws -> Void
  ) throws {
    var rest: [UInt8] = []
    let exporter = ObjectExporter(database, schema) { piece in
      for byte in piece.utf8 {
        guard byte == UInt8(ascii: "\n") else {
          rest.append(byte)
          continue
        }
        try write(try JSON.parse(rest))
        rest.removeAll(keepingCapacity: true)
      }
    }
    for model in models { try exporter.export(model) }
    try exporter.flush()
  }

  /// The same with a whole line at a time, without its break.
  package static func export(
    _ path: String, target: UpgradeTarget?, models: [String] = [],
    files: any FileOperations = POSIXFiles(), to write: @escaping (String) throws -> Void
  ) throws {
    var rest = ""
    try exportPieces(of: path, target: target, models: models, files: files) { piece in
      var lines = piece.split(separator: "\n", omittingEmptySubsequences: false)
      let last = lines.removeLast()
      for line in lines {
        try write(rest + line)
        rest = ""
      }
      rest += last
    }
  }

  private init(
    _ database: Database, _ schema: Schema, longestLine: Int = .max,
    _ write: @escaping (String) throws -> Void
  ) {
    self.database = database
    self.schema = schema
    self.longestLine = longestLine
    self.write = write
  }

  // MARK: - Objects

  private func export(_ model: Model) throws {
    let form = form(of: model)
    let reader = try TableReader(model: model, schema: schema, database: database, in: "main")
    let cursors = try form.members.map { member in
      try member.property.type.isCollection ? cursor(of: member.property, model) : nil
    }
    while try reader.next() {
      let start = written + piece.count
      let place = ExportProblems.Place(model: model.name, identity: reader.identity)
      isIncomplete = false
      append("{\"$id\":\(reader.identity),\"$model\":")
      JSON.write(model.name, to: &piece)
      for (member, cursor) in zip(form.members, cursors) {
        piece.append(UInt8(ascii: ","))
        try append(member, of: reader, cursor)
      }
      append("}\n")
      // The line break is none of the line.
      let bytes = written + piece.count - start - 1
      if bytes > longestLine { problems.add(tooLong: place, bytes: bytes) }
      if isIncomplete { problems.add(incomplete: place) }
      try flushIfFull()
    }
  }

  private func form(of model: Model) -> Form {
    if let form = forms[model.name] { return form }
    let members = model.storedProperties.enumerated().compactMap { position, property in
      property.type.valueType.map { type in
        var name: [UInt8] = []
        JSON.write(property.name, to: &name)
        return Form.Member(
          property: property, type: type, name: name + [UInt8(ascii: ":")], position: position)
      }
    }
    let form = Form(
      model: model,
      members: members.sorted {
        $0.property.name.utf8.lexicographicallyPrecedes($1.property.name.utf8)
      },
      selection: TableReader.Selection(
        model: model, schema: schema, in: "main", condition: "_row = ?"))
    forms[model.name] = form
    return form
  }

  private func cursor(
    of property: Property, _ model: Model, owner: Int64? = nil
  ) throws -> CollectionCursor {
    try CollectionCursor(
      property: property, model: model, schema: schema, database: database, "main", owner: owner)
  }

  private func append(
    _ member: Form.Member, of reader: TableReader, _ cursor: CollectionCursor?
  ) throws {
    piece += member.name
    guard let cursor else {
      let value = try reader.value(at: member.position)
      if value.isNull, !member.type.isOptional, member.type.base != .scalar(.any) {
        throw FileDamage(
          """
          \(reader.model.name) _row \(reader.identity) has no value in \(member.property.name), which is required
          """)
      }
      let isThere = try isThere(value, of: member, in: reader)
      if !isThere, !member.type.isOptional, member.type.base != .scalar(.any) {
        isIncomplete = true
      }
      return try append(isThere ? value : .null, member.type)
    }
    try cursor.begin(reader.identity)
    var isMap = false
    if case .map = member.property.type { isMap = true }
    var isFirst = true
    append(isMap ? "{" : "[")
    while try cursor.next() {
      let value = try cursor.value()
      guard try isThere(value, of: member, in: reader) else { continue }
      if !isFirst { piece.append(UInt8(ascii: ",")) }
      isFirst = false
      if isMap {
        JSON.write(cursor.key ?? "", to: &piece)
        piece.append(UInt8(ascii: ":"))
      }
      try append(value, member.type)
      try flushIfFull()
    }
    append(isMap ? "}" : "]")
  }

  private func append(_ value: Value, _ type: ValueType) throws {
    switch value {
    case .link(let identity):
      guard let name = type.base.objectName, let model = schema.model(named: name),
        model.isEmbedded
      else { return append("{\"$id\":\(identity)}") }
      try appendEmbedded(model, identity)
    case .object(let model, let identity):
      JSON.object(["$model": .string(model), "$id": .int(identity)]).write(to: &piece)
    default:
      JSONCoding.json(value, as: schema.storedScalar(of: type.base) ?? .any).write(to: &piece)
    }
  }

  /// Whether a value is no link, or one to an object that is there. That an embedded object is missing is found where it is read.
  private func isThere(
    _ value: Value, of member: Form.Member, in reader: TableReader
  ) throws -> Bool {
    let target: ExportProblems.Place
    switch value {
    case .link(let identity):
      guard mayDangle, let name = member.type.base.objectName,
        schema.model(named: name)?.isEmbedded == false
      else { return true }
      target = .init(model: name, identity: identity)
    // No foreign key sees to it that the object is there.
    case .object(let model, let identity): target = .init(model: model, identity: identity)
    default: return true
    }
    if try exists(target.model, target.identity) { return true }
    problems.add(
      linkOf: .init(model: reader.model.name, identity: reader.identity), member.property.name,
      to: target)
    return false
  }

  private func exists(_ model: String, _ identity: Int64) throws -> Bool {
    guard schema.model(named: model)?.isAbstract == false else { return false }
    return try database.firstValue(
      "SELECT 1 FROM main.\(SQL.identifier(model)) WHERE _row = ?", .integer(identity)) != nil
  }

  private func appendEmbedded(_ model: Model, _ identity: Int64) throws {
    let form = form(of: model)
    // A cursor may need another one of the same text for what is embedded deeper.
    let statement = try database.borrowStatement(form.selection.sql)
    defer { database.returnStatement(statement) }
    let reader = TableReader(form.selection, statement)
    try statement.bind(identity, at: 1)
    guard try reader.next() else {
      throw FileDamage("\(model.name) _row \(identity) is missing, which another object embeds")
    }
    guard !outer.contains(identity) else {
      throw FileDamage("\(model.name) _row \(identity) is embedded in itself")
    }
    guard outer.count < ObjectImporter.maximumDepth else {
      throw MigrationError(
        .inputOutput,
        "\(model.name) _row \(identity) stands more than \(ObjectImporter.maximumDepth) deep in embedded objects: JSON that is nested so deep could not be imported again.",
        model: model.name, identity: identity)
    }
    outer.append(identity)
    defer { outer.removeLast() }
    append("{")
    for (index, member) in form.members.enumerated() {
      if index > 0 { piece.append(UInt8(ascii: ",")) }
      let cursor =
        member.property.type.isCollection
        ? try self.cursor(of: member.property, model, owner: identity) : nil
      try append(member, of: reader, cursor)
    }
    append("}")
  }

  // MARK: - Pieces

  private func append(_ text: String) { piece += text.utf8 }

  private func flushIfFull() throws {
    if piece.count >= Self.pieceSize { try flush() }
  }

  private func flush() throws {
    try write(String(decoding: piece, as: UTF8.self))
    written += piece.count
    piece.removeAll(keepingCapacity: true)
  }
}

extension BaseType {
  /// The model of a link; nil for a scalar or an enum.
  var objectName: String? {
    if case .object(let name) = self { return name }
    return nil
  }
}
