extension Diagnostics {
  /// The same, with other names for the files that it points into.
  package func renamingPaths(_ rename: (String) -> String) -> Diagnostics {
    var result = Diagnostics()
    for finding in sorted {
      var finding = finding
      if var span = finding.span {
        span.path = rename(span.path)
        finding.span = span
      }
      for index in finding.labels.indices {
        finding.labels[index].span.path = rename(finding.labels[index].span.path)
      }
      if var fixIt = finding.fixIt {
        for index in fixIt.edits.indices {
          fixIt.edits[index].path = rename(fixIt.edits[index].path)
        }
        finding.fixIt = fixIt
      }
      result.report(finding)
    }
    for source in sources.values {
      result.add(SourceFile(path: rename(source.path), bytes: source.bytes))
    }
    result.add(omittedFrom: self)
    return result
  }
}
