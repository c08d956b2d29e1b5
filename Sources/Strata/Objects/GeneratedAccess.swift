import StrataSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What generated classes call. A property is named by its index in its model.
public enum _GeneratedAccess {
  @inlinable public static func value<Value: StoredValue>(
    _ object: Object, _ property: Int
  ) -> Value {
    Value._generatedRead(object, property)
  }

  @inlinable public static func setValue<Value: StoredValue>(
    _ object: Object, _ property: Int, _ value: Value
  ) {
    object._generatedSet(property, value._generatedCell)
  }

  public static func link<Target: Object>(_ object: Object, _ property: Int) -> Target? {
    object.linkedObject(at: property) as? Target
  }

  @inlinable public static func setLink<Target: Object>(
    _ object: Object, _ property: Int, _ target: Target?
  ) {
    setLink(object, property, to: target)
  }

  /// Not generic: a generic link would ask the run time for its types.
  @usableFromInline static func setLink(_ object: Object, _ property: Int, to target: Object?) {
    if let target {
      object._generatedSet(property, _GeneratedCell(target))
    } else {
      object._generatedSet(property, .null)
    }
  }

  /// A link that is not set yet gives a new object that belongs to nothing, and one to what was deleted the deleted object: a new one
  /// would be stored where it is linked to from elsewhere.
  public static func requiredLink<Target: Object>(_ object: Object, _ property: Int) -> Target {
    object.linkedObject(at: property, showsDeleted: true) as? Target ?? Target()
  }

  public static func setRequiredLink<Target: Object>(
    _ object: Object, _ property: Int, _ target: Target
  ) {
    object._generatedSet(property, _GeneratedCell(target))
  }

  public static func list<Element: StoredElement>(
    _ object: Object, _ property: Int
  ) -> List<Element> {
    List(core: object.collection(at: property, as: ListCore.self))
  }

  public static func setList<Element: StoredElement>(
    _ object: Object, _ property: Int, _ list: List<Element>
  ) {
    if object.adopt(list.core, at: property) { return }
    object.collection(at: property, as: ListCore.self).assign(list.core)
  }

  /// Gives a list its elements in an initialiser.
  @inlinable public static func setListElements<Element: StoredElement>(
    _ object: Object, _ property: Int, _ elements: [Element]
  ) {
    if elements.isEmpty, object.setEmpty(.list, at: property) { return }
    setList(object, property, List(elements))
  }

  public static func set<Element: StoredElement>(
    _ object: Object, _ property: Int
  ) -> MutableSet<Element> {
    MutableSet(core: object.collection(at: property, as: SetCore.self))
  }

  public static func setSet<Element: StoredElement>(
    _ object: Object, _ property: Int, _ set: MutableSet<Element>
  ) {
    if object.adopt(set.core, at: property) { return }
    object.collection(at: property, as: SetCore.self).assign(set.core)
  }

  /// Gives a set its elements in an initialiser.
  @inlinable public static func setSetElements<Element: StoredElement>(
    _ object: Object, _ property: Int, _ elements: [Element]
  ) {
    if elements.isEmpty, object.setEmpty(.set, at: property) { return }
    setSet(object, property, MutableSet(elements))
  }

  public static func map<Element: StoredElement>(
    _ object: Object, _ property: Int
  ) -> Map<Element> {
    Map(core: object.collection(at: property, as: MapCore.self))
  }

  public static func setMap<Element: StoredElement>(
    _ object: Object, _ property: Int, _ map: Map<Element>
  ) {
    if object.adopt(map.core, at: property) { return }
    object.collection(at: property, as: MapCore.self).assign(map.core)
  }

  /// Gives a map its elements in an initialiser.
  @inlinable public static func setMapElements<Element: StoredElement>(
    _ object: Object, _ property: Int, _ elements: [String: Element]
  ) {
    if elements.isEmpty, object.setEmpty(.map, at: property) { return }
    setMap(object, property, Map(elements))
  }

  public static func linkingObjects<Source: Object>(
    _ object: Object, _ property: Int
  ) -> LinkingObjects<Source> {
    LinkingObjects(of: object, property: property)
  }
}

/// Default values for which Swift has no literal, from the text that generated code spells.
public enum _GeneratedValue {
  /// Hexadecimal digits.
  public static func data(_ digits: String) -> Data {
    Data(Hex.decode(digits.utf8) ?? [])
  }

  public static func decimal(_ digits: String) -> Decimal {
    DecimalValue(digits).map { Decimal($0) } ?? 0
  }

  public static func uuid(_ text: String) -> UUID {
    UUIDValue(text).map { UUID($0) } ?? UUID._generatedFallback
  }

  public static func objectID(_ digits: String) -> ObjectID {
    ObjectID(digits) ?? ObjectID._generatedFallback
  }
}
