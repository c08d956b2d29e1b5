extension Results: ObservedCollection {
  public typealias ChangedPlace = Int
  public typealias ObservedElement = Element

  public var _generatedObservation: _GeneratedObservation<Results> {
    let query = query
    return _GeneratedObservation(
      store: query.store, name: "A result", elements: query.access,
      source: { ResultsSource(query, $0) }, reference: CollectionReference(self))
  }
}

extension LinkingObjects: ObservedCollection {
  public typealias ChangedPlace = Int
  public typealias ObservedElement = Element

  public var _generatedObservation: _GeneratedObservation<LinkingObjects> {
    let query = objects?.query
    return _GeneratedObservation(
      store: query?.store, name: "An inverse", elements: query?.access,
      source: { paths in query.map { ResultsSource($0, paths) } ?? CollectionSource() },
      reference: CollectionReference(self))
  }
}

extension List: ObservedCollection {
  public typealias ChangedPlace = Int
  public typealias ObservedElement = Element

  public var _generatedObservation: _GeneratedObservation<List> {
    let core = core
    return _GeneratedObservation(
      store: core.store, name: "A list", elements: core.elementAccess,
      source: { paths in ElementsSource(core, paths) { core.storedValues } },
      reference: CollectionReference(self))
  }
}

extension MutableSet: ObservedCollection {
  public typealias ChangedPlace = Int
  public typealias ObservedElement = Element

  public var _generatedObservation: _GeneratedObservation<MutableSet> {
    let core = core
    return _GeneratedObservation(
      store: core.store, name: "A set", elements: core.elementAccess,
      source: { paths in ElementsSource(core, paths) { core.storedValues } },
      reference: CollectionReference(self))
  }
}

extension Map: ObservedCollection {
  public typealias ChangedPlace = String
  public typealias ObservedElement = Value

  public var _generatedObservation: _GeneratedObservation<Map> {
    let core = core
    return _GeneratedObservation(
      store: core.store, name: "A map", elements: core.elementAccess,
      source: { MapSource(core, $0) }, reference: CollectionReference(self))
  }
}
