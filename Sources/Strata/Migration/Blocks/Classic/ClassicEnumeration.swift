import StrataSchema

/// Goes through the objects of a model, the old ones and the new ones side by side.
final class ClassicEnumeration {
  enum Objects {
    case nothing
    /// A model of both schemas, whose new objects are written as they are gone through.
    case streamed(ClassicStream)
    /// A model of both schemas, whose new objects are in the draft.
    case continued(AnyIterator<FrozenRow>, new: String)
    /// A model of the newest schema alone. What is created meanwhile is not gone through.
    case added(AnyIterator<FrozenRow>, limit: Int64)
    /// A model of the file alone.
    case removed(AnyIterator<FrozenRow>)
  }

  /// Objects between two looks whether the upgrade is to be cancelled.
  private static let objectsPerReport = 1024

  private let session: ClassicSession
  private let stream: ClassicStream?
  private var objects: Objects
  private var loaded: (old: MigrationObject?, new: MigrationObject?) = (nil, nil)
  private var last: Int64?
  private var count = 0

  init(_ session: ClassicSession, _ objects: Objects) {
    self.session = session
    self.objects = objects
    if case .streamed(let stream) = objects { self.stream = stream } else { stream = nil }
  }

  var old: MigrationObject? {
    if case .streamed(let stream) = objects { return stream.old }
    return loaded.old
  }

  var new: MigrationObject? {
    if case .streamed(let stream) = objects { return stream.new }
    return loaded.new
  }

  /// Stores what the body has changed, and goes to the next object; false where there is none.
  @inline(__always)
  func advance() -> Bool {
    if let stream, stream.isActive {
      do {
        if session.isUsable, try stream.advance() { return true }
      } catch {
        session.record(error, stream.new)
        return false
      }
    }
    return advanceInDraft()
  }

  private func advanceInDraft() -> Bool {
    guard session.isUsable else { return false }
    do {
      if case .streamed(let stream) = objects {
        guard !stream.isDone else { return false }
        // Its body has looked further, so that the objects are in the draft by now.
        objects = try stream.rest(in: session)
      }
      try session.workspace.begin(writing: nil)
      count += 1
      if count % Self.objectsPerReport == 0 { try session.watch.report() }
      return try next()
    } catch {
      session.record(error, loaded.new ?? loaded.old)
      return false
    }
  }

  private func next() throws -> Bool {
    loaded = (nil, nil)
    switch objects {
    case .nothing, .streamed: return false
    case .continued(let rows, let model):
      while let row = rows.next() {
        // Deleted meanwhile?
        guard
          let new = try session.object(of: model, identity: row.identity, isOld: false)
        else { continue }
        try session.workspace.begin(writing: new.row)
        loaded = (session.object(row, isOld: true), new)
        return true
      }
    case .added(let rows, let limit):
      while let row = rows.next() {
        guard row.identity < limit else { continue }
        try session.workspace.begin(writing: row)
        loaded.new = session.object(row, isOld: false)
        return true
      }
    case .removed(let rows):
      if let row = rows.next() {
        loaded.old = session.object(row, isOld: true)
        return true
      }
    }
    return false
  }

  /// Runs a body with each object.
  func forEach(_ body: (MigrationObject?, MigrationObject?) throws -> Void) rethrows {
    while advance() {
      do {
        // Without looking up where they come from: most enumerations stream.
        if let stream, stream.isActive {
          try body(stream.old, stream.new)
        } else {
          try body(old, new)
        }
      } catch {
        stop(because: error)
        throw error
      }
    }
  }

  /// The body threw.
  private func stop(because error: any Error) { session.bodyThrew(error, new ?? old) }
}
