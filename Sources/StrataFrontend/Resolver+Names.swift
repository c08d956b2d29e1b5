import StrataSchema
import StrataSource

extension Resolver {
  /// The names of models and enums, which share one scope, and those of each model's properties and of
  /// each enum's cases.
  mutating func collectNames() {
    var types = NameScope()
    modelIndexes.reserveCapacity(models.count)
    types.folded.reserveCapacity(models.count + enums.count)
    types.swift.reserveCapacity(models.count + enums.count)
    for (index, model) in models.enumerated() {
      guard
        declareType(
          model.name, swiftName: model.swiftName, canBeRenamed: true, in: model.file, scope: &types)
      else { continue }
      modelIndexes[model.name.value] = index
      declaredModels.insert(index)
    }
    for (index, declared) in enums.enumerated()
    where declareType(
      declared.name, swiftName: nil, canBeRenamed: false, in: declared.file, scope: &types)
    {
      enumIndexes[declared.name.value] = index
    }
    typeMeanings.reserveCapacity(models.count + enums.count + ScalarType.allCases.count)
    for (name, index) in modelIndexes { typeMeanings[name] = .model(index) }
    for (name, index) in enumIndexes { typeMeanings[name] = .enumeration(index) }
    // One that shares a name with a scalar is reported where it is declared; the scalar is meant.
    for type in ScalarType.allCases { typeMeanings[type.rawValue] = .scalar(type) }
  }

  /// - Parameter canBeRenamed: whether the declaration may have a `swiftName`, as a model may and an enum may not.
  private mutating func declareType(
    _ name: Located<String>, swiftName: Located<String>?, canBeRenamed: Bool, in file: Int,
    scope: inout NameScope
  ) -> Bool {
    let isFirst = declare(name, in: file, scope: &scope)
    if let swiftName {
      if checkIdentifier(swiftName, what: "a Swift class", in: file) {
        checkSwift(swiftName, in: file, reserved: Names.reservedTypes, canBeRenamed: false)
        declareSwift(swiftName, isExplicit: true, in: file, scope: &scope)
      }
    } else {
      declareSwift(name, isExplicit: false, in: file, scope: &scope)
    }
    guard checkIdentifier(name, what: "a model or enum", in: file) else { return isFirst }
    if ScalarType(rawValue: name.value) != nil || name.value == "set" || name.value == "map" {
      report(
        DeclarationDiagnostic.nameTaken, "'\(name.value)' is a type of the language",
        at: name.range, in: file, help: "choose another name")
    } else if swiftName == nil {
      checkSwift(name, in: file, reserved: Names.reservedTypes, canBeRenamed: canBeRenamed)
    }
    checkSchemaType(swiftName ?? name, in: file)
    return isFirst
  }

  private mutating func checkSchemaType(_ name: Located<String>, in file: Int) {
    guard let schema = headers.first?.name?.value, name.value.hasPrefix(schema) else { return }
    let what: String
    switch name.value.dropFirst(schema.count) {
    case "Schema": what = "the schema itself"
    // A frozen version cannot be changed any more, and has no class beside the migrations.
    case "Migrations" where !isFrozen: what = "the schema's migrations"
    default: return
    }
    report(
      DeclarationDiagnostic.reservedIdentifier, "'\(name.value)' is the Swift type of \(what)",
      at: name.range, in: file, help: "choose another name")
  }

  /// Of models that are declared twice, only those of the first.
  mutating func checkPropertyNames(ofModel index: Int) {
    guard declaredModels.contains(index) else { return }
    let model = models[index]
    if model.properties.count > SchemaCompiler.maximumProperties {
      let first = model.properties[SchemaCompiler.maximumProperties]
      report(
        DeclarationDiagnostic.nameLimit,
        "'\(model.name.value)' has \(model.properties.count) properties, more than "
          + "\(SchemaCompiler.maximumProperties)", at: first.name.range, in: model.file,
        help: "this is the first one too many")
    }
    var scope = NameScope()
    let mayClash = mayClash(model)
    for property in model.properties {
      if mayClash { _ = declare(property.name, in: model.file, scope: &scope) }
      guard checkIdentifier(property.name, what: "a property", in: model.file) else { continue }
      let swiftName = property.details?.contents.swiftName
      if let swiftName {
        guard checkIdentifier(swiftName, what: "a Swift property", in: model.file) else { continue }
      }
      let shown = swiftName ?? property.name
      checkSwift(
        shown, in: model.file, reserved: Names.reservedMembers, canBeRenamed: swiftName == nil)
      checkSchemaType(shown, in: model.file)
      if mayClash {
        declareSwift(shown, isExplicit: swiftName != nil, in: model.file, scope: &scope)
      }
    }
  }

  /// False where certainly no two properties of the model have one name: then nothing has to be kept to
  /// compare them. Names are compared by a hash of their folded bytes.
  private func mayClash(_ model: ModelDeclaration) -> Bool {
    var hashes: [UInt64] = []
    hashes.reserveCapacity(model.properties.count)
    for property in model.properties {
      guard property.details?.contents.swiftName == nil else { return true }
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325  // FNV-1a
      for byte in property.name.value.utf8 {
        guard byte < 0x80 else { return true }
        // Letters differ from their other case by this bit; that others are folded, too, only costs time.
        hash = (hash ^ UInt64(byte | 0x20)) &* 0x100_0000_01B3
      }
      hashes.append(hash)
    }
    hashes.sort()
    return zip(hashes, hashes.dropFirst()).contains { $0 == $1 }
  }

  /// Whether the name is new in its scope.
  mutating func declare(
    _ name: Located<String>, in file: Int, scope: inout NameScope
  ) -> Bool {
    let folded = Names.folded(name.value)
    guard let first = scope.folded[folded] else {
      scope.folded[folded] = NameScope.Entry(name: name, file: file)
      return true
    }
    let isSame = first.name.value.isSpelled(like: name.value)
    let labels = [label("it stands here first", at: first.name.range, in: first.file)]
    if isSame {
      report(
        DeclarationDiagnostic.nameTwice, "'\(name.value)' is declared twice", at: name.range,
        in: file, labels: labels, help: "remove one of them, or rename it")
    } else {
      report(
        DeclarationDiagnostic.nameClash,
        "'\(name.value)' differs from '\(first.name.value)' only in case or normalisation",
        at: name.range, in: file, labels: labels,
        help: "a database does not tell them apart; rename one of the two")
    }
    return !isSame
  }

  /// Two names that are different in the file may be one in Swift. Where neither of them is a
  /// `swiftName` they are the same in the file, too, which has been said.
  private mutating func declareSwift(
    _ name: Located<String>, isExplicit: Bool, in file: Int, scope: inout NameScope
  ) {
    guard let first = scope.swift[name.value] else {
      scope.swift[name.value] = NameScope.Entry(name: name, file: file, isExplicit: isExplicit)
      return
    }
    guard isExplicit || first.isExplicit else { return }
    report(
      DeclarationDiagnostic.nameTwice, "two declarations are called '\(name.value)' in Swift",
      at: name.range, in: file,
      labels: [label("the other one is here", at: first.name.range, in: first.file)],
      help: "give one of them another 'swiftName'")
  }

  /// Reports a name that is no identifier, too long or kept for the store.
  mutating func checkIdentifier(_ name: Located<String>, what: String, in file: Int) -> Bool {
    guard Names.isIdentifier(name.value) else {
      let near = Names.identifier(near: name.value)
      report(
        DeclarationDiagnostic.nameInvalid, "'\(name.value)' cannot be the name of \(what)",
        at: name.range, in: file,
        meaning: near.map { [$0] } ?? [],
        else: "a name is letters, digits and underscores, and does not begin with a digit")
      return false
    }
    guard name.value.utf8.count <= Names.maximumLength else {
      report(
        DeclarationDiagnostic.nameLimit,
        "the name is \(name.value.utf8.count) bytes long, more than \(Names.maximumLength)",
        at: name.range, in: file, help: "choose a shorter name")
      return false
    }
    if let reason = Names.storeReservation(name.value) {
      report(
        DeclarationDiagnostic.nameLimit, "'\(name.value)' is kept for the store", at: name.range,
        in: file, help: "\(reason); choose another name")
      return false
    }
    return true
  }

  private mutating func checkSwift(
    _ name: Located<String>, in file: Int, reserved: Set<String>, canBeRenamed: Bool
  ) {
    let reason: String
    guard reserved.contains(name.value) else { return }
    // A frozen version cannot be changed any more.
    if isFrozen, name.value == Names.identityType { return }
    if Names.traps.contains(name.value) {
      reason = "'\(name.value)' has another meaning in Swift"
    } else {
      reason = "generated classes use the name '\(name.value)' themselves"
    }
    report(
      DeclarationDiagnostic.reservedIdentifier, reason, at: name.range, in: file,
      help: canBeRenamed
        ? "choose another name, or keep it in the file and add 'swiftName:' for the Swift side"
        : "choose another name")
  }
}

/// Names of one scope, as the file and as Swift tells them apart.
struct NameScope {
  struct Entry {
    var name: Located<String>
    var file: Int
    /// Whether it is a `swiftName`.
    var isExplicit = false
  }

  var folded: [String: Entry] = [:]
  var swift: [String: Entry] = [:]
}
