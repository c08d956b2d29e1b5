import StrataSchema

@testable import Strata

/// What generated types say by position, by name: for blocks of tests.
extension FrozenRow {
  private func place(_ name: String) -> Int { model.indexOfProperty(named: name) ?? -1 }

  subscript(name: String) -> Value {
    get { kept(place(name)) }
    set { write(place(name), newValue) }
  }

  func text(_ name: String) -> String { value(place(name)) }

  func number(_ name: String) -> Int64 { Int64(value(place(name)) as Int) }

  func list<Element: StoredValue>(named name: String) -> FrozenList<Element> { list(place(name)) }

  func map<Element: StoredValue>(named name: String) -> FrozenMap<Element> { map(place(name)) }
}
