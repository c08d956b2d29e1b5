import StrataSchema
import StrataSource
import StrataYAML

extension Resolver {
  /// Primary key, indexes and uniqueness of a model, those that it declares itself.
  mutating func checkKeys(ofModel index: Int) {
    let model = models[index]
    let resolved = lines[index]
    if let (owner, key) = resolved.primaryKey {
      let parent = resolved.line.count > 1 ? models[resolved.line[1]] : nil
      if resolved.isEmbedded, owner != index, let parent, parent.isAbstract?.value != true {
        // Either the parent is embedded, and has been told, or this one must not be, and has been told.
      } else if resolved.isEmbedded {
        // An inherited one is reported where the model says that it is embedded.
        report(
          DeclarationDiagnostic.primaryKeyOfEmbedded, "an embedded model has no primary key",
          at: owner == index ? key.range : model.isEmbedded?.range ?? model.name.range,
          in: model.file,
          labels: owner == index
            ? [] : [label("it is inherited from here", at: key.range, in: models[owner].file)],
          help: "an embedded object is known by its owner; remove 'primaryKey' or 'embedded'")
      } else if owner == index {
        checkMembers(
          of: key, in: index, what: "a primary key", kind: DeclarationDiagnostic.primaryKeyType,
          help: "a primary key is of integers, strings, uuid or objectId",
          isAllowed: { resolver, type, _ in resolver.canBePrimaryKey(type) })
      }
      checkCollection(ofModel: index, besideKey: key, of: owner)
    }
    checkCompounds(
      model.indexes, in: index, what: "an index", kind: DeclarationDiagnostic.indexType,
      help: Self.compoundIndexHelp,
      isAllowed: { resolver, type, count in
        count > 1 ? resolver.isComparable(type) : resolver.isIndexable(type)
      })
    checkCompounds(
      model.uniques, in: index, what: "a uniqueness", kind: DeclarationDiagnostic.uniqueType,
      help: Self.uniqueHelp, isAllowed: { resolver, type, _ in resolver.isComparable(type) })
  }

  /// Reports a collection whose table would be called as the key's index is, at the model in which the two first meet.
  private mutating func checkCollection(
    ofModel index: Int, besideKey key: CompoundDeclaration, of owner: Int
  ) {
    // No store has ever opened a file of such a version, and it cannot be changed any more.
    guard !isFrozen, !lines[index].isEmbedded,
      let member = lines[index].members.first(where: { Names.isOfKeyIndex(declaredName($0)) }),
      owner == index || member.model == index,
      let property = property(member), property.isStored, property.type.isCollection
    else { return }
    let declared = models[member.model].properties[member.index]
    let isOwn = member.model == index
    report(
      DeclarationDiagnostic.nameLimit,
      "'\(property.name)' cannot be the name of a collection in a model with a primary key",
      at: isOwn ? declared.name.range : key.range, in: models[index].file,
      labels: isOwn
        ? [label("this is the primary key", at: key.range, in: models[owner].file)]
        : [label("it is inherited from here", at: declared.name.range, in: declared.file)],
      help:
        "a collection is stored in a table of its own, whose name the key's index has: "
        + "'\(models[index].name.value).primaryKey'; choose another name")
  }

  private func canBePrimaryKey(_ type: PropertyType) -> Bool {
    guard case .value(let value) = type, let scalar = value.base.scalar else { return false }
    return scalar.isInteger || scalar == .string || scalar == .uuid || scalar == .objectID
  }

  private mutating func checkCompounds(
    _ compounds: [CompoundDeclaration], in index: Int, what: String, kind: DiagnosticKind,
    help: String, isAllowed: (Resolver, PropertyType, Int) -> Bool
  ) {
    var first: [[String]: Range<Int>] = [:]
    for compound in compounds {
      if let earlier = first[compound.properties] {
        let file = models[index].file
        reportListedTwice(
          compound.range, "\(what) is listed twice", in: file,
          labels: [label("it stands here first", at: earlier, in: file)])
        continue
      }
      first[compound.properties] = compound.range
      checkMembers(
        of: compound, in: index, what: what, kind: kind, help: help, isAllowed: isAllowed)
    }
  }

  private mutating func checkMembers(
    of key: CompoundDeclaration, in index: Int, what: String, kind: DiagnosticKind, help: String,
    isAllowed: (Resolver, PropertyType, Int) -> Bool
  ) {
    let file = models[index].file
    var seen: Set<String> = []
    for name in key.names {
      guard seen.insert(name.value).inserted else {
        reportListedTwice(name.range, "'\(name.value)' is listed twice", in: file)
        continue
      }
      guard let member = member(named: name.value, of: index) else {
        reportUnknownMember(name, of: index, what: what)
        continue
      }
      guard let property = property(member) else { continue }
      if property.isIgnored {
        report(
          kind, "'\(name.value)' is ignored and cannot be part of \(what)", at: name.range,
          in: file, help: "choose a stored property, or remove 'ignored'")
      } else if !isAllowed(self, property.type, key.names.count) {
        let spelling = property.type.isInverse ? "an inverse" : "'\(property.type.spelling)'"
        let isAlone = kind == DeclarationDiagnostic.indexType && key.names.count == 1
        let helpAlone =
          isComparable(property.type)
          ? "links are always indexed; remove it" : Self.indexableHelp
        report(
          kind, "'\(name.value)' is \(spelling) and cannot be part of \(what)", at: name.range,
          in: file, help: isAlone ? helpAlone : help)
      }
    }
  }

  private mutating func reportListedTwice(
    _ range: Range<Int>, _ message: String, in file: Int, labels: [Diagnostic.Label] = []
  ) {
    let source = files[file]
    diagnostics.report(
      DeclarationDiagnostic.listedTwice, message, at: source.span(range), labels: labels,
      help: "remove one of them",
      fixIt: FixIt(
        "remove it",
        edits: [
          FixIt.Edit(path: source.path, range: source.removalRange(of: range), replacement: "")
        ]))
  }

  func member(named name: String, of index: Int) -> ResolvedModel.Member? {
    lines[index].members.first { declaredName($0) == name }
  }

  private mutating func reportUnknownMember(
    _ name: Located<String>, of index: Int, what: String
  ) {
    // Where an ancestor is unknown, so is what it declares.
    let line = lines[index].line
    guard let last = line.last, models[last].extends == nil else { return }
    let names = lines[index].members.map(declaredName)
    let near = nearest(name.value, among: names)
    let list = names.prefix(12).joined(separator: ", ") + (names.count > 12 ? ", …" : "")
    report(
      DeclarationDiagnostic.propertyUnknown,
      "'\(models[index].name.value)' has no property '\(name.value)'", at: name.range,
      in: models[index].file,
      meaning: near, else: "\(what) names properties of the model: \(list)")
  }

  // MARK: - Inverses

  /// An inverse names a to-one, list or set property of another model whose target is this model.
  mutating func checkInverses(ofModel index: Int) {
    let model = models[index]
    for (position, declared) in model.properties.enumerated() {
      guard let inverse = declared.inverse, ownProperties[index][position] != nil else { continue }
      guard let source = modelIndexes[inverse.model] else {
        guard isComplete else { continue }
        let near = nearest(inverse.model, among: modelNames())
        report(
          DeclarationDiagnostic.inverseMismatch, "there is no model '\(inverse.model)'",
          at: inverse.range, in: declared.file,
          meaning: near.map { "\($0).\(inverse.property)" },
          isGuess: Self.mayBeMeant(inverse.model),
          else: "name the property of another model that links here: Model.property")
        continue
      }
      // A frozen version cannot be changed any more; no class of it is generated.
      if models[source].isAbstract?.value == true, !isFrozen {
        reportAbstractSource(inverse, source: models[source], in: declared.file)
        continue
      }
      guard let member = member(named: inverse.property, of: source) else {
        reportUnknownSource(inverse, source: source, target: index)
        continue
      }
      guard let property = property(member) else { continue }
      checkSource(property, member: member, of: inverse, target: index, in: declared.file)
    }
  }

  private mutating func reportAbstractSource(
    _ inverse: InverseSyntax, source: ModelDeclaration, in file: Int
  ) {
    report(
      DeclarationDiagnostic.inverseMismatch,
      "'\(source.name.value)' is abstract, so that no object of it links here", at: inverse.range,
      in: file,
      labels: [label("it is declared here", at: source.name.range, in: source.file)],
      help: "name the property of a model that extends it")
  }

  private mutating func checkSource(
    _ property: Property, member: ResolvedModel.Member, of inverse: InverseSyntax, target: Int,
    in file: Int
  ) {
    let path = "\(inverse.model).\(inverse.property)"
    let source = models[member.model].properties[member.index]
    let labels = [label("'\(path)' is declared here", at: source.name.range, in: source.file)]
    let target = models[target].name.value
    let problem: String
    if property.isIgnored {
      problem = "'\(path)' is ignored, so that nothing is linked in the file"
    } else if case .map = property.type, property.type.linkedModel != nil {
      problem = "'\(path)' is a map, and inverses are of to-one links, lists and sets"
    } else if property.type.isInverse {
      problem = "'\(path)' is an inverse itself"
    } else if property.type.linkedModel == nil {
      problem = "'\(path)' is '\(property.type.spelling)', which is no link"
    } else if property.type.linkedModel != target {
      problem = "'\(path)' links to '\(property.type.linkedModel ?? "")', not to '\(target)'"
    } else {
      return
    }
    report(
      DeclarationDiagnostic.inverseMismatch, problem, at: inverse.range, in: file, labels: labels,
      help: "name a property of type \(target), \(target)?, [\(target)] or set<\(target)>")
  }

  private mutating func reportUnknownSource(
    _ inverse: InverseSyntax, source: Int, target: Int
  ) {
    guard let last = lines[source].line.last, models[last].extends == nil else { return }
    let links = lines[source].members.filter {
      property($0)?.type.linkedModel == models[target].name.value
    }.map(declaredName)
    let near = nearest(inverse.property, among: links)
    // The only link that leads here may be meant, whatever it is called; only people know.
    let isOnly = near.isEmpty && links.count == 1
    report(
      DeclarationDiagnostic.inverseMismatch,
      "'\(inverse.model)' has no property '\(inverse.property)'", at: inverse.range,
      in: models[target].file,
      meaning: (isOnly ? links : near).map { "\(inverse.model).\($0)" }, isGuess: isOnly,
      else: "name the property of '\(inverse.model)' that links here")
  }
}
