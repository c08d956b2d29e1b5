extension Store {
  /// The object of a model with this identity, for tools that show objects by it; nil where there is none.
  ///
  /// - Throws: `StoreError.unknownModel`
  package func object(named model: String, identity: Int64) throws(StoreError) -> Object? {
    let access = try access(named: model)
    guard prepareToRead() else {
      try throwPendingError()
      return nil
    }
    return try translatingErrors { try access.exists(identity) ? access.object(identity) : nil }
  }

  /// Whether everything that can be read now is of one version of the file; pins it where none is pinned yet.
  package func pinVersion() throws(StoreError) {
    if !prepareToRead() { try throwPendingError() }
  }
}
