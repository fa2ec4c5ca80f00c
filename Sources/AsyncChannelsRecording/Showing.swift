extension Recording {
  /// Which elements a recording shows.
  public enum Showing: Sendable {
    /// All elements, without the parts that are named like a secret or look like one.
    case allButSecrets
    /// Only values marked with ``ShownInRecordings``, and the texts that `describing` returns. For other
    /// values only the type is shown, and for containers the number of elements.
    ///
    /// Use it if recordings leave your company: a value that you forgot to mark is missing, not published.
    case onlyMarked
  }
}
