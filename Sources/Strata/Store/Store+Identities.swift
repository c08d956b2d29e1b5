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

  /// Lets go of the version that is pinned, so that the file's log need not keep it; what was read of it stays known until the next read finds a
  /// newer one. Nothing in a write transaction.
  package func unpinVersion() throws(StoreError) {
    if isFrozen || isInWriteTransaction || isClosed { return }
    try translatingErrors { try endReading() }
  }
}
