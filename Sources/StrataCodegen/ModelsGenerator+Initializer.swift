import StrataSchema

extension ModelsGenerator {
  /// The initialiser that takes the properties in their declared order; nil where there are none.
  ///
  /// What is required and has no default has to be given; everything else may be left out.
  func initializer(_ properties: [(index: Int, property: Property)]) -> SwiftFunction? {
    guard !properties.isEmpty else { return nil }
    var parameters: [SwiftParameter] = []
    var body: [SwiftStatement] = [.expression(.call("self.init", []))]
    for (index, property) in properties {
      let swiftName = property.swiftName ?? property.name
      let name = SwiftIdentifier.escaped(swiftName)
      let target = "self." + SwiftIdentifier.member(swiftName)
      var parameter = SwiftParameter(
        name: SwiftIdentifier.label(swiftName), type: names.plain(property.type))
      if property.generate != nil {
        // Left out, the value that the plain initialiser has just generated stays.
        if !parameter.type.hasSuffix("?") { parameter.type += "?" }
        parameter.defaultValue = .verbatim("nil")
        body.append(
          .ifPresent(name, [.assignment(target, .verbatim(name))]))
      } else {
        parameter.defaultValue =
          property.isIgnored ? ignoredValue(of: property) : initialValue(of: property)
        if let setter = PropertyAccess(property.type).elementsSetter, !property.isIgnored {
          let function = "\(names.strata("_GeneratedAccess")).\(setter)"
          let arguments = ["self", "\(index)", name].map { SwiftExpression.verbatim($0) }
          body.append(.expression(.call(function, arguments.map { ("", $0) })))
        } else {
          body.append(.assignment(target, .verbatim(name)))
        }
      }
      parameters.append(parameter)
    }
    return SwiftFunction(
      doc: "An object that belongs to no store yet.",
      "\(options.access.rawValue) convenience init", parameters: parameters, body: body)
  }

  /// The value of a property that is not given, as Swift source; nil where one has to be given.
  func initialValue(of property: Property) -> SwiftExpression? {
    switch property.type {
    case .list, .set: return .verbatim("[]")
    case .map: return .verbatim("[:]")
    case .inverse: return nil
    case .value(let type):
      if let value = property.defaultValue, !value.isNull {
        return SwiftDefault(names: names, schema: schema).literal(value, of: type)
      }
      return type.isOptional ? .verbatim("nil") : nil
    }
  }
}
