import StrataSchema

extension Object {
  /// A standalone copy of the object, and of what it leads to.
  ///
  /// Objects that are met again, also in a cycle, are one object in the copy, too. The copy belongs to nothing: it can be
  /// changed anywhere, and added to a store again, with `update: .modified` in the place of the original.
  /// - Parameter depth: how many links are followed; links beyond are nil, collections of objects empty. Embedded
  ///   objects belong to their owner and are always copied. Nil for no limit.
  public final func detached(depth: Int? = nil) -> Self {
    unsafeDowncast(Detachment(depth: depth).copy(self), to: Self.self)
  }
}

/// One `detached()`: which object has become which.
private final class Detachment {
  private struct Key: Hashable {
    let model: String
    let row: Int64
  }

  private let depth: Int
  private var managedCopies: [Key: Object] = [:]
  private var standaloneCopies: [ObjectIdentifier: Object] = [:]
  /// Copies whose properties are still to be filled. Breadth first, so that everything is met at its least depth, and
  /// long chains need no deep stack.
  private var waiting: [(source: Object, copy: Object, depth: Int)] = []
  private var next = 0

  init(depth: Int?) { self.depth = depth ?? .max }

  func copy(_ object: Object) -> Object {
    let result = copy(object, at: 0)
    while next < waiting.count {
      let (source, copy, depth) = waiting[next]
      next += 1
      fill(copy, from: source, at: depth)
    }
    return result
  }

  private func copy(_ object: Object, at depth: Int) -> Object {
    if object.manager != nil {
      let key = Key(model: object.model.model.name, row: object.row)
      if let copy = managedCopies[key] { return copy }
      let copy = object.model.newObject()
      managedCopies[key] = copy
      waiting.append((object, copy, depth))
      return copy
    }
    if let copy = standaloneCopies[ObjectIdentifier(object)] { return copy }
    let copy = object.model.newObject()
    standaloneCopies[ObjectIdentifier(object)] = copy
    waiting.append((object, copy, depth))
    return copy
  }

  private func linked(_ object: Object, at depth: Int) -> Object? {
    if object.model.model.isEmbedded { return copy(object, at: depth) }
    return depth < self.depth ? copy(object, at: depth + 1) : nil
  }

  private func fill(_ copy: Object, from source: Object, at depth: Int) {
    let storage = copy.standaloneStorage
    for (index, property) in source.model.model.properties.enumerated() where property.isStored {
      switch property.type {
      case .inverse: continue
      case .list:
        let core = source.collection(at: index, as: ListCore.self)
        storage.values[index] = .collection(core.detached { linked($0, at: depth) })
      case .set:
        let core = source.collection(at: index, as: SetCore.self)
        storage.values[index] = .collection(core.detached { linked($0, at: depth) })
      case .map:
        let core = source.collection(at: index, as: MapCore.self)
        storage.values[index] = .collection(core.detached { linked($0, at: depth) })
      case .value:
        switch source.cell(at: index)?.content {
        case .object(let object):
          storage.values[index] =
            linked(object, at: depth).map(StandaloneValue.object) ?? .value(.null)
        case .value(let value): storage.values[index] = .value(value)
        case nil: continue
        }
      }
    }
  }
}
