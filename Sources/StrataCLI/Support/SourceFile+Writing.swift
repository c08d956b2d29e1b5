import StrataCodegen
import StrataSQLite
import StrataSource

extension SourceFile {
  /// Writes the text where the file stands: to the file that a link leads to, so that all who share it have the new text.
  func writeInPlace() throws {
    let files = POSIXFiles()
    let isLink = (try? files.readLink(path)) != nil
    let target = isLink ? try files.realPath(of: path) : path
    try OutputFolder(target.folderOfPath).write([
      GeneratedFile(name: target.nameOfPath, text: String(decoding: bytes, as: UTF8.self))
    ])
  }
}
