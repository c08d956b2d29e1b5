import StrataExpression
import StrataSchema

/// Tells from the steps alone that nothing of what has changed can be lost, so that it need not be looked for.
struct LossEstimate {
  private let route: BackRoute

  init(_ route: BackRoute) { self.route = route }

  /// - Parameters:
  ///   - properties: stored properties of the newest version that have changed.
  ///   - counts: how many objects of each kind.
  func isSafe(_ way: BackWay, _ properties: Set<Int>, _ counts: [ChangeDetection.Kind: Int]) -> Bool
  {
    guard counts.values.contains(where: { $0 > 0 }) else { return true }
    // What was worked out from others says nothing of the object's own values.
    guard counts[.reached] == nil else { return false }
    guard route.keepsObjectsApart, let oldest = way.oldest else { return false }
    let origins = Dictionary(
      oldest.storedProperties.indices.compactMap { position in
        way.origin(of: position).map { ($0, position) }
      }
    ) { first, _ in first }
    let influential = influences(way)
    let isSafe: (Int) -> Bool = { top in
      guard let position = origins[top], !influential.contains(top) else { return false }
      return converts(way, position)
    }
    guard properties.allSatisfy(isSafe) else { return false }
    return (counts[.created] ?? 0) == 0 || way.newest.storedProperties.indices.allSatisfy(isSafe)
  }

  /// Whether a value is the same again after an upgrade, whatever it is; what does not fit is noted where that turns out.
  private func converts(_ way: BackWay, _ position: Int) -> Bool {
    var position = position
    for number in 0..<way.top {
      guard let level = way.level(number),
        case .carried(let newer, let conversion) = level.properties[position]
      else { return false }
      switch conversion.forward {
      case .none, .scalar, .elements, .renamedModels: position = newer
      case .wrapped, .recollected: return false
      }
    }
    return true
  }

  /// Stored properties of the newest version that other values are made from, on the way up.
  private func influences(_ way: BackWay) -> Set<Int> {
    var result: Set<Int> = []
    for number in 0..<way.top {
      guard let level = way.level(number),
        let step = level.transition.model(named: level.newer.name)
      else { continue }
      var names: Set<String> = []
      for property in step.properties {
        switch property.origin {
        case .expression(let expression):
          names.formUnion(expression.readProperties.map { level.model.properties[$0].name })
        case .generated: names.formUnion(level.newer.primaryKey)
        case .copied, .constant: break
        }
      }
      for name in names { result.formUnion(newest(name, way, from: number)) }
    }
    return result
  }

  /// Where a property of a level stands in the newest version, if it does.
  private func newest(_ name: String, _ way: BackWay, from number: Int) -> [Int] {
    guard
      var position = way.level(number)?.model.storedProperties.firstIndex(where: { $0.name == name }
      )
    else { return [] }
    for number in number..<way.top {
      guard let level = way.level(number), case .carried(let newer, _) = level.properties[position]
      else {
        return []
      }
      position = newer
    }
    return [position]
  }
}
