package import StrataSchema

/// Two schemas that grew from one, made one again: what only one side changed is taken from it.
package enum SchemaMerge {
  /// - Throws: `FreezeError` that names the first thing that both sides changed in different ways.
  package static func merge(
    base: Schema, ours: Schema, theirs: Schema, version: Int
  ) throws(FreezeError) -> Schema {
    var models: [Model] = []
    let modelNames = Set((ours.models + theirs.models).map(\.name)).sorted()
    for name in modelNames {
      let merged = try merge(
        base.model(named: name), ours.model(named: name), theirs.model(named: name),
        at: SchemaPath(name)
      ) { base, ours, theirs throws(FreezeError) in
        try merge(model: base, ours, theirs)
      }
      if let merged { models.append(merged) }
    }
    var enums: [EnumType] = []
    for name in Set((ours.enums + theirs.enums).map(\.name)).sorted() {
      let merged = try merge(
        base.enumeration(named: name), ours.enumeration(named: name),
        theirs.enumeration(named: name), at: SchemaPath(name)
      ) { base, ours, theirs throws(FreezeError) in
        try merge(enumeration: base, ours, theirs)
      }
      if let merged { enums.append(merged) }
    }
    let merged = Schema(
      name: theirs.name, version: version, language: max(ours.language, theirs.language),
      models: models, enums: enums)
    return inheriting(merged, base: base, sides: [ours, theirs])
  }

  /// One thing that may be missing on any side.
  private static func merge<T: Equatable>(
    _ base: T?, _ ours: T?, _ theirs: T?, at path: SchemaPath,
    parts: (T, T, T) throws(FreezeError) -> T
  ) throws(FreezeError) -> T? {
    if ours == theirs || theirs == base { return ours }
    if ours == base { return theirs }
    guard let base, let ours, let theirs else { throw conflict(path) }
    return try parts(base, ours, theirs)
  }

  private static func field<T: Equatable>(
    _ base: T, _ ours: T, _ theirs: T, at path: SchemaPath
  ) throws(FreezeError) -> T {
    if ours == theirs || theirs == base { return ours }
    if ours == base { return theirs }
    throw conflict(path)
  }

  private static func conflict(_ path: SchemaPath) -> FreezeError {
    FreezeError(
      "STR4003", "both branches changed '\(path)', in different ways",
      help: "agree on one of the two in the declarations, then freeze without --rebase")
  }

  private static func merge(
    model base: Model, _ ours: Model, _ theirs: Model
  ) throws(FreezeError) -> Model {
    let path = SchemaPath(base.name)
    var properties: [Property] = []
    for name in Set((ours.properties + theirs.properties).map(\.name)).sorted() {
      let merged = try merge(
        base.property(named: name), ours.property(named: name), theirs.property(named: name),
        at: SchemaPath(base.name, name)
      ) { base, ours, theirs throws(FreezeError) in
        throw conflict(SchemaPath(path.model, name))
      }
      if let merged { properties.append(merged) }
    }
    var rules: [ModelRule] = []
    for name in Set((ours.rules + theirs.rules).map(\.name)).sorted() {
      let merged = try merge(
        base.rule(named: name), ours.rule(named: name), theirs.rule(named: name),
        at: SchemaPath(base.name, name)
      ) { _, _, _ throws(FreezeError) in
        throw conflict(SchemaPath(path.model, name))
      }
      if let merged { rules.append(merged) }
    }
    return Model(
      name: base.name,
      swiftName: try field(base.swiftName, ours.swiftName, theirs.swiftName, at: path),
      doc: try field(base.doc, ours.doc, theirs.doc, at: path),
      isEmbedded: try field(base.isEmbedded, ours.isEmbedded, theirs.isEmbedded, at: path),
      isAbstract: try field(base.isAbstract, ours.isAbstract, theirs.isAbstract, at: path),
      extends: try field(base.extends, ours.extends, theirs.extends, at: path),
      primaryKey: try field(base.primaryKey, ours.primaryKey, theirs.primaryKey, at: path),
      indexes: union(base.indexes, ours.indexes, theirs.indexes),
      uniques: union(base.uniques, ours.uniques, theirs.uniques), properties: properties,
      rules: rules)
  }

  /// What both have, and what one of them added.
  private static func union(
    _ base: [[String]], _ ours: [[String]], _ theirs: [[String]]
  ) -> [[String]] {
    let all = ours + theirs.filter { !ours.contains($0) }
    return all.filter { !base.contains($0) || (ours.contains($0) && theirs.contains($0)) }
  }

  private static func merge(
    enumeration base: EnumType, _ ours: EnumType, _ theirs: EnumType
  ) throws(FreezeError) -> EnumType {
    let path = SchemaPath(base.name)
    func value(_ type: EnumType, _ name: String) -> Value? {
      type.cases.first { $0.name == name }?.rawValue
    }
    var cases: [EnumType.Case] = []
    for name in Set((ours.cases + theirs.cases).map(\.name)).sorted() {
      let merged = try merge(
        value(base, name), value(ours, name), value(theirs, name), at: SchemaPath(base.name, name)
      ) { _, _, _ throws(FreezeError) in
        throw conflict(SchemaPath(path.model, name))
      }
      if let merged { cases.append(EnumType.Case(name: name, rawValue: merged)) }
    }
    return EnumType(
      name: base.name, doc: try field(base.doc, ours.doc, theirs.doc, at: path),
      rawType: try field(base.rawType, ours.rawType, theirs.rawType, at: path), cases: cases)
  }
}
