import StrataSQLite
import StrataSchema

extension String: StoredValue {
  public var generatedCell: GeneratedCell { GeneratedCell(.string(self)) }

  public static func generatedValue(of cell: GeneratedCell) -> String? {
    if case .string(let value)? = cell.value { return value }
    return nil
  }

  public static var generatedFallback: String { "" }

  public static func generatedRead(_ object: Object, _ property: Int) -> String {
    if let (row, column) = object.cursorColumn(of: property),
      row.storageClass(at: column) == .text
    {
      return String(decoding: row.text(at: column), as: UTF8.self)
    }
    if let cell = object.storedCell(at: property) {
      if cell.storageClass == .text { return cell.string }
      object.noteDamage(at: property, found: cell.storageClass)
      return ""
    }
    return object.cell(at: property).flatMap(generatedValue(of:)) ?? ""
  }
}

extension ObjectID: StoredValue {
  public var generatedCell: GeneratedCell { GeneratedCell(.objectID(stored)) }

  public static func generatedValue(of cell: GeneratedCell) -> ObjectID? {
    if case .objectID(let value)? = cell.value { return ObjectID(value) }
    return nil
  }

  public static var generatedFallback: ObjectID { ObjectID(ObjectIDValue(high: 0, low: 0)) }
}
