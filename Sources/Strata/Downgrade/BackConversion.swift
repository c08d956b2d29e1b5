import StrataExpression
import StrataSchema

/// What a property holds on the way back.
enum BackCell: Equatable {
  /// Nothing of the newer version says what it is.
  case unknown
  /// The older version has no such value.
  case misfit
  /// It is worked out from what a version between has no value for; the reason as a sentence without its full stop.
  case misfitBetween(String)
  /// What the step says gives no value; the reason as a sentence without its full stop.
  case failed(String)
  case value(Value)
  case elements([CollectionElement])

  /// Why nothing was worked out.
  var reason: String? {
    switch self {
    case .failed(let reason), .misfitBetween(let reason): reason
    case .unknown, .misfit, .value, .elements: nil
    }
  }

  /// What else is worked out from a cell that has no value has none either: a default in its place would be taken for the object's own.
  struct Unreadable: Error, CustomStringConvertible {
    /// What the cell is that is worked out from it.
    let outcome: BackCell
    let description: String
  }

  /// The cell where it can be read on the way.
  /// - Parameter property: whose cell it is, of a model in a version.
  func readable(_ property: Property, of model: Model, version: Int) throws -> BackCell {
    switch self {
    case .failed(let reason): throw Unreadable(outcome: self, description: reason)
    case .misfitBetween(let reason): throw Unreadable(outcome: self, description: reason)
    case .misfit:
      let reason = "version \(version) has no such value of \(model.name).\(property.name)"
      throw Unreadable(outcome: .misfitBetween(reason), description: reason)
    case .unknown, .value, .elements: return self
    }
  }

  /// The value, or that of an object to which nothing was said.
  func value(or property: Property) -> Value {
    if case .value(let value) = self { return value }
    return property.defaultValue ?? .null
  }

  var elements: [CollectionElement] {
    if case .elements(let elements) = self { return elements }
    return []
  }
}

/// A conversion without loss, taken back: a value that an upgrade would not make the same again is a misfit.
struct BackConversion {
  let forward: ValueConversion
  let old: Property
  let older: Schema
  let new: Property

  /// Whether the cell of each value is the older property's cell, and every value fits. An element of type `any` may link to an object
  /// of a model that the older version has not.
  var isPlain: Bool {
    guard forward == .none, let before = old.type.valueType, let after = new.type.valueType,
      !old.type.isCollection || before.base.scalar != .any
    else { return false }
    return before == after && sameForm
  }

  private var sameForm: Bool {
    switch (old.type, new.type) {
    case (.value, .value), (.list, .list), (.set, .set), (.map, .map): true
    default: false
    }
  }

  func takenBack(_ cell: BackCell) -> BackCell {
    switch cell {
    case .unknown, .misfit, .misfitBetween, .failed: return cell
    case .value(let value):
      return takenBack(value, forward).map(BackCell.value) ?? .misfit
    case .elements(let elements):
      if case .wrapped(let inner) = forward {
        guard elements.count < 2 else { return .misfit }
        return takenBack(elements.first?.value ?? .null, inner).map(BackCell.value) ?? .misfit
      }
      var result: [CollectionElement] = []
      for element in elements {
        guard let value = takenBack(element.value, innermost) else { return .misfit }
        result.append(CollectionElement(key: element.key, value: value))
      }
      return .elements(result)
    }
  }

  /// What becomes of one element.
  private var innermost: ValueConversion {
    switch forward {
    case .elements(let inner), .wrapped(let inner), .recollected(let inner): inner
    case .none, .scalar, .renamedModels: forward
    }
  }

  /// Nil where the older property has no value that becomes this one.
  private func takenBack(_ value: Value, _ forward: ValueConversion) -> Value? {
    guard let type = old.type.valueType else { return nil }
    let stored = older.storedType(of: type.base)
    if value.isNull { return type.isOptional || stored == .scalar(.any) ? .null : nil }
    guard case .scalar(let scalar) = stored else { return value }
    var back: Value
    if case .renamedModels(let names) = forward {
      back = value.renamingModels(
        Dictionary(names.map { ($0.value, $0.key) }) { first, _ in first })
    } else {
      back = Conversion.convert(value, to: scalar)
    }
    // Nothing links to an embedded object but its owner.
    if case .object(let model, _) = back, older.model(named: model)?.isEmbedded != false {
      return nil
    }
    return forward.converted(back) == value ? back : nil
  }
}
