import StrataSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension StepContext {
  /// Midnight UTC of the day on which the version was frozen: the same on every machine and path.
  public var date: Date { Date(timeIntervalSinceReferenceDate: secondsSinceReferenceDate) }

  /// A UUID that depends on the version and the object alone.
  ///
  /// - Parameter object: the old object, or a new one whose primary key is set already: an object is known by its key, and as long as
  ///   new ones have the key's default, all of them get the same.
  public func uuid(for object: some FrozenObject) -> UUID {
    let bytes = uuidValue(for: object).bytes
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8],
        bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}
