import StrataSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension AnyValue: StoredValue {
  public var generatedCell: GeneratedCell {
    switch self {
    case .null: .null
    case .bool(let value): value.generatedCell
    case .int(let value): value.generatedCell
    case .float(let value): value.generatedCell
    case .double(let value): value.generatedCell
    case .string(let value): value.generatedCell
    case .data(let value): value.generatedCell
    case .date(let value): value.generatedCell
    case .uuid(let value): value.generatedCell
    case .decimal(let value): value.generatedCell
    case .objectID(let value): value.generatedCell
    case .object(let object): GeneratedCell(object)
    }
  }

  init(_ cell: GeneratedCell) {
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

  public static func generatedValue(of cell: GeneratedCell) -> AnyValue? { AnyValue(cell) }
  public static var generatedFallback: AnyValue { .null }
}
