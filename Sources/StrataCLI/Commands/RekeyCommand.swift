import ArgumentParser
import Strata
import StrataFiles
import StrataSQLite
import StrataSchema

struct RekeyCommand: FileJSONAnswering {
  static let configuration = CommandConfiguration(
    commandName: "rekey",
    abstract: "Gives a database another key, cipher or checksums, encrypts it, or decrypts it.",
    discussion: """
      The file is written anew beside itself, read once to check it, and put into its place: whatever happens, there is one whole \
      file, with the old key or with the new one. Nothing else may have it open meanwhile.

      A plain file may have a checksum on each page, so that a flipped bit is an error instead of another value; every SQLite reads \
      such a file.

      A key file holds 32 or 64 bytes, as many in hexadecimal digits, or one line with a passphrase. `head -c 32 /dev/urandom > key` \
      makes a good one.
      """)

  @Argument(help: "A database file.", transform: PathArgument.parse) var file: String
  @OptionGroup var key: KeyOptions
  @Option(
    help: ArgumentHelp("A file with the key that the database is to have.", valueName: "file"),
    transform: PathArgument.name)
  var newKeyFile: String?
  @Flag(help: "Take the encryption away: the file can be read by everyone who gets it.")
  var decrypt = false
  @Option(
    help: ArgumentHelp(
      "How the database is to be encrypted: \(CipherKind.allCases.map(\.rawValue).joined(separator: " or ")); as it is, or aes-gcm, when left out.",
      valueName: "cipher"))
  var cipher: CipherKind?
  @Flag(
    inversion: .prefixedNo, exclusivity: .exclusive,
    help: "Give each page of a plain file a checksum, or take them away.")
  var checksums: Bool?
  @Flag(help: "Print one JSON object.") var json = false
  @OptionGroup var printing: OutputOptions

  func validate() throws {
    guard !decrypt || (newKeyFile == nil && cipher == nil) else {
      throw ValidationError("--decrypt leaves no key: leave out --new-key-file and --cipher.")
    }
    guard decrypt || newKeyFile != nil || cipher != nil || checksums != nil else {
      throw ValidationError(
        "Say what to change: --new-key-file, --cipher, --decrypt or --checksums.")
    }
    guard checksums == nil || (newKeyFile == nil && cipher == nil) else {
      throw ValidationError(
        "Pages that are encrypted have no checksums: leave out --checksums, or --new-key-file and --cipher."
      )
    }
  }

  func run() throws {
    let given = try key.content()
    // With a key for the new file alone, the old one is plain: its own key may be in the environment for other files.
    let isPlain = Database.isPlain(file)
    let old = isPlain && key.keyFile == nil ? nil : given
    if checksums != nil, !decrypt, !isPlain, EncryptedFile.isEncrypted(file) {
      throw CommandFailure(
        "\(file) is encrypted, and encrypted pages have no checksums. --decrypt makes it a plain one.",
        status: ExitStatus.usage)
    }
    let isPlainAfterwards = decrypt || checksums != nil
    let newKey = try newKeyFile.map { try KeyFile.content(of: $0) } ?? given
    // What was encrypted with its key before is known to open with it.
    let hasNewKey = !isPlainAfterwards && (newKeyFile != nil || old == nil)
    if !isPlainAfterwards, newKey == nil {
      throw CommandFailure(
        "\(file) cannot be encrypted without a key: name the file that holds it with --new-key-file.",
        status: ExitStatus.usage)
    }
    Interruption.watch()
    let report = try Rekeying(
      path: file, from: old.map { FileCipher(key: $0.key) },
      to: isPlainAfterwards ? nil : newKey.map { FileCipher(key: $0.key, kind: cipher) },
      checksums: checksums, isCancelled: { Interruption.isRequested }
    ).run()
    if json {
      Terminal.answer(
        JSON.object([
          "format": "strata.rekey/1", "file": .string(file), "from": .string(report.from.rawValue),
          "to": .string(report.to.rawValue),
        ]))
    } else {
      let form = hasNewKey ? newKey.map { ", \($0.form)" } : nil
      Terminal.print("\(file): \(report.from.rawValue) → \(report.to.rawValue)\(form ?? "")")
    }
    if hasNewKey, let path = newKeyFile ?? key.path, let note = newKey?.note(of: path) {
      Terminal.note(note)
    }
    if decrypt, report.from == .plain || report.from == .checksums {
      Terminal.note("note: \(file) was not encrypted")
    }
    for kept in KeptFiles.paths(beside: file) {
      Terminal.note(
        "note: \(kept), an old file that is kept beside, is as it was: rekey it, too, or remove it")
    }
  }
}

extension CipherKind: ExpressibleByArgument {}
