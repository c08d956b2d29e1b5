import StrataSchema
import StrataSource

extension Resolver {
  /// Gives every model what its ancestors declare. False where the schema would grow beyond its bound.
  mutating func inherit() -> Bool {
    var total = 0
    lines.reserveCapacity(models.count)
    for index in models.indices {
      let resolved = known[index]?.line ?? resolveLine(of: index)
      total += resolved.members.count
      guard total <= SchemaCompiler.maximumTotalProperties else {
        report(
          DeclarationDiagnostic.schemaTooLarge,
          "with all that is inherited the schema has more than "
            + "\(SchemaCompiler.maximumTotalProperties) properties",
          at: models[index].name.range, in: models[index].file,
          help: "this is the first model too many")
        return false
      }
      lines.append(resolved)
    }
    return true
  }

  private mutating func resolveLine(of index: Int) -> ResolvedModel {
    let model = models[index]
    let line = lineOfDescent(of: index)
    var result = ResolvedModel(
      line: line, members: [], isEmbedded: embeddedFlags[index],
      isAbstract: model.isAbstract?.value ?? false)
    guard line.count > 1 else {
      result.members = model.properties.indices.map {
        ResolvedModel.Member(model: index, index: $0)
      }
      result.primaryKey = model.primaryKey.map { (index, $0) }
      result.indexes = model.indexes.map { (index, $0) }
      result.uniques = model.uniques.map { (index, $0) }
      result.rules = model.rules.indices.map { (index, $0) }
      return result
    }
    checkEmbedding(of: model, parent: line[1])
    addMembers(to: &result, of: index)
    addKeys(to: &result, of: index)
    addRules(to: &result, of: index)
    return result
  }

  /// The model and its ancestors; what is wrong with the chain is reported at the model where it begins.
  private mutating func lineOfDescent(of index: Int) -> [Int] {
    var line = [index]
    while let last = line.last, let parent = models[last].extends {
      guard let next = modelIndexes[parent.value] else {
        if line.count == 1 { reportUnknownParent(parent, of: models[index]) }
        break
      }
      if line.contains(next) {
        // Each circle is told once, at its first model.
        if next == index, line.min() == index {
          report(
            DeclarationDiagnostic.extendsCycle,
            "'\(models[index].name.value)' extends itself"
              + (line.count > 1
                ? " through \(line.dropFirst().map { models[$0].name.value }.joined(separator: ", "))"
                : ""),
            at: models[index].extends?.range ?? parent.range, in: models[index].file,
            help: "let one of these models extend nothing")
        }
        return [index]
      }
      line.append(next)
      if line.count > SchemaCompiler.maximumInheritance {
        if line.count == SchemaCompiler.maximumInheritance + 1, models[next].extends == nil {
          report(
            DeclarationDiagnostic.extendsTooDeep,
            "'\(models[index].name.value)' has more than \(SchemaCompiler.maximumInheritance - 1) "
              + "ancestors", at: models[index].extends?.range ?? parent.range,
            in: models[index].file, help: "repeat the properties instead, or extend an ancestor")
        }
        break
      }
    }
    return line
  }

  private mutating func reportUnknownParent(_ parent: Located<String>, of model: ModelDeclaration) {
    guard isComplete else { return }
    let near = nearest(parent.value, among: modelNames())
    let isEnum = enumIndexes[parent.value] != nil
    report(
      DeclarationDiagnostic.extendsUnknown,
      isEnum ? "'\(parent.value)' is an enum" : "there is no model '\(parent.value)'",
      at: parent.range, in: model.file,
      meaning: near, isGuess: Self.mayBeMeant(parent.value),
      else: "a model extends another model of the schema")
  }

  private mutating func checkEmbedding(of model: ModelDeclaration, parent index: Int) {
    let parent = models[index]
    let isParentEmbedded = embeddedFlags[index]
    guard let own = model.isEmbedded, own.value != isParentEmbedded,
      parent.isAbstract?.value != true
    else { return }
    report(
      DeclarationDiagnostic.extendsEmbedded,
      own.value
        ? "an embedded model cannot extend '\(parent.name.value)', which is not embedded"
        : "'\(parent.name.value)' is embedded, and so is what extends it",
      at: own.range, in: model.file,
      labels: [label("it is declared here", at: parent.name.range, in: parent.file)],
      help: "make both embedded, or make '\(parent.name.value)' abstract")
  }

  /// Inherited members first. A member that is declared again has to be the same. An inverse is not
  /// inherited: the link it mirrors leads to the ancestor.
  private mutating func addMembers(to result: inout ResolvedModel, of index: Int) {
    var places: [String: Int] = [:]
    for ancestor in result.line.reversed() {
      for (position, property) in models[ancestor].properties.enumerated() {
        if ancestor != index, property.inverse != nil { continue }
        let member = ResolvedModel.Member(model: ancestor, index: position)
        let folded = Names.folded(property.name.value)
        guard let place = places[folded] else {
          places[folded] = result.members.count
          result.members.append(member)
          continue
        }
        let inherited = result.members[place]
        result.members[place] = member
        // What ancestors say differently is reported there, and twice in one model as such.
        guard ancestor == index, inherited.model != index else { continue }
        compare(member, with: inherited, in: index)
      }
    }
    checkSwiftNames(of: result.members, in: index)
    if result.members.count > SchemaCompiler.maximumProperties,
      models[index].properties.count <= SchemaCompiler.maximumProperties
    {
      report(
        DeclarationDiagnostic.nameLimit,
        "'\(models[index].name.value)' has \(result.members.count) properties with those it "
          + "inherits, more than \(SchemaCompiler.maximumProperties)",
        at: models[index].name.range, in: models[index].file,
        help: "move some of them to another model and link to it")
    }
  }

  /// Reports a property of the model that has the name of an inherited one in Swift. Names of the model's own were
  /// compared with each other, and those of ancestors where the nearer one is declared.
  private mutating func checkSwiftNames(of members: [ResolvedModel.Member], in index: Int) {
    func swiftName(_ member: ResolvedModel.Member) -> Located<String>? {
      models[member.model].properties[member.index].details?.contents.swiftName
    }
    guard !isFrozen, members.contains(where: { swiftName($0) != nil }) else { return }
    var first: [String: ResolvedModel.Member] = [:]
    for member in members {
      let name = swiftName(member)?.value ?? declaredName(member)
      guard let other = first.updateValue(member, forKey: name) else { continue }
      guard (member.model == index) != (other.model == index) else { continue }
      let (own, inherited) = member.model == index ? (member, other) : (other, member)
      let property = models[own.model].properties[own.index]
      let before = models[inherited.model].properties[inherited.index]
      report(
        DeclarationDiagnostic.nameTwice, "two declarations are called '\(name)' in Swift",
        at: (swiftName(own) ?? property.name).range, in: property.file,
        labels: [
          label(
            "'\(models[inherited.model].name.value)' declares the other one here",
            at: (swiftName(inherited) ?? before.name).range, in: before.file)
        ], help: "give one of them another 'swiftName'")
    }
  }

  private mutating func compare(
    _ member: ResolvedModel.Member, with inherited: ResolvedModel.Member, in index: Int
  ) {
    let declared = models[member.model].properties[member.index]
    let before = models[inherited.model].properties[inherited.index]
    let labels = [
      label(
        "'\(models[inherited.model].name.value)' declares it here", at: before.name.range,
        in: before.file)
    ]
    guard declared.name.value.isSpelled(like: before.name.value) else {
      report(
        DeclarationDiagnostic.nameClash,
        "'\(declared.name.value)' differs from the inherited '\(before.name.value)' only in case "
          + "or normalisation", at: declared.name.range, in: declared.file, labels: labels,
        help: "a database does not tell them apart; rename one of the two")
      return
    }
    guard var new = ownProperties[member.model][member.index],
      var old = ownProperties[inherited.model][inherited.index]
    else { return }
    new.doc = nil
    old.doc = nil
    guard new != old else { return }
    report(
      DeclarationDiagnostic.inheritedDifferently,
      "'\(declared.name.value)' is inherited from '\(models[inherited.model].name.value)' and "
        + "declared differently here", at: declared.name.range, in: declared.file, labels: labels,
      help: "remove it here, repeat it exactly, or rename it")
  }

  private mutating func addKeys(to result: inout ResolvedModel, of index: Int) {
    for ancestor in result.line.reversed() {
      let model = models[ancestor]
      if let key = model.primaryKey {
        if let inherited = result.primaryKey, inherited.key.properties != key.properties,
          ancestor == index
        {
          report(
            DeclarationDiagnostic.inheritedDifferently,
            "'\(models[inherited.model].name.value)' has another primary key", at: key.range,
            in: model.file,
            labels: [
              label(
                "it is declared here", at: inherited.key.range, in: models[inherited.model].file)
            ], help: "remove it here, or repeat it exactly")
        }
        if result.primaryKey == nil { result.primaryKey = (ancestor, key) }
      }
      add(model.indexes, of: ancestor, to: &result.indexes)
      add(model.uniques, of: ancestor, to: &result.uniques)
    }
  }

  /// Adds what is not there yet: a frozen version repeats what it inherits.
  private func add(
    _ keys: [CompoundDeclaration], of model: Int,
    to list: inout [(model: Int, key: CompoundDeclaration)]
  ) {
    let inherited = Set(list.map(\.key.properties))
    list += keys.filter { !inherited.contains($0.properties) }.map { (model, $0) }
  }

  func declaredName(_ member: ResolvedModel.Member) -> String {
    models[member.model].properties[member.index].name.value
  }

  /// What a member is; nil where it was declared wrongly.
  func property(_ member: ResolvedModel.Member) -> Property? {
    ownProperties[member.model][member.index]
  }

  /// The model of the schema, with everything spelled out.
  func schemaModel(at index: Int) -> Model {
    let declared = models[index]
    let resolved = lines[index]
    // Sorted here, by what is small: the schema keeps them by name.
    var properties = resolved.members.sorted { declaredName($0) < declaredName($1) }
      .compactMap { property($0) }
    let indexes = fold(resolved.indexes.map { names($0.key, of: index) }, into: &properties) {
      property in
      guard property.index == .none else { return property.index == .ordinary }
      property.index = .ordinary
      return true
    }
    let uniques = fold(resolved.uniques.map { names($0.key, of: index) }, into: &properties) {
      property in
      property.isUnique = true
      return true
    }
    return Model(
      name: declared.name.value, swiftName: declared.swiftName?.value, doc: declared.doc,
      isEmbedded: resolved.isEmbedded, isAbstract: resolved.isAbstract,
      extends: declared.extends.flatMap { modelIndexes[$0.value] }.map { models[$0].name.value },
      primaryKey: resolved.primaryKey.map { names($0.key, of: index) } ?? [],
      indexes: indexes, uniques: uniques, properties: properties, rules: schemaRules(of: resolved))
  }

  /// The names of a key's properties as they are declared: a name may be mentioned in another
  /// normalisation.
  private func names(_ key: CompoundDeclaration, of index: Int) -> [String] {
    key.properties.map { name in
      member(named: name, of: index).map(declaredName) ?? name
    }
  }

  /// An index over one property is the same schema as the property's own `indexed: true`.
  private func fold(
    _ compounds: [[String]], into properties: inout [Property],
    _ mark: (inout Property) -> Bool
  ) -> [[String]] {
    compounds.filter { compound in
      guard compound.count == 1,
        let place = properties.firstIndex(where: { $0.name == compound[0] })
      else { return true }
      return !mark(&properties[place])
    }
  }
}
