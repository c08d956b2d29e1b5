import StrataFrontend
import StrataSchema
import StrataSource

/// Reads an `.xcdatamodeld` folder: every model in it is a version.
package enum CoreDataFolder {
  static let maximumVersions = 10_000

  package static func read(_ folder: String, name: String?) throws -> AdoptedHistory {
    var folder = folder
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    let names = try SourceFolder.list(folder)
    var models = names.filter { $0.hasSuffix(".xcdatamodel") }
    var notes: [AdoptNote] = []
    let title = folder.split(separator: "/").last.map(String.init) ?? "Model"
    // A version alone is a history of one.
    let isSingle = title.hasSuffix(".xcdatamodel")
    if isSingle { models = [title] }
    guard !models.isEmpty else {
      let inner = names.first { $0.hasSuffix(".xcdatamodeld") }
      throw AdoptError(
        "'\(folder)' holds no .xcdatamodel"
          + (inner.map { "; name the model's own folder: \(folder)/\($0)" }
            ?? ": it is not a Core Data model\(AdoptSource.coredata.hint(for: folder, names: names))")
      )
    }
    guard models.count <= maximumVersions else {
      throw AdoptError("'\(folder)' holds more than \(maximumVersions) versions")
    }
    var stem = title.hasSuffix(".xcdatamodeld") ? String(title.dropLast(13)) : title
    if isSingle {
      // "Shop 12" is version 12 of Shop.
      stem = String(title.dropLast(".xcdatamodel".count))
      while let last = stem.last, last.isASCII, last.isNumber || " ._-v".contains(last) {
        stem.removeLast()
      }
    }
    let schemaName = try SchemaName.make(name, near: stem.isEmpty ? "Model" : stem)
    var versions: [AdoptedVersion] = []
    for (number, model) in numbered(models) {
      let path = isSingle ? folder : folder + "/" + model
      let inside = try SourceFolder.list(path)
      let label = String(model.dropLast(".xcdatamodel".count))
      guard inside.contains("contents") else {
        guard inside.contains("elements") else {
          throw AdoptError("'\(path)' has no 'contents': it is no Core Data model")
        }
        notes.append(
          AdoptNote(
            kind: .leftOut, entity: "", property: nil,
            reason:
              "version \(number), '\(label)', is in the binary format of Xcode 3, which is not read; save it with a newer Xcode"
          ))
        continue
      }
      let file = try SourceFolder.read(file: path + "/contents")
      guard file.bytes.count <= SourceFile.maximumSize else {
        throw AdoptError("'\(file.path)' is larger than \(SourceFile.maximumSize >> 20) MiB")
      }
      let root: XMLNode
      do throws(XMLProblem) {
        root = try XMLReader.read(file.bytes)
      } catch {
        let place = file.location(at: error.offset)
        throw AdoptError("\(file.path):\(place.line):\(place.column): \(error.message)")
      }
      guard root.name == "model" else {
        throw AdoptError(
          "'\(file.path)' is no Core Data model: its first element is <\(root.name)>")
      }
      versions.append(
        try version(root, path: file.path, schemaName: schemaName, number: number, label: label))
    }
    guard !versions.isEmpty else {
      throw AdoptError(
        "'\(folder)' has no version that can be read\(notes.first.map { ": \($0.reason)" } ?? "")")
    }
    if !isSingle, let current = try currentVersion(folder, names: models), let last = versions.last,
      current != last.name + ".xcdatamodel"
    {
      notes.append(
        AdoptNote(
          kind: .changed, entity: "", property: nil,
          reason:
            "the current version is '\(current)'; '\(last.name)' comes after it and is the working schema here"
        ))
    }
    var history = AdoptedHistory(
      source: .coredata, name: schemaName, versions: versions, notes: notes)
    for index in versions.indices.dropFirst() {
      history.versions[index].notes += history.notesOfStep(
        from: versions[index - 1], to: versions[index])
    }
    return history
  }

  /// One version of a model.
  static func version(
    _ root: XMLNode, path: String, schemaName: String, number: Int, label: String
  ) throws -> AdoptedVersion {
    var mapping = CoreDataMapping(root, path: path)
    let schema = try mapping.schema(named: schemaName, version: number)
    var names = CoreDataSource.Names()
    for entity in mapping.entities {
      names.models[entity.sourceName] = entity.name
      names.properties[entity.sourceName] = entity.names.mapValues(\.name)
    }
    return AdoptedVersion(
      name: label, schema: schema, notes: mapping.notes, identifiers: mapping.identifiers,
      coreData: CoreDataVersion(root: root, names: names), relationships: RelationshipEnds(mapping))
  }

  /// `.xcdatamodeld/.xccurrentversion` names the model that the app uses.
  private static func currentVersion(_ folder: String, names: [String]) throws -> String? {
    let file: SourceFile
    do throws(SourceError) {
      file = try SourceFolder.read(file: folder + "/.xccurrentversion")
    } catch {
      if error.reason == .missing { return nil }
      throw error
    }
    guard let root = try? XMLReader.read(file.bytes),
      let dictionary = root.elements("dict").first,
      let key = dictionary.children.firstIndex(where: { $0.text == "_XCCurrentVersionName" }),
      key + 1 < dictionary.children.count
    else { return nil }
    let name = dictionary.children[key + 1].text
    guard names.contains(name) else {
      throw AdoptError("'\(folder)/.xccurrentversion' names '\(name)', which is not there")
    }
    return name
  }

  /// The number at the end of each name ("Model 12"), 1 for one without; where names have several numbers
  /// ("App2.10.1") or share one, their place in natural order.
  static func numbered(_ models: [String]) -> [(number: Int, name: String)] {
    let keyed = models.map { (key: numbers(in: $0), name: $0) }.sorted {
      $0.key == $1.key
        ? $0.name < $1.name : $0.key.lexicographicallyPrecedes($1.key)
    }
    let single = keyed.map { $0.key.isEmpty ? 1 : $0.key.count == 1 ? $0.key[0] : -1 }
    if !single.contains(-1), Set(single).count == single.count,
      single.allSatisfy({ $0 <= Int(Int32.max) })
    {
      return zip(single, keyed).map { ($0, $1.name) }.sorted { $0.0 < $1.0 }
    }
    return keyed.enumerated().map { ($0.offset + 1, $0.element.name) }
  }

  private static func numbers(in name: String) -> [Int] {
    let stem = name.hasSuffix(".xcdatamodel") ? String(name.dropLast(12)) : name
    var tail: [Int] = []
    // Numbers count from the end of the name backwards, as long as nothing but dots is between.
    var rest = Substring(stem)
    while let last = rest.last, last.isASCII, last.isNumber {
      let digits = String(rest.reversed().prefix { $0.isASCII && $0.isNumber }.reversed())
      guard let number = Int(digits) else { return tail.reversed() }
      tail.append(number)
      rest = rest.dropLast(digits.count)
      guard rest.last == "." else { break }
      rest = rest.dropLast()
    }
    return tail.reversed()
  }
}
