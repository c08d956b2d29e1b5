/// The decrypted bytes of a file, each range checked before it is read, and how much of them has been read.
///
/// A whole file is read once from its tables down, so that each byte is met a few times at most. A file whose references lead to the
/// same place again and again could make a small file look endless; `charge` ends such a reading.
final class RealmBytes {
  /// Bytes that stay in memory before they are given back.
  private static let maximumTouched = 8 << 20
  /// What one byte that is read brings into memory: the system maps 64 KiB around it, and a page is decrypted as a whole.
  private static let mappedAtOnce = 16
  private static let decryptedAtOnce = 12
  /// Objects and elements that a byte of a file may stand for in one reading: where all are null or zero, Realm keeps 1,000 of them
  /// in the eight bytes that a node begins with.
  private static let elementsOfByte = 256
  /// What even the smallest file may hold beside that.
  private static let elementsOfSmallFile = 1 << 18

  /// Bytes of texts and blobs that a byte of a file may stand for in one reading; each is read once in a file of Realm's.
  private static let copiedOfByte = 16
  /// What even the smallest file may hold beside that.
  private static let copiedOfSmallFile = 1 << 22

  let start: UnsafeRawPointer
  let count: Int
  private let mapped: MappedFile
  private let decrypted: DecryptedPages?
  private var touched = 0
  /// Binary digits of the bytes that come into memory at once.
  private let regionDigits: Int
  private var lastRegion = -1
  private var budget = 0
  private var elements = 0
  private var copied = 0
  /// How often memory was given back.
  private(set) var releases = 0
  /// Grows when pages were given back: what was read before stands in memory no longer.
  private(set) var generation = 0

  init(_ mapped: MappedFile) {
    self.mapped = mapped
    decrypted = nil
    regionDigits = Self.mappedAtOnce
    start = mapped.start
    count = mapped.count
    beginReading()
  }

  init(_ mapped: MappedFile, cipher: any PageCipher) throws(RealmError) {
    let decrypted = try DecryptedPages(of: mapped, cipher: cipher)
    self.mapped = mapped
    self.decrypted = decrypted
    regionDigits = Self.decryptedAtOnce
    start = UnsafeRawPointer(decrypted.start)
    count = decrypted.count
    beginReading()
  }

  var isEncrypted: Bool { decrypted != nil }

  /// Makes a range readable.
  @inline(__always)
  func require(_ offset: Int, _ length: Int) throws(RealmError) {
    guard offset >= 0, length >= 0, offset <= count, length <= count - offset else {
      throw RealmError("\(length) bytes are expected where the file ends", at: offset)
    }
    let region = offset >> regionDigits
    if region != lastRegion {
      lastRegion = region
      touched &+= 1 << regionDigits
    }
    touched &+= length
    if let decrypted { try decrypted.fill(offset, length) }
  }

  /// A new reading of the whole file begins.
  func beginReading() {
    budget = 8 &* count &+ (1 << 14)
    elements = Self.elementsOfByte &* count &+ Self.elementsOfSmallFile
    copied = Self.copiedOfByte &* count &+ Self.copiedOfSmallFile
  }

  /// Counts a step of the reading.
  @inline(__always)
  func charge(_ steps: Int) throws(RealmError) {
    budget &-= steps
    if budget < 0 {
      throw RealmError("its references lead to the same places too often: the file is damaged")
    }
  }

  /// Counts objects or elements of the reading, which may take no bytes of their own.
  ///
  /// - Parameter ref: of the node that they are said to be in.
  func charge(elements count: Int, at ref: Int) throws(RealmError) {
    elements &-= count
    if elements < 0 {
      throw RealmError("the file is said to hold more than its bytes can: it is damaged", at: ref)
    }
  }

  /// Counts bytes that are taken out of the file into memory.
  func charge(copied count: Int) throws(RealmError) {
    copied &-= count
    if copied < 0 {
      throw RealmError("its texts and blobs are more than its bytes can be: the file is damaged")
    }
  }

  /// Gives memory back when much has been read. Only where no node is in use.
  func releaseIfMany() throws(RealmError) {
    guard hasTouchedMany else { return }
    generation &+= 1
    noteRelease()
    if let decrypted { try decrypted.release() } else { mapped.release() }
  }

  /// The same where nodes are in use: what is mapped comes back with the same bytes, what was decrypted stays.
  func releaseMappedIfMany() {
    guard hasTouchedMany, decrypted == nil else { return }
    noteRelease()
    mapped.release()
  }

  /// A small file stays: near places are counted again and again.
  private var hasTouchedMany: Bool { touched > Self.maximumTouched && count > Self.maximumTouched }

  private func noteRelease() {
    touched = 0
    lastRegion = -1
    releases &+= 1
  }

  func integer<Number: FixedWidthInteger>(
    _ type: Number.Type, at offset: Int
  ) throws(RealmError) -> Number {
    try require(offset, MemoryLayout<Number>.size)
    return Number(littleEndian: (start + offset).loadUnaligned(as: Number.self))
  }
}
