import StrataTestModels
import Testing

@testable import Strata

/// Observers that do something in their call which they do not want to be told, before they have heard what they did there first. What they show is
/// what they were told and what they did themselves, and what is told later fits that.
@Suite struct OwnChangesTests {
  let test: TestStore
  let store: Store
  let ada: Person

  init() throws {
    test = try TestStore()
    store = test.store
    ada = try test.added(Person(id: 1, name: "Ada"))
    try store.write { [ada] in
      ada.notes.append("a")
      ada.notes.append("b")
    }
  }

  /// What happens in the first call: something that is told later, and something that is not.
  private func change(
    _ token: NotificationToken?, later: () throws -> Void, own: () throws -> Void
  ) throws {
    try store.write(later)
    if let token { try store.write(withoutNotifying: [token], own) }
  }

  @Test(arguments: 0..<6)
  func lists(way: Int) throws {
    let (notes, list) = (ada.notes, ReplayedList<String?>())
    var token: NotificationToken?
    token = try notes.observe { change in
      list.replay(change) { $0 }
      guard list.calls == 2 else { return }
      var shown = list.shown
      do {
        try self.change(token) {
          notes.append("d")
        } own: {
          switch way {
          case 0:
            notes.insert("z", at: 0)
            shown.insert("z", at: 0)
          case 1:
            notes.remove(at: 0)
            shown.remove(at: 0)
          case 2:
            notes[0] = "z"
            shown[0] = "z"
          case 3:
            notes.move(from: 2, to: 0)
            shown.insert(shown.remove(at: 2), at: 0)
          // What is not shown yet.
          case 4: notes.remove(at: 3)
          default: notes[3] = "e"
          }
        }
      } catch {
        Issue.record(error)
      }
      list.reset(to: shown)
    }
    try store.write { notes.append("c") }

    #expect(list.shown == Array(notes) && list.problem == nil)
    #expect(list.calls == (way == 4 ? 2 : 3))
    token?.invalidate()
  }

  @Test func sortedResults() throws {
    let list = ReplayedList<Int>()
    var token: NotificationToken?
    token = try store.objects(Person.self).sorted(by: \.age).observe { change in
      list.replay(change, \.age)
      guard list.calls == 2 else { return }
      do {
        try self.change(token) {
          try store.add(Person(id: 3, name: "Cyd", age: -5))
        } own: {
          ada.age = 40
        }
      } catch {
        Issue.record(error)
      }
      #expect(list.shown == [0, 20])
      list.reset(to: [20, 40])
    }
    try store.write { try store.add(Person(id: 2, name: "Bob", age: 20)) }

    #expect(list.shown == [-5, 20, 40] && list.problem == nil)
    token?.invalidate()
  }

  /// It is shown once: its row has not left the screen.
  @Test func whatItBringsBackToResults() throws {
    let (bob, list) = (Person(id: 2, name: "Bob"), ReplayedList<Int>())
    var token: NotificationToken?
    token = try store.objects(Person.self).where { $0.age < 50 }.observe { change in
      list.replay(change, \.id)
      guard list.calls == 2 else { return }
      do {
        try self.change(token) {
          ada.age = 70
          bob.age = 70
        } own: {
          ada.age = 0
        }
      } catch {
        Issue.record(error)
      }
    }
    try store.write { try store.add(bob) }

    #expect(list.shown == [1] && list.problem == nil && list.calls == 3)
    token?.invalidate()
  }

  @Test func whatItBringsBackToASet() throws {
    let (tags, list) = (ada.tags, ReplayedList<String>())
    var token: NotificationToken?
    token = try tags.observe { change in
      list.replay(change) { $0 }
      guard list.calls == 2 else { return }
      do {
        try self.change(token) {
          tags.remove("a")
          tags.remove("b")
        } own: {
          tags.insert("a")
        }
      } catch {
        Issue.record(error)
      }
    }
    try store.write {
      tags.insert("a")
      tags.insert("b")
    }

    #expect(list.shown == ["a"] && list.problem == nil && list.calls == 3)
    token?.invalidate()
  }

  @Test func whatItBringsBackToASection() throws {
    let (rex, bo) = (Dog(name: "Rex", color: "a"), Dog(name: "Bo", color: "a"))
    var told: [[SectionPlace]] = []
    var token: NotificationToken?
    let young = store.objects(Dog.self).where { $0.age < 10 }
    token = try young.sectioned(by: \.color).observe { change in
      guard case .update(_, let deletions, _, _, _, _) = change else { return }
      told.append(deletions)
      guard told.count == 1 else { return }
      do {
        try self.change(token) {
          rex.age = 10
          bo.age = 10
        } own: {
          rex.age = 1
        }
      } catch {
        Issue.record(error)
      }
    }
    try store.write { try store.add([rex, bo]) }

    #expect(told == [[], [SectionPlace(section: 0, item: 1)]])
    token?.invalidate()
  }

  @Test func maps() throws {
    var told: [[String]] = []
    var token: NotificationToken?
    token = try ada.scores.observe { change in
      guard case .update(_, let deletions, let insertions, let modifications, _) = change
      else { return }
      told.append(deletions + insertions + modifications)
      guard told.count == 1 else { return }
      do {
        try self.change(token) {
          ada.scores["b"] = 2
        } own: {
          ada.scores["a"] = 9
          ada.scores["c"] = 3
        }
      } catch {
        Issue.record(error)
      }
    }
    try store.write { ada.scores["a"] = 1 }

    #expect(told == [["a"], ["b"]])
    token?.invalidate()
  }

  @Test func sections() throws {
    let rex = try test.added(Dog(name: "Rex", color: "a"))
    var told: [[Int]] = []
    var token: NotificationToken?
    token = try store.objects(Dog.self).sectioned(by: \.color).observe { change in
      guard case .update(_, _, _, _, let come, let gone) = change else { return }
      told += [come, gone]
      guard told.count == 2 else { return }
      do {
        try self.change(token) {
          try store.add(Dog(name: "Bo", color: "b"))
        } own: {
          rex.color = "d"
        }
      } catch {
        Issue.record(error)
      }
    }
    try store.write { try store.add(Dog(name: "Cy", color: "c")) }

    // c, and then b in front of c and d.
    #expect(told == [[1], [], [0], []])
    token?.invalidate()
  }

  /// What an observer of Ada is told, whose name changes, when it does this in its first call, which deletes her.
  private func told(later: @escaping () throws -> Void, own: @escaping () throws -> Void) throws
    -> [String]
  {
    var lines: [String] = []
    var token: NotificationToken?
    token = try ada.observe { change in
      if case .change(_, let properties) = change { lines += properties.map(\.name) }
      if case .deleted = change { lines.append("deleted") }
      guard lines.count == 1 else { return }
      do { try self.change(token, later: later, own: own) } catch { Issue.record(error) }
    }
    try store.write { ada.name = "Ida" }
    // Nothing can follow.
    #expect(store.activeObservers == nil)
    token?.invalidate()
    return lines
  }

  @Test func itsOwnDeletionOfAnObject() throws {
    let lines = try told {
      ada.age = 1
    } own: {
      try store.delete(ada)
    }

    #expect(lines == ["name"])
  }

  /// That everything may have changed in its own transaction does not make an earlier deletion its own.
  @Test func aDeletionBeforeItsOwnTransactionIsTold() throws {
    let lines = try told {
      try store.delete(ada)
    } own: {
      try store.deleteAll()
    }

    #expect(lines == ["name", "deleted"])
  }

  /// It is told all of what comes after it.
  @Test func aFailedTransactionIsTakenBack() throws {
    let notes = ada.notes
    let list = ReplayedList<String?>()
    var token: NotificationToken?
    token = try notes.observe { change in
      list.replay(change) { $0 }
      guard list.calls == 2 else { return }
      _ = try? self.change(token) {
        notes.append("d")
      } own: {
        notes.remove(at: 0)
        throw TestStore.Refusal()
      }
    }
    try store.write { notes.append("c") }

    #expect(list.shown == ["a", "b", "c", "d"] && list.problem == nil)
    token?.invalidate()
  }
}
