import StrataSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension AnyValue: StoredValue {
  public var _generatedCell: _GeneratedCell {
    switch self {
    case .null: .null
    case .bool(let value): value._generatedCell
    case .int(let value): value._generatedCell
    case .float(let value): value._generatedCell
    case .double(let value): value._generatedCell
    case .string(let value): value._generatedCell
    case .data(let value): value._generatedCell
    case .date(let value): value._generatedCell
    case .uuid(let value): value._generatedCell
    case .decimal(let value): value._generatedCell
    case .objectID(let value): value._generatedCell
    case .object(let object): _GeneratedCell(object)
    }
  }

  init(_ cell: _GeneratedCell) {
    switch cell.content {
    case .object(let object): self = .object(object)
    case .value(let value):
      self =
        switch value {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .int(Int(clamping: value))
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        case .data(let value): .data(Data(value))
        case .date(let value): .date(Date(timeIntervalSinceReferenceDate: value))
        case .uuid(let value): .uuid(UUID(value))
        case .decimal(let value): .decimal(Decimal(value))
        case .objectID(let value): .objectID(ObjectID(value))
        // A link whose object is gone.
        case .link, .object: .null
        }
    }
  }

  public static func _generatedValue(of cell: _GeneratedCell) -> AnyValue? { AnyValue(cell) }
  public static var _generatedFallback: AnyValue { .null }
}
