import StrataSchema

/// The stored values of one object, read at once.
final class LoadedRow: StoredRowReader {
  private let values: [Value]

  init(_ reader: TableReader) throws {
    values = try reader.model.storedProperties.indices.map { try reader.value(at: $0) }
  }

  /// What another row shows; nothing for what it cannot read.
  init(copying row: FrozenRow) {
    values = row.model.properties.enumerated().compactMap { index, property -> Value? in
      guard property.isStored else { return nil }
      return property.type.isCollection ? .null : (try? row.read(index)) ?? .null
    }
  }

  func value(at position: Int) throws -> Value { values[position] }

  func text(at position: Int) -> String? {
    if case .string(let text) = values[position] { return text }
    return nil
  }
}
