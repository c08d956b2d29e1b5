import StrataSQLite
import StrataSchema

extension Bool: StoredValue {
  public var _generatedCell: _GeneratedCell { _GeneratedCell(.bool(self)) }

  public static func _generatedValue(of cell: _GeneratedCell) -> Bool? {
    if case .bool(let value)? = cell.value { return value }
    return nil
  }

  public static var _generatedFallback: Bool { false }

  public static func _generatedRead(_ object: Object, _ property: Int) -> Bool {
    if let cell = object.cursorCell(of: property), cell.storageClass == .integer {
      return cell.integer != 0
    }
    if let cell = object.storedCell(at: property) {
      if cell.storageClass == .integer { return cell.integer != 0 }
      object.noteDamage(at: property, found: cell.storageClass)
      return false
    }
    return object.cell(at: property).flatMap(_generatedValue(of:)) ?? false
  }
}

/// What the integer types share; a stored number that does not fit is not of the type.
package protocol StoredInteger: StoredValue, FixedWidthInteger, SignedInteger {}

extension StoredInteger {
  public var _generatedCell: _GeneratedCell { _GeneratedCell(.int(Int64(self))) }

  public static func _generatedValue(of cell: _GeneratedCell) -> Self? {
    if case .int(let value)? = cell.value { return Self(exactly: value) }
    return nil
  }

  public static var _generatedFallback: Self { 0 }

  @inline(__always) static func readInteger(_ object: Object, _ property: Int) -> Self {
    if let cell = object.cursorCell(of: property), cell.storageClass == .integer,
      let value = Self(exactly: cell.integer)
    {
      return value
    }
    if let cell = object.storedCell(at: property) {
      if cell.storageClass == .integer, let value = Self(exactly: cell.integer) { return value }
      object.noteDamage(at: property, found: cell.storageClass)
      return 0
    }
    return object.cell(at: property).flatMap(_generatedValue(of:)) ?? 0
  }
}

extension Int: StoredInteger {
  public static func _generatedRead(_ object: Object, _ property: Int) -> Int {
    readInteger(object, property)
  }
}
extension Int8: StoredInteger {}
extension Int16: StoredInteger {}
extension Int32: StoredInteger {}
extension Int64: StoredInteger {
  public static func _generatedRead(_ object: Object, _ property: Int) -> Int64 {
    readInteger(object, property)
  }
}

extension Float: StoredValue {
  public var _generatedCell: _GeneratedCell { _GeneratedCell(.float(self)) }

  public static func _generatedValue(of cell: _GeneratedCell) -> Float? {
    if case .float(let value)? = cell.value { return value }
    return nil
  }

  public static var _generatedFallback: Float { 0 }
}

extension Double: StoredValue {
  public var _generatedCell: _GeneratedCell { _GeneratedCell(.double(self)) }

  public static func _generatedValue(of cell: _GeneratedCell) -> Double? {
    if case .double(let value)? = cell.value { return value }
    return nil
  }

  public static var _generatedFallback: Double { 0 }

  public static func _generatedRead(_ object: Object, _ property: Int) -> Double {
    if let cell = object.storedCell(at: property) {
      if let value = FloatingCoding.double(cell) { return value }
      object.noteDamage(at: property, found: cell.storageClass)
      return 0
    }
    return object.cell(at: property).flatMap(_generatedValue(of:)) ?? 0
  }
}
