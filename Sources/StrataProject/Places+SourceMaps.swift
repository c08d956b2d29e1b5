import StrataEvolution
import StrataFrontend
import StrataSchema
import StrataSource

// What the frontend knows about places, in the words of the rules.

extension SchemaPlaces {
  init(_ map: SourceMap, order: DeclarationOrder? = nil) {
    self.init(version: map.version, order: order) { path, aspect in
      map.span(of: path, aspect)
    }
  }
}

extension SourceMap {
  fileprivate func span(of path: SchemaPath, _ aspect: SchemaPlaces.Aspect) -> SourceSpan? {
    if aspect == .rule { return span(ofRule: path) }
    guard path.property != nil else {
      return switch aspect {
      case .primaryKey: span(ofModel: path.model, key: .primaryKey)
      case .indexes: span(ofModel: path.model, key: .indexes)
      case .uniques: span(ofModel: path.model, key: .unique)
      case .embedded: span(ofModel: path.model, key: .embedded)
      default: self[path]
      }
    }
    return switch aspect {
    case .type: span(of: path, key: .type)
    case .defaultValue: span(of: path, key: .default)
    case .index: span(of: path, key: .indexed)
    case .unique: span(of: path, key: .unique)
    case .deleteRule: span(of: path, key: .deleteRule)
    case .generate: span(of: path, key: .generate)
    default: self[path]
    }
  }
}

extension StepPlaces {
  init(_ map: StepSourceMap) {
    self.init(file: map.file) { part in
      switch part {
      case .to: map.to
      case .renamed(let path): map.renamedFrom[path]
      case .newName(let path): map.renamedTo[path]
      case .set(let path): map.set[path]
      case .back(let path): map.back[path]
      case .delete(let model): map.delete[model]
      case .deduplicate(let model): map.deduplicate[model]
      case .deduplicateBy(let path): map.deduplicateBy[path]
      case .repair(let path): map.repair[path]
      case .drop(let path): map.drop[path]
      case .swift(let model): map.swift[model]
      case .acceptedRule(let index):
        map.accept.indices.contains(index) ? map.accept[index].rule : nil
      case .acceptedPath(let index):
        map.accept.indices.contains(index) ? map.accept[index].at : nil
      }
    } expression: { text, range in
      switch text {
      case .value(let path): map.span(ofExpressionFor: path, part: range)
      case .wayBack(let path): map.span(ofWayBackFor: path, part: range)
      case .condition(let model): map.span(ofConditionFor: model, part: range)
      case .repair(let rule, let property):
        map.span(ofRepairOf: rule, property: property, part: range)
      }
    } declaration: { old, new in
      RenameInsertion.checkedEdit(
        declaring: [(old, new)], in: map.file, number: StepReader.number(of: map.file) ?? 0)
    }
  }

  /// Of a file that is to be made.
  init(new file: SourceFile, to number: Int) {
    self.init(
      file: file,
      declaration: { old, new in
        RenameInsertion.checkedEdit(declaring: [(old, new)], in: file, number: number)
      })
  }
}
