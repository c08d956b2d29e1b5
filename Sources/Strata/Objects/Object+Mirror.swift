import StrataSchema

/// How many elements of a collection a debugger shows.
private let maximumShown = 100

extension Object: CustomReflectable {
  /// The properties by name with their values, as a debugger and `dump` show them. Linked objects stand as text, `Person #3`, and
  /// so do the first hundred objects of a collection: objects lead to each other in circles.
  public var customMirror: Mirror {
    var children: [(label: String?, value: Any)] = []
    for (index, property) in model.model.properties.enumerated() where property.isStored {
      children.append((property.name, shown(property, at: index)))
    }
    return Mirror(self, children: children, displayStyle: .class)
  }

  private func shown(_ property: Property, at index: Int) -> Any {
    switch property.type {
    case .list:
      let list = List<AnyValue>(core: collection(at: index, as: ListCore.self))
      return list.prefix(maximumShown).map(\.shown)
    case .set:
      let set = MutableSet<AnyValue>(core: collection(at: index, as: SetCore.self))
      return set.prefix(maximumShown).map(\.shown)
    case .map:
      let map = Map<AnyValue>(core: collection(at: index, as: MapCore.self))
      let entries = map.prefix(maximumShown).map { (key: $0.key, value: $0.value.shown) }
      // A dictionary takes keys for equal that differ in the spelling of an accent alone; the map does not.
      let members = Dictionary(
        entries.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
      return members.count == entries.count ? members : entries
    case .value, .inverse:
      return (cell(at: index).map { AnyValue($0) } ?? .null).shown
    }
  }
}

extension AnyValue {
  fileprivate var shown: Any {
    if case .object = self { return description }
    return payload ?? Optional<Any>.none as Any
  }
}

extension Results: CustomReflectable {
  /// The first hundred objects.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: Array(prefix(maximumShown)), displayStyle: .collection)
  }
}

extension Results: CustomStringConvertible {
  /// The model and the number of objects.
  public var description: String { "Results<\(query.access.model.name)> of \(count)" }
}

extension List: CustomReflectable {
  /// The first hundred elements.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: Array(prefix(maximumShown)), displayStyle: .collection)
  }
}

extension MutableSet: CustomReflectable {
  /// The first hundred elements.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: Array(prefix(maximumShown)), displayStyle: .set)
  }
}

extension Map: CustomReflectable {
  /// The first hundred entries.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: Array(prefix(maximumShown)), displayStyle: .dictionary)
  }
}
