import StrataSQLite
import StrataSchema

extension Store {
  /// Makes an object of a dictionary, an array, decoded JSON or another object, and adds it.
  ///
  /// ```swift
  /// try store.write {
  ///   try store.create(Person.self, value: ["id": 1, "name": "Ada", "dogs": [["name": "Rex"]]])
  /// }
  /// ```
  /// In a dictionary a missing key leaves the property (its default, or the value of an object that is updated), nil clears
  /// it, and unknown keys are passed over. An array has a value for each property, in the order of the declaration.
  /// Values of links may be nested in the same way. Texts stand for dates (ISO 8601, with or without a fraction, with `Z` or an
  /// offset, or a day alone), UUIDs, decimals and data (base64), `"NaN"`, `"Infinity"` and `"-Infinity"` for numbers.
  /// Another object is copied; the copy links to the same objects.
  ///
  /// A nested dictionary of a model without a primary key, or without a value for one that is generated, makes a new object each
  /// time, because nothing says which one it is: updating the object that links to it leaves the earlier one in the store. Embed such a
  /// model, or give it a key. An embedded object is known by its place, a property or a key in a map, and the one that takes its place keeps
  /// what is not given; elements of a list are new ones.
  /// - Parameters:
  ///   - type: the model.
  ///   - value: a dictionary, an array, decoded JSON or another object.
  ///   - update: what happens, here and in what is nested, when an object with the same primary key is there.
  ///   - reading: how keys and dates are spelled, and whether unknown keys are an error.
  /// - Throws: `StoreError.wrongType`, `.unknownProperty` and what `add(_:update:)` throws; nothing was changed then, and standalone
  ///   objects in the value are standalone still.
  @discardableResult
  public func create<Element: Object>(
    _ type: Element.Type, value: Any = [String: Any](), update: UpdatePolicy = .error,
    reading: ValueReading = ValueReading()
  ) throws(StoreError) -> Element {
    try create(type, value, update, reading, takesUnknownCases: false)
  }

  /// The same with a text of JSON. A value of an enum that is none of its cases is stored as it is, because `json()` writes what a newer
  /// version of the app has stored.
  ///
  /// - Throws: also `StoreError.invalidJSON`
  @discardableResult
  public func create<Element: Object>(
    _ type: Element.Type, json: String, update: UpdatePolicy = .error,
    reading: ValueReading = ValueReading()
  ) throws(StoreError) -> Element {
    let value: JSON
    do {
      value = try JSON.parse(json)
    } catch {
      throw .invalidJSON(problem: error.description)
    }
    return try create(type, value, update, reading, takesUnknownCases: true)
  }

  private func create<Element: Object>(
    _ type: Element.Type, _ value: Any, _ update: UpdatePolicy, _ reading: ValueReading,
    takesUnknownCases: Bool
  ) throws(StoreError) -> Element {
    try checkInWriteTransaction()
    let reader = ObjectReader(
      store: self, update: update, reading: reading, takesUnknownCases: takesUnknownCases)
    return unsafeDowncast(try create(try access(type), value, reader), to: Element.self)
  }

  /// The same for a model by its name.
  @discardableResult
  public func create(
    named model: String, value: Any = [String: Any](), update: UpdatePolicy = .error,
    reading: ValueReading = ValueReading()
  ) throws(StoreError) -> Object {
    try checkInWriteTransaction()
    let reader = ObjectReader(store: self, update: update, reading: reading)
    return try create(try access(named: model), value, reader)
  }

  private func create(
    _ access: ModelAccess, _ value: Any, _ reader: ObjectReader
  ) throws(StoreError) -> Object {
    if access.model.isEmbedded { throw .embeddedWithoutOwner(model: access.model.name) }
    return try translatingErrors {
      let update = reader.update
      // A new object is made without touching the file. One that is updated is not: then all or nothing.
      if update == .error {
        let object = try reader.object(access.generated, value)
        try Addition.add(object, to: self, update: update)
        return object
      }
      return try allOrNothing("strata_create") {
        let object = try reader.object(access.generated, value)
        try Addition.add(object, to: self, update: update)
        return object
      }
    }
  }
}
