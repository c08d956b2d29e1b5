package import StrataSQLite
package import StrataSchema

/// Values of type `any`: null, integers, doubles and strings as SQLite has them; everything else a BLOB
/// that begins with a tag.
package enum AnyCoding {
  /// The first byte of a BLOB. Never reused for another meaning.
  package enum Tag: UInt8, CaseIterable, Sendable {
    /// One byte, 0 or 1.
    case bool = 1
    /// Four bytes, IEEE, big-endian, as all that follow.
    case float = 2
    /// Eight bytes: a double that is a NaN.
    case double = 3
    case data = 4
    /// Eight bytes: seconds since 2001.
    case date = 5
    case uuid = 6
    /// The canonical digits.
    case decimal = 7
    case objectID = 8
    /// The object's identity in eight bytes, then its model's name.
    case object = 9
  }

  package static func write<Cell: CellWriter>(_ value: Value, into cell: inout Cell) throws {
    switch value {
    case .null: try cell.writeNull()
    case .int(let value): try cell.write(value)
    case .string(let value): try cell.write(value)
    case .double(let value) where !value.isNaN: try cell.write(value)
    case .double(let value): try cell.write([Tag.double.rawValue] + value.bitPattern.bigEndianBytes)
    case .bool(let value): try cell.write([Tag.bool.rawValue, value ? 1 : 0])
    case .float(let value): try cell.write([Tag.float.rawValue] + value.bitPattern.bigEndianBytes)
    case .data(let value): try cell.write([Tag.data.rawValue] + value)
    case .date(let value): try cell.write([Tag.date.rawValue] + value.bitPattern.bigEndianBytes)
    case .uuid(let value): try cell.write([Tag.uuid.rawValue] + value.bytes)
    case .decimal(let value): try cell.write([Tag.decimal.rawValue] + Array(value.text.utf8))
    case .objectID(let value): try cell.write([Tag.objectID.rawValue] + value.bytes)
    case .object(let model, let identity): try cell.write(bytes(ofLinkTo: model, identity))
    case .link:
      throw ColumnError(expected: "an object with its model", found: "a link without one")
    }
  }

  /// What a cell of type `any` holds that links to this object.
  package static func bytes(ofLinkTo model: String, _ identity: Int64) -> [UInt8] {
    [Tag.object.rawValue] + identity.bigEndianBytes + Array(model.utf8)
  }

  package static func read(_ cell: some CellReader) throws(ColumnError) -> Value {
    switch cell.storageClass {
    case .null: return .null
    case .integer: return .int(cell.integer)
    case .real: return .double(cell.double)
    case .text:
      // A repaired text would be another one.
      guard let text = cell.withText({ String(validUTF8: $0) }) else {
        throw ColumnError(expected: "a text in UTF-8", found: "other bytes")
      }
      return .string(text)
    case .blob:
      let bytes = cell.withBlob { Array($0) }
      guard let value = value(of: bytes) else {
        throw ColumnError(
          expected: "a value of type any",
          found: "a blob of \(bytes.count) bytes with the tag "
            + (bytes.first.map { "\($0)" } ?? "missing"))
      }
      return value
    }
  }

  private static func value(of bytes: [UInt8]) -> Value? {
    guard let tag = bytes.first.flatMap(Tag.init) else { return nil }
    let content = bytes.dropFirst()
    switch tag {
    case .bool: return content.count == 1 ? .bool(content.first != 0) : nil
    case .float:
      return content.count == 4 ? .float(Float(bitPattern: UInt32(bigEndianBytes: content))) : nil
    case .double:
      return content.count == 8 ? .double(Double(bitPattern: UInt64(bigEndianBytes: content))) : nil
    case .date:
      return content.count == 8 ? .date(Double(bitPattern: UInt64(bigEndianBytes: content))) : nil
    case .data: return .data(Array(content))
    case .uuid: return UUIDValue(bytes: content).map(Value.uuid)
    case .decimal:
      return DecimalValue(String(decoding: content, as: UTF8.self)).map(Value.decimal)
    case .objectID: return ObjectIDValue(bytes: content).map(Value.objectID)
    case .object:
      guard content.count > 8 else { return nil }
      return .object(
        model: String(decoding: content.dropFirst(8), as: UTF8.self),
        identity: Int64(bigEndianBytes: content.prefix(8)))
    }
  }
}
