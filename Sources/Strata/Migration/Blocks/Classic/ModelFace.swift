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
  /// Which of them hold one value that is no link.
  let isScalar: [Bool]

  /// The types that most properties have, whose values need no look at the declaration when they are assigned.
  enum Plain {
    case text
    case whole
    case other
  }

  let plain: [Plain]

  /// Blocks ask for the same names in the same order for each object: the names that were asked for, as they were spelled, so
  /// that comparing one is comparing two pointers.
  private let expected: UnsafeMutablePointer<(name: String, index: Int, isText: Bool)>
  private var expectedCount = 0
  private var cursor = 0
  private static let maximumExpected = 64

  init(_ model: Model, in schema: Schema, isOld: Bool, session: ClassicSession) {
    self.model = model
    self.schema = schema
    self.isOld = isOld
    self.session = session
    names = model.properties.map(\.name)
    expected = .allocate(capacity: Self.maximumExpected)
    let accesses = model.properties.map { property -> Access in
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
    self.accesses = accesses
    plain = model.properties.map { property in
      guard !property.isIgnored, case .value(let type) = property.type else { return .other }
      switch type.base {
      case .scalar(.string): return .text
      case .scalar(.int): return .whole
      default: return .other
      }
    }
    isScalar = accesses.map { if case .scalar = $0 { true } else { false } }
  }

  deinit {
    expected.deinitialize(count: expectedCount)
    expected.deallocate()
  }

  /// Whether its objects' texts may be read and written without asking the session: nothing went wrong, and there is no draft.
  var isDirect = false

  /// The index of a text that was asked for at this place before; nil for any other property, and where the place is new.
  @inline(__always)
  func nextText(_ name: String) -> Int? {
    // In place: an array's element would be copied, and the array's references counted.
    guard isDirect, cursor < expectedCount, expected[cursor].isText, expected[cursor].name == name
    else { return nil }
    return expected[cursor].index
  }

  /// That text was found.
  @inline(__always)
  func stepOver() { cursor += 1 }

  /// The next object begins.
  func rewind() { cursor = 0 }

  /// The index of a property; nil for a name that the model does not have.
  @inline(__always)
  func index(of name: String) -> Int? {
    let position = cursor
    if position < expectedCount, expected[position].name == name {
      cursor = position + 1
      return expected[position].index
    }
    return find(name)
  }

  private func find(_ name: String) -> Int? {
    guard let index = names.firstIndex(of: name) else { return nil }
    if cursor == expectedCount, cursor < Self.maximumExpected {
      (expected + expectedCount).initialize(
        to: (name, index, plain[index] == .text))
      expectedCount += 1
      cursor += 1
    } else if let position = (0..<expectedCount).first(where: { expected[$0].name == name }) {
      cursor = position + 1
    }
    return index
  }
}
