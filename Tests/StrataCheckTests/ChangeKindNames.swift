import StrataSchema

enum ChangeKindNames {
  static let all = ChangeKind.allCases.map(\.code)
}
