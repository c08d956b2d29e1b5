import StrataExpression
import StrataHistory
import StrataSchema
import StrataSource

extension Rule {
  static let propertyNameReused = Rule(
    "STR3206", "property-name-reused", .warning, .automatic,
    "A name that was removed in an earlier version is there again.",
    help: { _ in
      "it is a new property, and its old values do not return; choose another name if that surprises"
    },
    .history { input in
      var findings: [Finding] = []
      let versions = input.versions
      guard let newest = versions.last, versions.count > 2,
        newest.line == nil || input.baseline?.lock.line(ofVersion: newest.number) == nil
      else { return [] }
      let older = versions[versions.count - 2]
      let renames =
        newest.step?.step.renames.leading(from: older.schema, to: newest.schema) ?? Renames()
      for model in newest.schema.storedModels {
        guard let before = renames.oldModel(of: model.name, in: older.schema) else {
          let earlier = versions.dropLast(2).last {
            $0.schema.model(named: model.name)?.isAbstract == false
          }
          guard let earlier else { continue }
          let path = SchemaPath(model.name)
          findings.append(
            Finding(
              "'\(path)' was there up to version \(earlier.number); this is a new model of the same name",
              at: newest.places[path], path: path,
              help: "its old objects do not return; choose another name if that surprises",
              version: newest.number))
          continue
        }
        // Most models have the properties that they had, in the same order: by name.
        if renames.properties.isEmpty, model.properties.count == before.properties.count,
          model.properties.indices.allSatisfy({
            model.properties[$0].name == before.properties[$0].name
          })
        {
          continue
        }
        for property in model.storedProperties
        where renames.oldProperty(of: property.name, in: before) == nil {
          let earlier = versions.dropLast(2).last {
            $0.schema.model(named: model.name)?.property(named: property.name)?.isStored == true
          }
          guard let earlier else { continue }
          let path = SchemaPath(model.name, property.name)
          findings.append(
            Finding(
              "'\(path)' was there up to version \(earlier.number); this is a new property of the same name",
              at: newest.places[path], path: path, version: newest.number))
        }
      }
      return findings
    })
}
