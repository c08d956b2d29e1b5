extension Unicode.Scalar {
  /// Neither a control character other than the tab nor one that turns the direction of text or ends a line.
  package var isShowable: Bool {
    switch properties.generalCategory {
    case .control: self == "\t"
    case .format: !(0x202A...0x202E).contains(value) && !(0x2066...0x2069).contains(value)
    case .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }

  /// What stands for the character where people read it: U+FFFD for one that would steer a terminal or turn what is beside
  /// it.
  package var shown: Unicode.Scalar { isShowable ? self : "\u{FFFD}" }
}
