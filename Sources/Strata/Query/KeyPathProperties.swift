import StrataSchema
import Synchronization

/// Which properties key paths of generated classes name.
///
/// A key path says nothing of itself: an object without a store is asked for it and watched. That it reads one property is not enough, because a
/// computed one does so, too, as `\.name.count` and `var initial: String { String(name.prefix(1)) }`: what it gives has to be what the property
/// holds, for values that few computations leave alone.
enum KeyPathProperties {
  // A key path that names a property holds nothing that could change.
  private struct Key: Hashable, @unchecked Sendable {
    let keyPath: AnyKeyPath
    let model: _GeneratedModel

    static func == (left: Key, right: Key) -> Bool {
      left.model === right.model && left.keyPath == right.keyPath
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(keyPath)
      hasher.combine(ObjectIdentifier(model))
    }
  }

  /// Those that were found. A program has so many key paths as it spells.
  private static let known = Mutex<[Key: Int]>([:])
  /// Beyond it a program makes key paths as it runs, and each is looked at anew.
  private static let maximumKnown = 10_000

  /// - Precondition: the key path is that of a stored property, or of an inverse.
  static func property<Root: Object>(of keyPath: PartialKeyPath<Root>, _ model: _GeneratedModel)
    -> Int
  {
    let key = Key(keyPath: keyPath, model: model)
    if let property = known.withLock({ $0[key] }) { return property }
    let property = look(at: keyPath, model)
    known.withLock { if $0.count < maximumKnown { $0[key] = property } }
    return property
  }

  private static func look<Root: Object>(
    at keyPath: PartialKeyPath<Root>, _ model: _GeneratedModel
  ) -> Int {
    let probe = model.newObject()
    guard let root = probe as? Root else {
      misuse("\(keyPath) is not a key path of \(model.model.name).")
    }
    probe.standaloneStorage.reads = []
    _ = root[keyPath: keyPath]
    let reads = probe.standaloneStorage.reads ?? []
    guard reads.count == 1, let property = reads.first,
      gives(keyPath, what: property, holdsIn: root, model)
    else {
      misuse(
        "\(keyPath) is no stored property of \(model.model.name): only those can be asked for in a query, not what is computed from them. "
          + "Write the condition with the stored properties themselves, or declare a property and store what is computed. A path over links is written as a text, as \"boss.name\"."
      )
    }
    return property
  }

  private static func gives<Root: Object>(
    _ keyPath: PartialKeyPath<Root>, what property: Int, holdsIn root: Root,
    _ model: _GeneratedModel
  ) -> Bool {
    let declared = model.model.properties[property]
    guard case .value(let type) = declared.type else {
      return root[keyPath: keyPath] is any QueryCollection
    }
    if case .object(let name) = type.base {
      guard let target = model.siblings?.model(named: name)?.newObject() else { return false }
      root.setStandalone(property, to: .object(target))
      guard root[keyPath: keyPath] as? Object === target else { return false }
      if !type.isOptional { return true }
      root.setStandalone(property, to: .value(.null))
      return root[keyPath: keyPath] as? Object == nil
    }
    // What is computed may be another value for nil only: `nickname ?? name`.
    let samples = samples(of: type.base, model.schema) + (type.isOptional ? [.null] : [])
    return samples.allSatisfy { sample in
      root.setStandalone(property, to: .value(sample))
      guard let read = root[keyPath: keyPath] as? any StoredElement else { return false }
      return read._generatedCell.value == sample
    }
  }

  /// Values of a property's type. Numbers have both signs and are not round; the text has both cases, a mark of its own character, and white space at both ends.
  private static func samples(of type: BaseType, _ schema: Schema) -> [Value] {
    switch type {
    case .object: []
    case .enumeration(let name): schema.enumeration(named: name)?.cases.map(\.rawValue) ?? []
    case .scalar(let scalar):
      switch scalar {
      case .bool: [.bool(true), .bool(false)]
      case .int8: [.int(101), .int(-101)]
      case .int16, .int32, .int, .int64: [.int(10_007), .int(-10_007)]
      case .float: [.float(1234.5678), .float(-1234.5678)]
      case .double: [.double(1234.5678), .double(-1234.5678)]
      case .string: [.string(" aB\u{e9}e\u{301}1 ")]
      case .any: [.string(" aB\u{e9}e\u{301}1 "), .int(10_007)]
      case .data: [.data([0, 200, 7])]
      case .date: [.date(123_456_789.123), .date(-123_456_789.123)]
      case .uuid: [UUIDValue("0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0").map(Value.uuid) ?? .null]
      case .decimal: ["1234.5678", "-1234.5678"].compactMap { DecimalValue($0).map(Value.decimal) }
      case .objectID: [ObjectIDValue("0123456789abcdef01234567").map(Value.objectID) ?? .null]
      }
    }
  }
}
