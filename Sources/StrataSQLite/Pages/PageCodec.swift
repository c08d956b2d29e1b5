import CSQLite

/// Where a page's image stands: what a codec binds a page to.
package struct PagePlace: Sendable {
  package enum File: UInt8, Sendable {
    case database = 1
    case journal = 2
    case log = 3
    case temporary = 4
  }

  package var file: File
  /// The page's number; 1 is the page with SQLite's header. Of a temporary file, the number of the block.
  package var number: UInt32
  /// Of a frame of the write-ahead log: its index, the header's commit size and both salts.
  package var frame = FramePlace()

  package init(file: File, number: UInt32, frame: FramePlace = FramePlace()) {
    self.file = file
    self.number = number
    self.frame = frame
  }
}

package struct FramePlace: Sendable {
  package var index: UInt32 = 0
  package var commitSize: UInt32 = 0
  package var salts: UInt64 = 0

  package init(index: UInt32 = 0, commitSize: UInt32 = 0, salts: UInt64 = 0) {
    self.index = index
    self.commitSize = commitSize
    self.salts = salts
  }
}

/// Turns the pages of one file into what stands on the disk, and back.
///
/// A codec belongs to one connection, so to one thread at a time.
package protocol PageCodec: AnyObject {
  /// Bytes at the end of each page that SQLite leaves to the codec.
  var reservedBytes: Int { get }
  /// Whether a page may keep more reserved bytes than that.
  var allowsMoreReservedBytes: Bool { get }
  /// Whether a page of the log can be opened only where it stands in the log, so that no other program may copy it into the file.
  var sealsForLog: Bool { get }
  /// Whether only the first page, which is not written yet, will say how pages are sealed. Those that are written before stay as they
  /// are until then, and are sealed with it.
  var isUndecided: Bool { get }
  /// Whether the file's first 100 bytes are those of the file that the codec was made for.
  func belongs(to start: UnsafeRawBufferPointer) -> Bool
  /// What SQLite may see of the first 100 bytes where page 1 cannot be opened, as while another process writes it.
  func readableHeader(_ start: UnsafeRawBufferPointer, pageSize: Int) -> [UInt8]
  /// Writes the page as the disk holds it into `target`, which has `size` bytes.
  func seal(
    _ page: UnsafeRawPointer, into target: UnsafeMutableRawPointer, size: Int, at place: PagePlace
  )
    -> Bool
  /// Turns what the disk holds into the page, in place; false where it is not what was sealed there.
  func open(_ page: UnsafeMutableRawPointer, size: Int, at place: PagePlace) -> Bool
}

extension PageCodec {
  package var isUndecided: Bool { false }
  package var sealsForLog: Bool { false }
}

/// Why a file has no codec here.
package enum PageProblem: Error, Hashable, Sendable {
  /// It is no encrypted file, or the key is not its key.
  case wrongKey
  /// A key was given for a file that is not encrypted.
  case notEncrypted
  /// The file is encrypted in another way than was asked for.
  case otherCipher
  /// A newer program encrypted the file.
  case unknownScheme
  /// What names the scheme makes no sense.
  case damaged
  /// The file system did not give what it was asked for.
  case unreadable
}

extension PageProblem {
  /// A detail of SQLite's code for a file that is no database, far from those that SQLite uses.
  private static let details: [(Self, Int32)] = [
    (.wrongKey, 201), (.notEncrypted, 202), (.otherCipher, 203), (.unknownScheme, 204),
  ]

  /// As a VFS answers it.
  var code: Int32 {
    for (problem, detail) in Self.details where problem == self {
      return SQLITE_NOTADB | detail << 8
    }
    return self == .unreadable ? PageCode.read : PageCode.data
  }

  init?(code: Int32) {
    for (problem, detail) in Self.details where code == SQLITE_NOTADB | detail << 8 {
      self = problem
      return
    }
    return nil
  }
}

/// One way to keep pages, with its key: makes the codecs of any number of files.
package protocol PageScheme: AnyObject, Sendable {
  /// Bytes at the end of each page that a new file leaves to the codec.
  var reservedBytes: Int { get }
  /// Bytes at the end of each page that a file leaves to the codec when it is written anew in its place.
  ///
  /// - Parameter start: up to 100 of its first bytes; none of a new one.
  func reservedBytes(ofFileStartingWith start: [UInt8]) -> Int
  /// Whether temporary files are sealed as well.
  var sealsTemporaries: Bool { get }
  /// The codec of a file that is there.
  ///
  /// - Parameters:
  ///   - start: up to 100 of its first bytes.
  ///   - read: reads bytes of the file from an offset on; nil where there are fewer.
  /// - Returns: the codec and the size of the file's pages.
  func codec(
    forFileStartingWith start: [UInt8], read: (_ offset: Int, _ count: Int) -> [UInt8]?
  ) throws(PageProblem) -> (codec: any PageCodec, pageSize: Int)
  /// The codec of a file that is being created.
  func codecOfNewFile() -> any PageCodec
  /// The codec of temporary files; its key is kept nowhere.
  func codecOfTemporaries() -> (any PageCodec)?
}

/// The sizes that a page may have.
package enum PageSizes {
  /// The most frequent first.
  package static let all = [4096, 1024, 8192, 16_384, 32_768, 65_536, 2048, 512]

  /// What SQLite's header spells in bytes 16 and 17; nil where that is no size.
  package static func size(_ high: UInt8, _ low: UInt8) -> Int? {
    let spelled = Int(high) << 8 | Int(low)
    let size = spelled == 1 ? 65_536 : spelled
    return all.contains(size) ? size : nil
  }
}

extension PageScheme {
  package func reservedBytes(ofFileStartingWith start: [UInt8]) -> Int { reservedBytes }
}
