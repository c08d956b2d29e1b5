/// What NSKeyedArchiver writes: objects in a property list that know each other by number.
struct KeyedArchive {
  /// Keys and elements that are looked at: lists may be shared by many objects, which names more of them than there are.
  private final class Budget {
    var rest = 20_000_000
  }

  let list: BinaryPropertyList
  /// The archive's objects, as places in the list.
  let objects: [Int]
  private let budget = Budget()

  init?(_ bytes: [UInt8]) {
    guard let list = BinaryPropertyList(bytes),
      list.string(list.member(list.root, "$archiver")) == "NSKeyedArchiver"
    else { return nil }
    self.list = list
    objects = list.elements(list.member(list.root, "$objects"))
  }

  /// Whether more was looked at than any archive has: what was read is not all.
  var isExhausted: Bool { budget.rest < 0 }

  /// The object behind a number; nil for the archive's null.
  func resolved(_ index: Int?) -> Int? {
    guard let index else { return nil }
    var found = index
    if case .uid(let number) = list.objects[index] {
      guard objects.indices.contains(number) else { return nil }
      found = objects[number]
    }
    return list.string(found) == "$null" ? nil : found
  }

  private func value(_ index: Int?, _ key: String) -> Int? {
    guard let index, budget.rest >= 0, case .dictionary(let pairs) = list.objects[index] else {
      return nil
    }
    budget.rest -= pairs.count
    return list.member(index, key)
  }

  func member(_ index: Int?, _ key: String) -> Int? { resolved(value(index, key)) }

  func className(_ index: Int?) -> String? {
    list.string(value(member(index, "$class"), "$classname"))
  }

  func string(_ index: Int?, _ key: String) -> String? {
    let found = member(index, key)
    return list.string(found) ?? list.string(member(found, "NS.string"))
  }

  func int(_ index: Int?, _ key: String) -> Int64? { list.int(member(index, key)) }

  /// Of an array, a set, or the values of a dictionary.
  func elements(_ index: Int?) -> [Int] {
    let all = list.elements(value(index, "NS.objects"))
    budget.rest -= all.count
    return budget.rest >= 0 ? all.compactMap { resolved($0) } : []
  }
}
