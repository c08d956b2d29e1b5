import StrataSchema

/// Accessors that generated code calls; an index is that of the property in its frozen model, sorted by name.
///
/// They do not throw, so that blocks read like plain Swift. What goes wrong is kept and stops the upgrade when the
/// block returns.
extension FrozenRow {
  public func value<T: StoredValue>(_ index: Int) -> T {
    decode(kept(index))
  }

  public func setValue<T: StoredValue>(_ index: Int, _ value: T) {
    write(index, encode(value, for: index))
  }

  /// - Parameter index: that of the property that the value, or an element, is for.
  func encode<T: StoredValue>(_ value: T, for index: Int) -> Value {
    let cell = value._generatedCell
    guard let object = cell.object else { return cell.value ?? .null }
    if let object = object as? ReferredObject { return object.value(in: self) }
    fail(
      MigrationError(
        .blockFailed,
        """
        it sets \(model.name).\(model.properties[index].name) to an object of the class \(type(of: object)), which is none of the \
        file that is upgraded. Set what a property of type any of an old or a new object holds.
        """))
    return .null
  }

  func decode<T: StoredValue>(_ value: Value) -> T {
    if case .object = value,
      let object = AnyValue.object(ReferredObject(value, of: self)) as? T
    {
      return object
    }
    return T._generatedValue(of: _GeneratedCell(value)) ?? T._generatedFallback
  }

  /// The value, or null after an error, which is kept.
  func kept(_ index: Int) -> Value {
    do {
      return try read(index)
    } catch {
      fail(error)
      return .null
    }
  }
}

// The same for the types that most properties have. The compiler prefers them to the generic ones, which cost five
// times as much: code generation's modules cannot specialise what is not theirs.
extension FrozenRow {
  public func value(_ index: Int) -> String {
    if let text = directText(index) { return text }
    if case .string(let value) = kept(index) { return value }
    return ""
  }

  public func value(_ index: Int) -> String? {
    if let text = directText(index) { return text }
    if case .string(let value) = kept(index) { return value }
    return nil
  }

  public func value(_ index: Int) -> Int {
    if case .int(let value) = kept(index) { return Int(truncatingIfNeeded: value) }
    return 0
  }

  public func value(_ index: Int) -> Double {
    if case .double(let value) = kept(index) { return value }
    return 0
  }

  public func value(_ index: Int) -> Bool {
    if case .bool(let value) = kept(index) { return value }
    return false
  }

  public func setValue(_ index: Int, _ value: String) { write(index, .string(value)) }

  public func setValue(_ index: Int, _ value: String?) {
    write(index, value.map(Value.string) ?? .null)
  }

  public func setValue(_ index: Int, _ value: Int) { write(index, .int(Int64(value))) }

  public func setValue(_ index: Int, _ value: Double) { write(index, .double(value)) }

  public func setValue(_ index: Int, _ value: Bool) { write(index, .bool(value)) }
}
