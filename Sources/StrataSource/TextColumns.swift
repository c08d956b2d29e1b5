extension Unicode.Scalar {
  /// How many columns of a terminal the character takes: 0 for a mark on another one, 2 for East Asian wide ones and emoji
  /// (Unicode Standard Annex 11).
  package var columns: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    return switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
      0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      2
    // Two letters of a region are one flag of two columns.
    case 0x1F1E6...0x1F1FF: 1
    default: properties.isEmojiPresentation ? 2 : 1
    }
  }
}
