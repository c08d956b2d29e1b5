import CFaultVFS
import StrataSQLite

@testable import Strata

/// The files of one folder as a disk holds them: what was made durable for certain, and what was written since then, of which a
/// loss of power leaves any part in any order.
///
/// It is meaner than file systems are: of each write any sectors may be missing, also where later ones are there; a name that was made,
/// removed or changed may be as it was, whatever became of its file, until its folder was made durable.
struct UncertainDisk {
  private enum Change {
    case write(offset: Int, bytes: [UInt8])
    case truncate(size: Int)
  }

  private enum Entry {
    case set(String, file: Int)
    case remove(String)
    case rename(String, to: String, file: Int)
  }

  private struct File {
    var durable: [UInt8] = []
    var pending: [Change] = []
  }

  private static let sectorSize = 512

  private var contents: [File] = []
  /// As the running process sees them.
  private var names: [String: Int] = [:]
  private var durableNames: [String: Int] = [:]
  private var pendingNames: [Entry] = []
  private var handles: [Int: Int] = [:]

  /// - Parameter files: what is durable at first, by name.
  init(_ files: [String: [UInt8]]) {
    for (name, bytes) in files {
      names[name] = contents.count
      contents.append(File(durable: bytes))
    }
    durableNames = names
  }

  /// Whether something is not durable yet.
  var isUncertain: Bool { !pendingNames.isEmpty || contents.contains { !$0.pending.isEmpty } }

  // MARK: - What the process does

  mutating func apply(_ record: DiskRecord) {
    switch record {
    case .open(let name, let handle): handles[handle] = made(name)
    case .write(let handle, let offset, let bytes):
      change(handle, .write(offset: offset, bytes: bytes))
    case .truncate(let handle, let size): change(handle, .truncate(size: size))
    case .sync(let handle, let withFolder):
      if let file = handles[handle] { makeDurable(file) }
      if withFolder { makeNamesDurable() }
    case .replace(let name, let bytes):
      let file = made(name)
      contents[file].pending += [.truncate(size: 0), .write(offset: 0, bytes: bytes)]
    case .remove(let name, let withFolder):
      if names.removeValue(forKey: name) != nil { pendingNames.append(.remove(name)) }
      if withFolder { makeNamesDurable() }
    case .rename(let name, let other):
      guard let file = names.removeValue(forKey: name) else { return }
      names[other] = file
      pendingNames.append(.rename(name, to: other, file: file))
    case .syncFile(let name): if let file = names[name] { makeDurable(file) }
    case .syncFolder: makeNamesDurable()
    }
  }

  private mutating func made(_ name: String) -> Int {
    if let file = names[name] { return file }
    names[name] = contents.count
    pendingNames.append(.set(name, file: contents.count))
    contents.append(File())
    return contents.count - 1
  }

  private mutating func change(_ handle: Int, _ change: Change) {
    if let file = handles[handle] { contents[file].pending.append(change) }
  }

  private mutating func makeDurable(_ file: Int) {
    for change in contents[file].pending { Self.apply(change, to: &contents[file].durable) }
    contents[file].pending = []
  }

  private mutating func makeNamesDurable() {
    durableNames = names
    pendingNames = []
  }

  private static func apply(_ change: Change, to bytes: inout [UInt8]) {
    switch change {
    case .write(let offset, let written):
      if bytes.count < offset + written.count {
        bytes += [UInt8](repeating: 0, count: offset + written.count - bytes.count)
      }
      bytes.withUnsafeMutableBytes { target in
        written.withUnsafeBytes {
          UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(from: $0)
        }
      }
    case .truncate(let size):
      if bytes.count > size {
        bytes.removeLast(bytes.count - size)
      } else {
        bytes += [UInt8](repeating: 0, count: size - bytes.count)
      }
    }
  }

  // MARK: - The loss of power

  /// What became of what one file or folder was still owed.
  private enum Fate: CaseIterable {
    case nothing, everything, someSectors, firstChanges, lastChanges
  }

  /// What the next process finds.
  func afterLoss(using random: inout some RandomNumberGenerator) -> [String: [UInt8]] {
    var entries = durableNames
    for entry in Self.left(of: pendingNames, using: &random) {
      switch entry {
      case .set(let name, let file): entries[name] = file
      case .remove(let name): entries[name] = nil
      case .rename(let name, let other, let file):
        if entries[name] == file { entries[name] = nil }
        entries[other] = file
      }
    }
    return entries.mapValues { left(of: contents[$0], using: &random) }
  }

  private static func fate(using random: inout some RandomNumberGenerator) -> Fate {
    Fate.allCases.randomElement(using: &random) ?? .nothing
  }

  private static func left<Element>(
    of pending: [Element], using random: inout some RandomNumberGenerator
  ) -> [Element] {
    let end = Int.random(in: 0...pending.count, using: &random)
    switch fate(using: &random) {
    case .nothing: return []
    case .everything: return pending
    case .someSectors: return pending.filter { _ in Bool.random(using: &random) }
    case .firstChanges: return Array(pending.prefix(end))
    case .lastChanges: return Array(pending.suffix(end))
    }
  }

  private func left(of file: File, using random: inout some RandomNumberGenerator) -> [UInt8] {
    var bytes = file.durable
    // Whole changes are there or missing, and of those that are there some have lost sectors.
    let changes = Self.left(of: file.pending, using: &random)
    let isTorn = Self.fate(using: &random) == .someSectors
    for change in changes {
      guard isTorn, case .write(let offset, let written) = change else {
        Self.apply(change, to: &bytes)
        continue
      }
      for start in stride(from: 0, to: written.count, by: Self.sectorSize)
      where Bool.random(using: &random) {
        let sector = Array(written[start..<min(start + Self.sectorSize, written.count)])
        Self.apply(.write(offset: offset + start, bytes: sector), to: &bytes)
      }
    }
    return bytes
  }
}

/// One thing that a process did to the files of a folder.
enum DiskRecord {
  case open(String, handle: Int)
  case write(handle: Int, offset: Int, bytes: [UInt8])
  case truncate(handle: Int, size: Int)
  case sync(handle: Int, withFolder: Bool)
  case replace(String, bytes: [UInt8])
  case remove(String, withFolder: Bool)
  case rename(String, to: String)
  case syncFile(String)
  case syncFolder

  /// Whether something is durable after it that was not before.
  var isBoundary: Bool {
    switch self {
    case .sync, .syncFile, .syncFolder: true
    case .remove(_, let withFolder): withFolder
    default: false
    }
  }
}

extension FaultVFS {
  /// What was done to the files directly in the folder since the recording began.
  func records(inFolder folder: String) -> [DiskRecord] {
    (0..<fault_vfs_record_count(vfs)).compactMap { index in
      let record = fault_vfs_record_at(vfs, index)
      func name(_ text: UnsafePointer<CChar>?) -> String? {
        guard let text else { return nil }
        let path = String(cString: text)
        // SQLite may have another path of the same folder, without symbolic links.
        guard FilePaths.name(of: FilePaths.folder(of: path)) == FilePaths.name(of: folder) else {
          return nil
        }
        return FilePaths.name(of: path)
      }
      let bytes = { Array(UnsafeRawBufferPointer(start: record.bytes, count: record.count)) }
      let (handle, number) = (record.file, Int(record.offset))
      switch Int(record.kind) {
      case FAULT_RECORD_OPEN: return name(record.name).map { .open($0, handle: handle) }
      case FAULT_RECORD_WRITE: return .write(handle: handle, offset: number, bytes: bytes())
      case FAULT_RECORD_TRUNCATE: return .truncate(handle: handle, size: number)
      case FAULT_RECORD_SYNC: return .sync(handle: handle, withFolder: number != 0)
      case FAULT_RECORD_REMOVE:
        return name(record.name).map { .remove($0, withFolder: number != 0) }
      case FAULT_RECORD_REPLACE: return name(record.name).map { .replace($0, bytes: bytes()) }
      case FAULT_RECORD_RENAME:
        guard let old = name(record.name), let new = name(record.other) else { return nil }
        return .rename(old, to: new)
      case FAULT_RECORD_SYNC_PATH:
        if let name = name(record.name) { return .syncFile(name) }
        return record.name.map { String(cString: $0) } == folder ? .syncFolder : nil
      default: return nil
      }
    }
  }

  func note(_ kind: Int, _ path: String, _ other: String? = nil, bytes: [UInt8] = []) {
    bytes.withUnsafeBytes {
      fault_vfs_note(vfs, Int32(kind), path, other, $0.baseAddress, $0.count)
    }
  }

  func startRecording() { fault_vfs_record(vfs, 1) }
  func stopRecording() { fault_vfs_record(vfs, 0) }
}
