import StrataSchema

/// A change of one element of a list, set or map. Elements of a set are numbered in the order in which SQLite sorts them.
package enum ElementChange {
  /// Behind the last element where there is no position; a set puts it where it belongs.
  case insert(Any?, at: Int?)
  case replace(Any?, at: Int)
  case remove(at: Int)
  /// Of a list: to where the element has the other position in the end.
  case move(from: Int, to: Int)
  /// Of a map.
  case set(Any?, forKey: String)
  case removeKey(String)
  case renameKey(String, to: String)
}

extension Object {
  /// Changes one element by the name of the collection; values are taken and refused as by `setValue(_:forKey:)`.
  ///
  /// - Throws: `StoreError.unknownProperty`, `.wrongType` also where there is no element at a position.
  package func changeElement(of name: String, _ change: ElementChange) throws(StoreError) {
    guard let index = model.model.indexOfProperty(named: name) else {
      throw .unknownProperty(model: model.model.name, property: name)
    }
    do {
      guard let manager else { return try self.change(index, change) }
      try manager.checkInWriteTransaction()
      try manager.allOrNothing("strata_element") { try self.change(index, change) }
    } catch {
      throw manager?.storeError(error) ?? StoreError(error, path: "")
    }
  }

  private func change(_ index: Int, _ change: ElementChange) throws {
    let reader = ObjectReader(store: manager, update: .error)
    func value(_ given: Any?) throws -> StandaloneValue {
      try reader.storedValue(given, model, index)
    }
    func place(_ place: Int, of count: Int) throws -> Int {
      guard (0..<count).contains(place) else {
        throw refusal(of: index, "the position \(place) of \(count) elements")
      }
      return place
    }
    switch model.model.properties[index].type {
    case .list:
      let list = collection(at: index, as: ListCore.self)
      let count = list.count
      switch change {
      case .insert(let given, let at):
        list.insert(try value(given), at: try place(at ?? count, of: count + 1))
      case .replace(let given, let at):
        list.set(try value(given), at: try place(at, of: count))
      case .remove(let at): list.remove(at: try place(at, of: count))
      case .move(let from, let to):
        list.move(from: try place(from, of: count), to: try place(to, of: count))
      case .set, .removeKey, .renameKey: throw refusal(of: index, "a key")
      }
    case .set:
      let set = collection(at: index, as: SetCore.self)
      switch change {
      case .insert(let given, _): set.insert(try value(given))
      case .replace(let given, let at):
        let old = StandaloneValue(set.element(at: try place(at, of: set.count)))
        let new = try value(given)
        set.remove(old)
        set.insert(new)
      case .remove(let at):
        set.remove(StandaloneValue(set.element(at: try place(at, of: set.count))))
      case .move, .set, .removeKey, .renameKey: throw refusal(of: index, "a place")
      }
    case .map:
      let map = collection(at: index, as: MapCore.self)
      switch change {
      case .set(let given, let key): map.set(try value(given), forKey: key)
      case .removeKey(let key): map.remove(key)
      case .renameKey(let old, let new):
        guard let element = map.element(forKey: old) else {
          throw refusal(of: index, "the key '\(old)', which it does not have")
        }
        guard map.element(forKey: new) == nil else {
          throw refusal(of: index, "the key '\(new)', which it has already")
        }
        // An embedded object gets a copy under the new key, and goes with the old one.
        map.set(StandaloneValue(element), forKey: new)
        map.remove(old)
      case .insert, .replace, .remove, .move: throw refusal(of: index, "a position")
      }
    case .value, .inverse: throw refusal(of: index, "an element")
    }
  }

  private func refusal(of index: Int, _ found: String) -> StoreError {
    let property = model.model.properties[index]
    return .wrongType(
      model: model.model.name, property: property.name, expected: property.type.spelling,
      found: found)
  }
}
