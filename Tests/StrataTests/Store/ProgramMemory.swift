/// A value as a random program knows it: bits instead of numbers, so that nothing is equal that differs in a bit.
enum Seen: Hashable, CustomStringConvertible {
  case null
  case bool(Bool)
  case int(Int)
  case float(UInt32)
  case double(UInt64)
  case text([UInt8])
  case data([UInt8])
  case date(UInt64)
  case decimal(String)
  /// A UUID or an object's identifier.
  case name(String)
  case link(Int64)
  /// An embedded address: its street and its country.
  indirect case address([UInt8], Seen)

  static func text(_ text: String) -> Seen { .text(Array(text.utf8)) }

  /// The number, of values that are compared as numbers.
  var number: Double? {
    switch self {
    case .int(let value): Double(value)
    case .float(let bits): Double(Float(bitPattern: bits))
    case .double(let bits): Double(bitPattern: bits)
    case .decimal(let digits): Double(digits)
    default: nil
    }
  }

  /// Whether a set holds only one of both: integers and doubles are one by their value.
  func isOneElement(with other: Seen) -> Bool {
    switch (self, other) {
    case (.int, .double), (.double, .int), (.double, .double):
      self == other || number == other.number
    default: self == other
    }
  }

  var description: String {
    switch self {
    case .null: "nil"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .float(let bits): "float(\(Float(bitPattern: bits)))"
    case .double(let bits): "double(\(Double(bitPattern: bits)))"
    case .text(let bytes): "'\(String(decoding: bytes, as: UTF8.self))'"
    case .data(let bytes): "data\(bytes)"
    case .date(let bits): "date(\(Double(bitPattern: bits)))"
    case .decimal(let digits): "decimal(\(digits))"
    case .name(let name): name
    case .link(let row): "#\(row)"
    case .address(let street, let country):
      "{\(String(decoding: street, as: UTF8.self)), \(country)}"
    }
  }
}

/// What a property holds.
enum Slot: Equatable {
  case one(Seen)
  case list([Seen])
  /// In the order of coming, which does not count.
  case set([Seen])
  case map([String: Seen])

  static func == (left: Slot, right: Slot) -> Bool {
    switch (left, right) {
    case (.one(let a), .one(let b)): a == b
    case (.list(let a), .list(let b)): a == b
    case (.set(let a), .set(let b)): a.count == b.count && Set(a) == Set(b)
    case (.map(let a), .map(let b)): a == b
    default: false
    }
  }

  var elements: [Seen] {
    switch self {
    case .one(let value): [value]
    case .list(let values), .set(let values): values
    case .map(let values): Array(values.values)
    }
  }

  /// What is left when objects are gone.
  func without(_ gone: Set<Int64>) -> Slot {
    func isGone(_ value: Seen) -> Bool {
      if case .link(let row) = value { return gone.contains(row) }
      return false
    }
    func left(_ value: Seen) -> Seen {
      if case .address(let street, let country) = value, isGone(country) {
        return .address(street, .null)
      }
      return value
    }
    switch self {
    case .one(let value): return .one(isGone(value) ? .null : left(value))
    case .list(let values): return .list(values.filter { !isGone($0) }.map(left))
    case .set(let values): return .set(values.filter { !isGone($0) })
    case .map(let values): return .map(values.filter { !isGone($0.value) })
    }
  }
}

/// An object in memory.
struct Thing: Equatable {
  let model: String
  var slots: [String: Slot]

  func one(_ name: String) -> Seen {
    if case .one(let value)? = slots[name] { return value }
    return .null
  }

  func elements(_ name: String) -> [Seen] { slots[name]?.elements ?? [] }

  func link(_ name: String) -> Int64? {
    if case .link(let row) = one(name) { return row }
    return nil
  }
}

/// The objects of a file in memory, by the pages and by nothing of the store.
struct ProgramMemory {
  /// By their numbers, which say in what order the objects came.
  var things: [Int64: Thing] = [:]

  /// The links of a model that delete their holder, and those that refuse.
  private static let cascading = ["Holder": ["cascading", "pack"]]
  private static let denying = ["Holder": ["denied", "needed"]]

  func rows(of model: String) -> [Int64] {
    things.filter { $0.value.model == model }.keys.sorted()
  }

  /// The holders that links to objects keep alive or take with them.
  private func holders(of gone: Set<Int64>, by rules: [String: [String]]) -> Set<Int64> {
    var found: Set<Int64> = []
    for (row, thing) in things where !gone.contains(row) {
      for name in rules[thing.model] ?? [] {
        for case .link(let target) in thing.elements(name) where gone.contains(target) {
          found.insert(row)
        }
      }
    }
    return found
  }

  /// Deletes objects, and what goes with them.
  ///
  /// - Returns: the property whose rule refuses it; nothing is deleted then.
  mutating func delete(_ rows: Set<Int64>) -> String? {
    var gone = rows
    while case let more = holders(of: gone, by: Self.cascading), !more.isEmpty {
      gone.formUnion(more)
    }
    let refusing = holders(of: gone, by: Self.denying)
    if !refusing.isEmpty { return "denied" }
    for row in gone { things[row] = nil }
    things = things.mapValues { thing in
      Thing(model: thing.model, slots: thing.slots.mapValues { $0.without(gone) })
    }
    return nil
  }

  /// The objects of a model that hold this one in a link or a collection.
  func holders(of row: Int64, _ model: String, _ name: String) -> [Int64] {
    rows(of: model).filter { things[$0]?.elements(name).contains(.link(row)) == true }
  }

  /// Another person who has this value already.
  func other(than row: Int64?, _ model: String, with name: String, _ value: Seen) -> Int64? {
    guard value != .null else { return nil }
    return rows(of: model).first { $0 != row && things[$0]?.one(name) == value }
  }

  /// How many addresses are embedded anywhere.
  var addresses: Int {
    things.values.reduce(0) { sum, thing in
      sum
        + thing.slots.values.flatMap(\.elements).filter {
          if case .address = $0 { return true }
          return false
        }.count
    }
  }
}

/// What is done to a collection; positions are taken modulo its length.
enum ElementChange: Hashable {
  case append
  case insert(Int)
  case remove(Int)
  case replace(Int)
  case move(Int, Int)
  case swap(Int, Int)
  case removeAll
  case removeElement, removeLast
}

extension Slot {
  /// Does what is done to the collection of the store.
  mutating func apply(_ change: ElementChange, _ value: Seen, key: String) {
    switch self {
    case .one: self = .one(value)
    case .list(var list):
      let count = list.count
      switch change {
      case .append: list.append(value)
      case .insert(let index): list.insert(value, at: index % (count + 1))
      case .removeElement: list.removeAll { $0 == value }
      case .removeAll: list = []
      case _ where count == 0: break
      case .remove(let index): list.remove(at: index % count)
      case .replace(let index): list[index % count] = value
      case .move(let from, let to):
        let moved = list.remove(at: from % count)
        list.insert(moved, at: to % count)
      case .swap(let a, let b): list.swapAt(a % count, b % count)
      case .removeLast: list.removeLast()
      }
      self = .list(list)
    case .set(var set):
      switch change {
      case .removeAll: set = []
      case .remove, .removeElement, .removeLast: set.removeAll { $0.isOneElement(with: value) }
      default:
        if !set.contains(where: { $0.isOneElement(with: value) }) { set.append(value) }
      }
      self = .set(set)
    case .map(var map):
      switch change {
      case .removeAll: map = [:]
      case .remove, .removeElement, .removeLast: map[key] = nil
      default: map[key] = value
      }
      self = .map(map)
    }
  }
}
