import StrataSQLite

extension Store {
  /// Runs changes of a call that throws: where one of them fails, or is refused by a setter or collection on the way, all of them are taken back
  /// and the transaction goes on without them. What was refused before is for the commit.
  ///
  /// - Parameter savepoint: a name for it.
  /// - Throws: what went wrong first.
  func allOrNothing<Result>(
    _ savepoint: StaticString, _ body: () throws -> Result
  ) throws -> Result {
    let start = changeMark
    let savepoint = try database.beginSavepoint(savepoint)
    let (given, outer) = (GivenObjects(), writing.givenObjects)
    writing.givenObjects = given
    defer { writing.givenObjects = outer }
    do {
      let result = try withoutEarlierError {
        do {
          let result = try body()
          try throwFirstError()
          return result
        } catch {
          throw pending.takeFirst() ?? error
        }
      }
      try database.release(savepoint)
      outer?.include(given)
      return result
    } catch {
      given.giveBack()
      // What was added meanwhile goes again.
      unreadObjects.read(in: writing.outcome)
      suspendCursors()
      // The first error is the one to tell.
      try? database.takeBack(savepoint)
      following.watchedModels = []
      takenBack(since: start)
      throw error
    }
  }

  /// A moment of a transaction, before changes that may be taken back.
  struct ChangeMark {
    fileprivate let generation: UInt64
    fileprivate let sink: ChangeSink.Mark
  }

  var changeMark: ChangeMark { ChangeMark(generation: generation, sink: sink.mark) }

  /// What was read since the mark is read again, and no observer hears of changes that are gone.
  func takenBack(since mark: ChangeMark) {
    clock.takenBack(since: mark.generation)
    sink.takeBack(to: mark.sink)
  }
}
