import StrataSchema

/// The stored values of one object, read at once.
final class LoadedRow: StoredRowReader {
  private let values: [Value]

  init(_ reader: TableReader) throws {
    values = try reader.model.storedProperties.indices.map { try reader.value(at: $0) }
  }

  func value(at position: Int) throws -> Value { values[position] }

  func text(at position: Int) -> String? {
    if case .string(let text) = values[position] { return text }
    return nil
  }
}
