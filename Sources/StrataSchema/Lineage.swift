/// Where each model and property of a version comes from: the version that introduced it, and its name then.
///
/// Two properties of different versions are the same one, and share values, only when their origins are
/// equal. A name that was removed and came back has another origin.
package struct Lineage: Hashable, Sendable {
  package struct Origin: Hashable, Sendable {
    /// The version that introduced it.
    package var version: Int
    /// Its path in that version.
    package var path: SchemaPath

    package init(version: Int, path: SchemaPath) {
      self.version = version
      self.path = path
    }
  }

  package private(set) var origins: [SchemaPath: Origin] = [:]

  /// The lineage of a first version: everything starts there.
  package init(beginning schema: Schema) {
    for path in schema.storedPaths {
      origins[path] = Origin(version: schema.version, path: path)
    }
  }

  /// The lineage one version later.
  package func advanced(from older: Schema, to newer: Schema, renames: Renames) -> Lineage {
    var result = Lineage()
    for model in newer.storedModels {
      let old = renames.oldModel(of: model.name, in: older)
      let path = SchemaPath(model.name)
      result.origins[path] =
        old.flatMap { origins[SchemaPath($0.name)] } ?? Origin(version: newer.version, path: path)
      for property in model.storedProperties {
        let path = SchemaPath(model.name, property.name)
        let origin = old.flatMap { old in
          renames.oldProperty(of: property.name, in: old).flatMap {
            origins[SchemaPath(old.name, $0.name)]
          }
        }
        result.origins[path] = origin ?? Origin(version: newer.version, path: path)
      }
    }
    return result
  }

  private init() {}
}

extension Lineage {
  /// Path → `[version, path at its introduction]`.
  package var json: JSON {
    .object(
      Dictionary(
        uniqueKeysWithValues: origins.map { path, origin in
          (
            path.description,
            .array([.int(Int64(origin.version)), .string(origin.path.description)])
          )
        }))
  }

  /// Reads what `json` wrote.
  package init(json: JSON) throws(SchemaFormatError) {
    for (key, value) in json.object ?? [:] {
      guard let path = SchemaPath(key), let pair = value.array, pair.count == 2,
        let version = pair[0].int, let origin = pair[1].string.flatMap({ SchemaPath($0) })
      else { throw SchemaFormatError("'\(key)' has no lineage that can be read") }
      origins[path] = Origin(version: Int(version), path: origin)
    }
  }
}

extension Schema {
  package var storedPaths: [SchemaPath] {
    storedModels.flatMap { model in
      [SchemaPath(model.name)]
        + model.storedProperties.map { SchemaPath(model.name, $0.name) }
    }
  }
}
