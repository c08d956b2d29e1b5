import StrataSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Object: CustomStringConvertible {
  /// The model and the values, one property a line; what it links to by name and number only.
  public var description: String {
    let model = model.model
    let lines = model.properties.enumerated().compactMap { index, property -> String? in
      guard property.isStored else { return nil }
      return "  \(property.name) = \(text(of: property, at: index))"
    }
    let identity = manager == nil ? "" : " #\(givenRow)"
    return "\(model.name)\(identity) {\n" + lines.joined(separator: "\n") + "\n}"
  }

  private func text(of property: Property, at index: Int) -> String {
    switch property.type {
    case .list: collectionText(collection(at: index, as: ListCore.self).count, property)
    case .set: collectionText(collection(at: index, as: SetCore.self).count, property)
    case .map: collectionText(collection(at: index, as: MapCore.self).count, property)
    case .value, .inverse: cell(at: index).map { AnyValue($0).shortText } ?? "nil"
    }
  }

  private func collectionText(_ count: Int, _ property: Property) -> String {
    "\(property.type.spelling) of \(count)"
  }
}

extension AnyValue: CustomStringConvertible {
  /// The value alone, a string without quotes; for messages.
  var plainText: String {
    if case .string(let text) = self { return text }
    return shortText
  }

  public var description: String { shortText }

  fileprivate var shortText: String {
    switch self {
    case .null: "nil"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): "\"\(value)\""
    case .data(let value): "\(value.count) bytes"
    case .date(let value): value.shortText
    case .uuid(let value): value.uuidString
    case .decimal(let value): "\(value)"
    case .objectID(let value): value.description
    case .object(let object):
      object.store == nil
        ? object.model.model.name : "\(object.model.model.name) #\(object.givenRow)"
    }
  }
}

extension Date {
  /// ISO 8601, in UTC; the seconds since 2001 of what is no moment of the years 0 to 9999. Foundation's own description stops
  /// the program at what is not a number.
  var shortText: String {
    let seconds = timeIntervalSinceReferenceDate
    return DateText.text(of: seconds) ?? "\(seconds)"
  }
}
