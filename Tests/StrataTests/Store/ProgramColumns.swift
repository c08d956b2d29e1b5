import Foundation
import Strata
import StrataTestModels

extension Seen {
  /// A value of the store.
  init(_ value: AnyValue) {
    self =
      switch value {
      case .null: .null
      case .bool(let value): .bool(value)
      case .int(let value): .int(value)
      case .float(let value): .float(value.bitPattern)
      case .double(let value): .double(value.bitPattern)
      case .string(let value): .text(value)
      case .data(let value): .data(Array(value))
      case .date(let value): .date(value.timeIntervalSinceReferenceDate.bitPattern)
      case .uuid(let value): .name(value.uuidString)
      case .decimal(let value): .decimal(value.description)
      case .objectID(let value): .name("\(value)")
      case .object(let value): .link(value.identityForTests)
      }
  }
}

/// What a program writes: a value by its place among those that a property may get, and an object.
struct Given {
  var index = 0
  var object: Object?
}

/// A property, and how the store is asked for it and told of it.
struct Column {
  let name: String
  /// The model of its objects, nil for values; `*` for those of type `any`.
  var target: String?
  var isRequired = false
  var isCollection = false
  let seen: (Given) -> Seen
  let read: (Object) -> Slot
  let change: (Object, ElementChange, Given, String) -> Void
}

// MARK: - Making them

private func plain<Owner: Object, Value: StoredValue>(
  _ name: String, _ path: ReferenceWritableKeyPath<Owner, Value>, _ values: [Value],
  target: String? = nil, of object: @escaping (Object) -> Value? = { _ in nil }
) -> Column {
  func value(_ given: Given) -> Value {
    given.object.flatMap(object) ?? values[given.index % values.count]
  }
  return Column(
    name: name, target: target, seen: { Seen(AnyValue(value($0))) },
    read: { owner in
      (owner as? Owner).map { .one(Seen(AnyValue($0[keyPath: path]))) } ?? .one(.null)
    },
    change: { owner, _, given, _ in
      (owner as? Owner)?[keyPath: path] = value(given)
    })
}

private func link<Owner: Object, Target: Object>(
  _ name: String, _ path: ReferenceWritableKeyPath<Owner, Target?>
) -> Column {
  Column(
    name: name, target: "\(Target.self)", seen: seenLink,
    read: { owner in
      .one(seenLink(Given(object: (owner as? Owner)?[keyPath: path])))
    },
    change: { owner, _, given, _ in
      (owner as? Owner)?[keyPath: path] = given.object as? Target
    })
}

private func seenLink(_ given: Given) -> Seen {
  given.object.map { .link($0.identityForTests) } ?? .null
}

private let streets = ["Rue", "Way", ""]

private func address(_ given: Given) -> Address {
  Address(street: streets[given.index % streets.count], country: given.object as? Country)
}

private func seenAddress(_ address: Address) -> Seen {
  .address(Array(address.street.utf8), seenLink(Given(object: address.country)))
}

/// A list, set or map, told of in the same words.
private func collection<Owner: Object, Element: StoredElement>(
  _ name: String, target: String? = nil, _ element: @escaping (Given) -> Element?,
  _ seen: @escaping (Element) -> Seen, list: KeyPath<Owner, List<Element>>? = nil,
  set: KeyPath<Owner, MutableSet<Element>>? = nil, map: KeyPath<Owner, Map<Element>>? = nil
) -> Column {
  Column(
    name: name, target: target, isRequired: true, isCollection: true,
    seen: { given in
      // An address would be made anew by asking for it.
      if Element.self == Address.self {
        return .address(
          Array(streets[given.index % streets.count].utf8), seenLink(Given(object: given.object)))
      }
      return element(given).map(seen) ?? .null
    },
    read: { owner in
      guard let owner = owner as? Owner else { return .one(.null) }
      if let list { return .list(owner[keyPath: list].map(seen)) }
      if let set { return .set(owner[keyPath: set].map(seen)) }
      guard let map else { return .one(.null) }
      return .map(
        Dictionary(uniqueKeysWithValues: owner[keyPath: map].map { ($0.key, seen($0.value)) }))
    },
    change: { owner, change, given, key in
      guard let owner = owner as? Owner, let element = element(given) else { return }
      if let list {
        apply(change, element, to: owner[keyPath: list]) { seen($0) == seen(element) }
      } else if let set {
        let set = owner[keyPath: set]
        switch change {
        case .removeAll: set.removeAll()
        case .remove, .removeElement, .removeLast: set.remove(element)
        default: set.insert(element)
        }
      } else if let map {
        let map = owner[keyPath: map]
        switch change {
        case .removeAll: map.removeAll()
        case .remove, .removeElement, .removeLast: map.removeValue(forKey: key)
        default: map.updateValue(element, forKey: key)
        }
      }
    })
}

private func apply<Element: StoredElement>(
  _ change: ElementChange, _ element: Element, to list: List<Element>,
  isSame: (Element) -> Bool
) {
  let count = list.count
  switch change {
  case .append: list.append(element)
  case .insert(let index): list.insert(element, at: index % (count + 1))
  case .removeElement: list.removeAll(where: isSame)
  case .removeAll: list.removeAll()
  case _ where count == 0: break
  case .remove(let index): list.remove(at: index % count)
  case .replace(let index): list[index % count] = element
  case .move(let from, let to): list.move(from: from % count, to: to % count)
  case .swap(let a, let b): list.swapAt(a % count, b % count)
  case .removeLast: list.removeLast()
  }
}

// MARK: - The models

/// The properties of the models that random programs use.
struct ProgramColumns {
  let columns: [String: [Column]]
  /// The primary keys, which are read only.
  let keys: [String: [Column]] = [
    "Person": [plain("id", \Person.id, [0])], "Country": [plain("code", \Country.code, [""])],
    "Entry": [
      plain("account", \Entry.account, [""]), plain("number", \Entry.number, [nil]),
    ],
  ]

  func column(_ model: String, _ name: String) -> Column? {
    columns[model]?.first { $0.name == name }
  }

  private static let texts = ["", "Ada", "ada", "Zo\u{E9}", "Zoe\u{301}", "x\u{0}y"]
  private static let numbers = [0, -0.0, 1, 2.5, .nan, -.infinity, 1e300]
  private static let dates: [Date] = [0, -0.0, 0.1, -1e9].map(
    Date.init(timeIntervalSinceReferenceDate:))
  private static let decimals: [Decimal] = [0, 1, -2.5, 1_000_000]
  private static let uuids =
    ["6F9619FF-8B86-D011-B42D-00C04FC964FF"].compactMap(UUID.init) + [
      UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    ]
  private static let identifiers = [UInt8(0), 255].compactMap {
    ObjectID(bytes: Array(repeating: $0, count: 12))
  }
  private static var anything: [AnyValue?] {
    [
      nil, 1, 1.0, 0.0, .double(-0.0), 2.5, .float(1), .bool(true), "a", .data(Data([9, 0])),
      .date(Date(timeIntervalSinceReferenceDate: 1)), .decimal(1), .uuid(uuids[0]),
      .objectID(identifiers[0]), .double(.nan),
    ]
  }

  private static func some<Value>(_ values: [Value]) -> [Value?] { [nil] + values.map { $0 } }

  private static func ofAny(_ given: Given) -> AnyValue? {
    given.object.map { AnyValue($0) } ?? anything[given.index % anything.count]
  }

  private static func seenAny(_ value: AnyValue?) -> Seen { value.map { Seen($0) } ?? .null }

  init() {
    let needed = Column(
      name: "needed", target: "Needed", isRequired: true, seen: seenLink,
      read: { .one(seenLink(Given(object: ($0 as? Holder)?.needed))) },
      change: { owner, _, given, _ in
        if let needed = given.object as? Needed { (owner as? Holder)?.needed = needed }
      })
    let person: [Column] = [
      plain("name", \Person.name, Self.texts), plain("age", \Person.age, [0, 1, 2, 3, 4, .min]),
      plain("email", \Person.email, [nil, nil, "a", "b", "c", "d"]),
      plain("born", \Person.born, Self.some(Self.dates)),
      plain("score", \Person.score, Self.numbers), plain("mood", \Person.mood, [.calm, .angry]),
      plain("rank", \Person.rank, [nil, .private, .general]), link("boss", \Person.boss),
      plain("thing", \Person.thing, Self.anything, target: "*") { AnyValue($0) },
      Column(
        name: "home", target: "Country",
        seen: { given in
          given.index % 4 == 3
            ? .null
            : .address(
              Array(streets[given.index % 4 % 3].utf8), seenLink(Given(object: given.object)))
        },
        read: { owner in .one((owner as? Person)?.home.map(seenAddress) ?? .null) },
        change: { owner, _, given, _ in
          var street = given
          street.index = given.index % 4 % 3
          (owner as? Person)?.home = given.index % 4 == 3 ? nil : address(street)
        }),
      collection("dogs", target: "Dog", { $0.object as? Dog }, Self.seenObject, list: \Person.dogs),
      collection(
        "offices", target: "Country", address, seenAddress, list: \Person.offices),
      collection(
        "notes", { ([nil] + Self.texts.map { $0 })[$0.index % 7] }, Self.seenText,
        list: \Person.notes),
      collection(
        "tags", { Self.texts[$0.index % Self.texts.count] }, Self.seenText, set: \Person.tags),
      collection(
        "friends", target: "Person", { $0.object as? Person }, Self.seenObject, set: \Person.friends
      ),
      collection(
        "scores", { Self.numbers[$0.index % Self.numbers.count] },
        { .double($0.bitPattern) }, map: \Person.scores),
      collection("pets", target: "Dog", { $0.object as? Dog }, Self.seenObject, map: \Person.pets),
    ]
    let holder: [Column] = [
      plain("name", \Holder.name, Self.texts), link("nullified", \Holder.nullified),
      link("cascading", \Holder.cascading), link("denied", \Holder.denied), needed,
      collection(
        "pack", target: "Target", { $0.object as? Target }, Self.seenObject, list: \Holder.pack),
      collection(
        "list", target: "Target", { $0.object as? Target }, Self.seenObject, list: \Holder.list),
    ]
    let bag: [Column] = [
      plain("name", \Bag.name, Self.texts),
      plain("one", \Bag.one, Self.anything, target: "*") { AnyValue($0) },
      collection("list", target: "*", { .some(Self.ofAny($0)) }, Self.seenAny, list: \Bag.list),
      collection("set", target: "*", { .some(Self.ofAny($0)) }, Self.seenAny, set: \Bag.set),
      collection("map", target: "*", { .some(Self.ofAny($0)) }, Self.seenAny, map: \Bag.map),
    ]
    let target: [Column] = [plain("name", \Target.name, Self.texts), link("next", \Target.next)]
    columns = [
      "Person": person, "Holder": holder, "Bag": bag, "Target": target,
      "Dog": [
        plain("name", \Dog.name, Self.texts), plain("color", \Dog.color, ["brown", "tan"]),
        plain("age", \Dog.age, [0, 1, 2, 3]),
      ],
      "Country": [plain("name", \Country.name, Self.texts)],
      "Needed": [plain("name", \Needed.name, Self.texts)],
      "Entry": [plain("text", \Entry.text, Self.texts)],
      "Scalars": Self.scalars(),
    ]
  }

  private static func seenObject(_ object: Object) -> Seen { .link(object.identityForTests) }
  private static func seenText(_ text: String) -> Seen { .text(text) }
  private static func seenText(_ text: String?) -> Seen { text.map { .text($0) } ?? .null }

  private static func scalars() -> [Column] {
    let bytes = [Data(), Data([0, 255]), Data("x".utf8)]
    let floats: [Float] = [0, -0.0, 0.1, .nan, .infinity]
    return [
      plain("bool", \Scalars.bool, [false, true]), plain("int", \Scalars.int, [0, .min, .max]),
      plain("int8", \Scalars.int8, [0, .min, .max]),
      plain("int16", \Scalars.int16, [0, .min, .max]),
      plain("int32", \Scalars.int32, [0, .min, .max]),
      plain("int64", \Scalars.int64, [0, .min, .max]), plain("float", \Scalars.float, floats),
      plain("double", \Scalars.double, numbers), plain("string", \Scalars.string, texts),
      plain("data", \Scalars.data, bytes), plain("date", \Scalars.date, dates),
      plain("uuid", \Scalars.uuid, uuids), plain("decimal", \Scalars.decimal, decimals),
      plain("objectId", \Scalars.objectId, identifiers),
      plain("any", \Scalars.any, anything, target: "*") { AnyValue($0) },
      plain("boolOrNone", \Scalars.boolOrNone, [nil, false, true]),
      plain("intOrNone", \Scalars.intOrNone, [nil, .min, 7]),
      plain("int8OrNone", \Scalars.int8OrNone, [nil, .min, 7]),
      plain("int16OrNone", \Scalars.int16OrNone, [nil, .min, 7]),
      plain("int32OrNone", \Scalars.int32OrNone, [nil, .min, 7]),
      plain("int64OrNone", \Scalars.int64OrNone, [nil, .min, 7]),
      plain("floatOrNone", \Scalars.floatOrNone, some(floats)),
      plain("doubleOrNone", \Scalars.doubleOrNone, some(numbers)),
      plain("stringOrNone", \Scalars.stringOrNone, some(texts)),
      plain("dataOrNone", \Scalars.dataOrNone, some(bytes)),
      plain("dateOrNone", \Scalars.dateOrNone, some(dates)),
      plain("uuidOrNone", \Scalars.uuidOrNone, some(uuids)),
      plain("decimalOrNone", \Scalars.decimalOrNone, some(decimals)),
      plain("objectIdOrNone", \Scalars.objectIdOrNone, some(identifiers)),
    ]
  }
}
