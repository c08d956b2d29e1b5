import StrataSQLite
import StrataSchema

extension String: StoredValue {
  public var _generatedCell: _GeneratedCell { _GeneratedCell(.string(self)) }

  public static func _generatedValue(of cell: _GeneratedCell) -> String? {
    if case .string(let value)? = cell.value { return value }
    return nil
  }

  public static var _generatedFallback: String { "" }

  public static func _generatedRead(_ object: Object, _ property: Int) -> String {
    if let cell = object.cursorCell(of: property), cell.storageClass == .text {
      return cell.string
    }
    if let cell = object.storedCell(at: property) {
      if cell.storageClass == .text { return cell.string }
      object.noteDamage(at: property, found: cell.storageClass)
      return ""
    }
    return object.cell(at: property).flatMap(_generatedValue(of:)) ?? ""
  }
}

extension ObjectID: StoredValue {
  public var _generatedCell: _GeneratedCell { _GeneratedCell(.objectID(stored)) }

  public static func _generatedValue(of cell: _GeneratedCell) -> ObjectID? {
    if case .objectID(let value)? = cell.value { return ObjectID(value) }
    return nil
  }

  public static var _generatedFallback: ObjectID { ObjectID(ObjectIDValue(high: 0, low: 0)) }
}
