import StrataSchema

/// Where in a property a value was given.
enum GivenPlace {
  case property
  /// In an array, counted from 1.
  case element(Int)
  case key(String)

  /// What messages say after a value that stands there: nothing for one of the property itself.
  var words: String {
    switch self {
    case .property: ""
    case .element(let number): " as element \(number)"
    case .key(let key): " at the key \(key.prefix(GivenValue.maximumShown))"
    }
  }
}

/// A value that its property does not take, as messages say it: what it is, where it stands and, where the property's type does not
/// say it already, why it is not taken.
struct WrongValue: CustomStringConvertible {
  let given: GivenValue
  let place: GivenPlace
  let property: Property
  let model: _GeneratedModel

  var description: String {
    let text = given.described + place.words
    return reason.map { "\(text): \($0)" } ?? text
  }

  private var reason: String? {
    guard let type = property.type.valueType, isSingleValue else { return nil }
    switch model.schema.storedScalar(of: type.base) {
    case .date where given.number != nil:
      return "a number is a date only where ValueReading(dates:) says what it counts"
    case .any: return anyReason
    default: return nil
    }
  }

  /// Whether it was given for one value, and not for the whole of a collection.
  private var isSingleValue: Bool {
    switch (place, property.type) {
    case (.property, .list), (.property, .set), (.property, .map): false
    default: true
    }
  }

  private var anyReason: String? {
    if given.elements != nil { return "an array is no single value" }
    guard let members = given.members else { return nil }
    if let name = members["$model"] { return objectReason(name) }
    guard let tag = members.keys.first, members.keys.count == 1, tag.hasPrefix("$") else {
      return #"a value says its type, as in {"$date": …}, and an object its "$model""#
    }
    let name = String(tag.dropFirst().prefix(GivenValue.maximumShown))
    guard let scalar = ScalarType(rawValue: name), scalar != .any, let content = members[tag] else {
      return "$\(name) names no type of a value"
    }
    return "its $\(name) is \(content.described), and no \(name)"
  }

  private func objectReason(_ name: GivenValue) -> String {
    guard let name = name.text else { return "its $model is \(name.described), and no name" }
    let shown = name.prefix(GivenValue.maximumShown)
    guard let target = model.siblings?.model(named: name) else {
      return "its $model is \(shown), and the schema has no such model"
    }
    return "its $model is \(shown), which is \(target.model.isEmbedded ? "embedded" : "abstract")"
  }
}
