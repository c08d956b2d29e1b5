import StrataSchema

// Objects, properties, elements, aggregates, subqueries.

extension Resolver {
  mutating func resolveObject(_ root: Root, _ range: Range<Int>) -> Resolved {
    switch (root, use) {
    case (.subject, .query), (.old, .step), (.new, .back):
      leavesRow = true
      return Resolved(.identity(.subject), ExpressionType(.object(self.root.name)))
    case (.subject, .step):
      report(
        .wrongRoot, "there is no object but 'old' in a step", range,
        help: "write 'old.' before a property's name")
      return .failed
    case (.subject, .back), (.old, .back):
      report(
        .wrongRoot, "there is no object but 'new' on the way back", range,
        help: "write 'new.' before a property's name")
      return .failed
    case (.old, .query):
      report(.wrongRoot, "'old' is known in steps only", range)
      return .failed
    case (.new, .query), (.new, .step):
      report(.wrongRoot, "'new' is known under 'back' only", range)
      return .failed
    case (.variable(let name), _):
      guard let variable = variables.last(where: { $0.name == name }) else {
        report(
          .unknownVariable, "'$\(name)' is no variable of a SUBQUERY around it", range,
          help: NearestName.question(
            NearestName.all(name, among: variables.map(\.name)).map { "$" + $0 }))
        return .failed
      }
      return Resolved(.variable(variable.slot), ExpressionType(.object(variable.model)))
    }
  }

  /// The object that a path goes on from, without reading its identity where that is not needed.
  private mutating func resolveBase(_ base: Expression, naming name: String) -> (
    Resolved, ResolvedObject?
  ) {
    if case .object(let root) = base.kind {
      switch (root, use) {
      case (.subject, .query), (.old, .step), (.new, .back):
        let type = ExpressionType(.object(self.root.name))
        return (Resolved(.identity(.subject), type), .subject)
      case (.subject, .step):
        report(
          .wrongRoot, "'\(name)' is a property of nothing: a step reads the object before it",
          base.range.isEmpty
            ? base.range.lowerBound..<base.range.lowerBound + name.utf8.count : base.range,
          help: "write 'old.\(name)'")
        return (.failed, nil)
      case (.subject, .back):
        report(
          .wrongRoot, "'\(name)' is a property of nothing: 'back' reads the object after the step",
          base.range.isEmpty
            ? base.range.lowerBound..<base.range.lowerBound + name.utf8.count : base.range,
          help: "write 'new.\(name)'")
        return (.failed, nil)
      default: break
      }
    }
    let resolved = resolve(base)
    guard case .object(let model) = resolved.type.base, !resolved.type.isCollection else {
      return (resolved, nil)
    }
    let index = indexOfModel(model)
    if case .variable(let slot) = resolved.node { return (resolved, .variable(slot, model: index)) }
    return (resolved, .target(resolved.node, model: index))
  }

  mutating func resolveMember(_ base: Expression, _ name: String, _ range: Range<Int>) -> Resolved {
    let (resolved, object) = resolveBase(base, naming: name)
    if resolved.type.isUnknown { return .failed }
    guard case .object(let modelName) = resolved.type.base,
      let model = schema.model(named: modelName)
    else {
      report(
        .notALink, "'\(base.text)' is \(resolved.type.spelling), which has no properties", range)
      return .failed
    }
    guard let index = model.indexOfProperty(named: name) else {
      if case .subject? = object, case .object(.subject) = base.kind, use == .query,
        let all = schema.model(named: name)
      {
        guard !all.isAbstract else {
          report(
            .unknownProperty, "'\(name)' is abstract and has no objects of its own", range,
            help: "ask a model that extends it")
          return .failed
        }
        leavesRow = true
        return Resolved(
          .many(.all(model: indexOfModel(name))), ExpressionType(.object(name), cardinality: .many))
      }
      let known = model.properties.map(\.name)
      report(
        .unknownProperty, "'\(modelName)' has no property '\(name)'",
        max(range.lowerBound, range.upperBound - name.utf8.count)..<range.upperBound,
        help: NearestName.question(name, among: known)
          ?? "it has \(known.prefix(20).joined(separator: ", "))")
      return .failed
    }
    let property = model.properties[index]
    if property.isIgnored {
      report(
        .notStored, "'\(modelName).\(name)' is ignored: it lives in the class, not in the file",
        range)
      return .failed
    }
    if use == .back, property.type.isInverse {
      report(
        .notStored, "'\(modelName).\(name)' is an inverse, which is not known on the way back",
        range, help: "'back' reads the object's own properties and those of what it links to")
      return .failed
    }
    if let object {
      return resolveProperty(property, index, of: object, isOptional: resolved.type.isOptional)
    }
    return resolveProperty(property, index, ofEach: resolved, model: indexOfModel(modelName))
  }

  /// A property of one object.
  private mutating func resolveProperty(
    _ property: Property, _ index: Int, of object: ResolvedObject, isOptional: Bool
  ) -> Resolved {
    if case .subject = object {
      if property.type.isCollection || property.type.isInverse {
        readCollections.insert(index)
      } else {
        readProperties.insert(index)
      }
    } else {
      leavesRow = true
    }
    switch property.type {
    case .value(let type):
      var type = ExpressionType(type)
      type.isOptional = type.isOptional || isOptional
      return Resolved(.property(object, index), type)
    case .list(let type):
      return Resolved(.many(.elements(object, index)), ExpressionType(type, cardinality: .list))
    case .set(let type):
      return Resolved(.many(.elements(object, index)), ExpressionType(type, cardinality: .set))
    case .map(let type):
      return Resolved(.map(.entries(object, index)), ExpressionType(type, cardinality: .map))
    case .inverse(let model, _):
      return Resolved(
        .many(.elements(object, index)), ExpressionType(.object(model), cardinality: .set))
    }
  }

  /// A property of each of many objects.
  private mutating func resolveProperty(
    _ property: Property, _ index: Int, ofEach objects: Resolved, model: Int
  ) -> Resolved {
    leavesRow = true
    let collection = objects.collection
    switch property.type {
    case .value(let type):
      var type = ExpressionType(type, cardinality: .many)
      type.isOptional = type.isOptional || objects.type.isOptional
      return Resolved(.many(.values(collection, model: model, index)), type)
    case .list(let type), .set(let type), .map(let type):
      return Resolved(
        .many(.elementsOfEach(collection, model: model, index)),
        ExpressionType(type, cardinality: .many))
    case .inverse(let source, _):
      return Resolved(
        .many(.elementsOfEach(collection, model: model, index)),
        ExpressionType(.object(source), cardinality: .many))
    }
  }

  mutating func resolveElement(
    _ base: Expression, _ index: Expression, _ range: Range<Int>
  ) -> Resolved {
    let (collection, position) = (resolve(base), resolveOne(index))
    if collection.type.isUnknown { return .failed }
    var type = collection.type.element
    type.isOptional = true
    func expect(_ scalar: ScalarType, _ what: String) -> Bool {
      if position.type.isUnknown || self.scalar(position.type.base) == scalar { return true }
      if scalar == .int, self.scalar(position.type.base)?.isInteger == true { return true }
      return false
    }
    switch (collection.type.cardinality, collection.content) {
    case (.list, _):
      guard expect(.int, "list") else {
        report(
          .operandType, "a list's element is found by an int, not by \(position.type.spelling)",
          index.range)
        return .failed
      }
      return Resolved(.element(collection.collection, at: position.node), type)
    case (.map, .map(.entries(let object, let property))):
      guard expect(.string, "map") else {
        report(
          .operandType, "a map's element is found by a string, not by \(position.type.spelling)",
          index.range)
        return .failed
      }
      return Resolved(.mapElement(object, property, key: position.node), type)
    default:
      report(
        .needsCollection,
        "'\(base.text)' is \(collection.type.spelling), whose elements have no place", range,
        help: "lists are indexed by position, maps by key")
      return .failed
    }
  }

  mutating func resolveAggregate(
    _ aggregate: Aggregate, _ operand: Expression, _ range: Range<Int>
  ) -> Resolved {
    let resolved = resolve(operand)
    if resolved.type.isUnknown && !resolved.type.isCollection { return .failed }
    guard resolved.type.isCollection else {
      report(
        .needsCollection,
        "\(aggregate.rawValue) needs a collection, '\(operand.text)' is \(resolved.type.spelling)",
        range)
      return .failed
    }
    let collection = resolved.collection
    if aggregate == .count {
      return Resolved(.aggregate(.count, collection, .other, range: range), .scalar(.int))
    }
    let scalar = scalar(resolved.type.base)
    if aggregate == .minimum || aggregate == .maximum {
      guard let scalar, scalar.isNumeric || scalar == .date || scalar == .string else {
        report(
          .operandType,
          "\(aggregate.rawValue) compares numbers, dates and strings, not \(resolved.type.element.spelling)",
          range)
        return .failed
      }
      return Resolved(
        .aggregate(aggregate, collection, .other, range: range),
        .scalar(scalar.isInteger ? .int : scalar, isOptional: true))
    }
    guard let scalar, scalar.isNumeric else {
      report(
        .operandType, "\(aggregate.rawValue) adds numbers, not \(resolved.type.element.spelling)",
        range,
        help: resolved.type.base.isObject ? "name a property: '\(aggregate.rawValue).age'" : nil)
      return .failed
    }
    let kind: NumberKind = scalar == .decimal ? .decimal : scalar.isInteger ? .int : .double
    let isAverage = aggregate == .average
    let type: ScalarType = kind == .decimal ? .decimal : kind == .int && !isAverage ? .int : .double
    return Resolved(
      .aggregate(aggregate, collection, kind, range: range), .scalar(type, isOptional: isAverage))
  }

  mutating func resolveSubquery(
    _ collection: Expression, _ variable: String, _ condition: Expression
  ) -> Resolved {
    let resolved = resolve(collection)
    let slot = makeSlot()
    guard case .object(let model) = resolved.type.base, resolved.type.isCollection else {
      if !resolved.type.isUnknown {
        report(
          .needsCollection,
          "SUBQUERY needs a collection of objects, '\(collection.text)' is \(resolved.type.spelling)",
          collection.range)
      }
      return .failed
    }
    variables.append(Variable(name: variable, slot: slot, model: model))
    let test = resolveCondition(condition)
    variables.removeLast()
    return Resolved(.many(.filter(resolved.collection, slot: slot, test)), resolved.type)
  }
}

extension ExpressionType.Base {
  var isObject: Bool {
    if case .object = self { return true }
    return false
  }
}
