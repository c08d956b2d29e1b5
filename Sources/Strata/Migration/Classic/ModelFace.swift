import StrataSchema

/// A model by the names of its properties, for objects of one side of a migration.
final class ModelFace {
  /// How a property is reached.
  enum Access {
    case scalar(ScalarType)
    case link(String)
    case list
    case set
    case map
    case inverse
    /// In the class, not in the file.
    case ignored
  }

  /// Lets go of its faces when the block has returned, which ends the circle.
  let session: ClassicSession
  let schema: Schema
  let model: Model
  let isOld: Bool
  /// By index in `model.properties`.
  let accesses: [Access]
  let names: [String]

  /// Blocks ask for the same names in the same order for each object: the names that were asked for, as they were spelled, so
  /// that comparing one is comparing two pointers.
  private var expected: [(name: String, index: Int)] = []
  private var cursor = 0
  private static let maximumExpected = 64

  init(_ model: Model, in schema: Schema, isOld: Bool, session: ClassicSession) {
    self.model = model
    self.schema = schema
    self.isOld = isOld
    self.session = session
    names = model.properties.map(\.name)
    accesses = model.properties.map { property in
      if property.isIgnored { return .ignored }
      switch property.type {
      case .value(let type):
        if case .object(let target) = type.base { return .link(target) }
        return .scalar(schema.storedScalar(of: type.base) ?? .any)
      case .list: return .list
      case .set: return .set
      case .map: return .map
      case .inverse: return .inverse
      }
    }
  }

  /// The next object begins.
  func rewind() { cursor = 0 }

  /// The index of a property; nil for a name that the model does not have.
  @inline(__always)
  func index(of name: String) -> Int? {
    if cursor < expected.count, expected[cursor].name == name {
      defer { cursor += 1 }
      return expected[cursor].index
    }
    return find(name)
  }

  private func find(_ name: String) -> Int? {
    guard let index = names.firstIndex(of: name) else { return nil }
    if cursor == expected.count, cursor < Self.maximumExpected {
      expected.append((name, index))
      cursor += 1
    } else if let position = expected.firstIndex(where: { $0.name == name }) {
      cursor = position + 1
    }
    return index
  }
}
