extension Object: Codable {
  /// The object as any encoder writes it, in the form of ``json(depth:)``.
  ///
  /// - Throws: `EncodingError` for embedded objects that are nested more than 64 deep, and what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var writer = ObjectFormWriter()
    let form = writer.form(of: self, depth: Object.defaultJSONDepth)
    if writer.wasCut {
      throw EncodingError.invalidValue(
        self,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription:
            "Embedded objects are nested more than \(ObjectFormWriter.maximumDepth) deep."))
    }
    try form.encode(to: encoder)
  }
}
