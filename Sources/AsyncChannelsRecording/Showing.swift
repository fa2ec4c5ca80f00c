extension Recording {
  /// Which elements a recording puts into words.
  public enum Showing: Sendable {
    /// All, without what is named or looks like a secret.
    case allButSecrets
    /// Only ``ShownInRecordings``, and what `describing` returns. Of the others the type is shown, and of
    /// containers how many elements they have.
    ///
    /// Use it if recordings leave your company: what you forgot to mark is missing, not published.
    case onlyMarked
  }
}
