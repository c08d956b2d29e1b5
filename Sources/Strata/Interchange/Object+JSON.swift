import StrataSchema

extension Object {
  /// How many links `json` follows by default: bounds what a deep graph can become.
  public static var defaultJSONDepth: Int { 32 }

  /// The object as a text of JSON that `Store.create(_:json:update:)` reads back, and `Store.create(_:value:update:)` what another decoder makes of it
  /// (but for some dates that are numbers: `ValueReading.Dates.asWritten`).
  ///
  /// What it links to stands inside of it. An object that is met again is named by its primary key, `{"id": 1}`, so that
  /// circles end; one without a key is left out where it would contain itself, and written again in all other places. Once
  /// such objects were written again 10,000 times, they are written without what they link to.
  ///
  /// An object in a property of type `any` says its `"$model"`. Dates are ISO 8601, and a number of seconds since 2001 where no
  /// such text says them exactly, as beyond the year 9999; data is base64, numbers that JSON has no digits for are texts: `"NaN"`.
  /// - Parameter depth: how many links are followed; beyond, objects are named by their keys. Embedded objects are always
  ///   written. At most 64 objects stand inside of each other, whatever the depth: more would not be read again.
  public final func json(depth: Int = Object.defaultJSONDepth) -> String {
    var writer = ObjectFormWriter()
    return writer.form(of: self, depth: depth).jsonText
  }
}

extension Results {
  /// The objects as JSON, one a line, without keeping more than one of them in memory.
  ///
  /// ```swift
  /// try people.writeJSONLines { line in try file.write(line + "\n") }
  /// ```
  public func writeJSONLines(
    depth: Int = Object.defaultJSONDepth, _ write: (String) throws -> Void
  ) rethrows {
    for object in self { try write(object.json(depth: depth)) }
  }
}
