import Models
import Strata

/// What somebody typed.
enum Command {
  case add(name: String, phones: [(label: String, number: String)], groups: [String])
  case list
  case find(String)
  case group(String)
  case remove(String)

  init?(_ arguments: [String]) {
    switch (arguments.first, arguments.dropFirst().first) {
    case ("add", let name?):
      let rest = arguments.dropFirst(2)
      let phones = rest.filter { $0.contains("=") }.map { text in
        let parts = text.split(separator: "=", maxSplits: 1)
        return (label: String(parts.first ?? ""), number: String(parts.last ?? ""))
      }
      let groups = rest.filter { $0.hasPrefix("+") }.map { String($0.dropFirst()) }
      self = .add(name: name, phones: phones, groups: groups)
    case ("list", nil): self = .list
    case ("find", let text?): self = .find(text)
    case ("group", let name?): self = .group(name)
    case ("remove", let name?): self = .remove(name)
    default: return nil
    }
  }

  func run(in store: Store) throws {
    switch self {
    case .add(let name, let phones, let groups):
      try store.write {
        let contact = Contact(
          name: name, phones: phones.map { Phone(label: $0.label, number: $0.number) },
          groups: try groups.map { try group(named: $0, in: store) })
        try store.add(contact)
      }
    case .list:
      show(Array(store.objects(Contact.self)))
    case .find(let text):
      show(Array(try store.objects(Contact.self).filter("name CONTAINS[cd] %@", text)))
    case .group(let name):
      let group = try store.object(ofType: Group.self, forPrimaryKey: name)
      show(group.map { Array($0.members) } ?? [])
    case .remove(let name):
      try store.write {
        try store.delete(store.objects(Contact.self).where { $0.name == name })
      }
    }
  }

  /// The group of this name, a new one if need be.
  private func group(named name: String, in store: Store) throws -> Group {
    if let group = try store.object(ofType: Group.self, forPrimaryKey: name) { return group }
    let group = Group(name: name)
    try store.add(group)
    return group
  }

  private func show(_ contacts: [Contact]) {
    for contact in contacts.sorted(by: { $0.sortName < $1.sortName }) { print(contact.summary) }
  }
}
