import StrataSchema

/// Whether new embedded objects have the values of those in whose places they come: to put them there would change nothing, and tell observers of it.
extension Object {
  /// How deeply embedded objects are compared. Deeper ones count as different.
  private static let maximumComparedDepth = 64

  /// - Parameter depth: how many objects the two stand in that are being compared.
  fileprivate final func hasValues(of other: Object, depth: Int) -> Bool {
    guard depth < Self.maximumComparedDepth, model.model.name == other.model.model.name else {
      return false
    }
    let shapes = model.shapes
    return shapes.indices.allSatisfy { index in
      switch shapes[index].kind {
      case .none: true
      case .value:
        if let cell = cell(at: index), !cell.isNull {
          StandaloneValue(cell)
            .isSame(as: StandaloneValue(other.cell(at: index) ?? .null), depth: depth)
        } else {
          // Not what it reads as: a link whose object was deleted in this transaction is there until another value is written.
          other.hasNothing(at: index)
        }
      case .list:
        other.passingCollection(at: index, as: ListCore.self)
          .holds(passingCollection(at: index, as: ListCore.self).standaloneElements, depth: depth)
      case .set:
        other.passingCollection(at: index, as: SetCore.self)
          .holds(passingCollection(at: index, as: SetCore.self).standaloneElements)
      case .map:
        other.passingCollection(at: index, as: MapCore.self)
          .holds(passingCollection(at: index, as: MapCore.self).standaloneElements, depth: depth)
      }
    }
  }

  private final func hasNothing(at property: Int) -> Bool {
    if manager != nil { return storedValue(at: property)?.isNull != false }
    return cell(at: property)?.isNull != false
  }
}

extension StandaloneValue {
  /// Whether both are one value or object, or this is a new embedded object with the values of the other one.
  func isSame(as other: StandaloneValue, depth: Int = 0) -> Bool {
    if isIdentical(to: other) { return true }
    guard case .object(let part) = self, case .object(let there) = other,
      part.model.model.isEmbedded, part.manager == nil
    else { return false }
    return part.hasValues(of: there, depth: depth + 1)
  }
}
