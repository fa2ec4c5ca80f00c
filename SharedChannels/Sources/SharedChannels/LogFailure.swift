/// Why a log could not do what it was asked.
public enum LogFailure: Error, Equatable, CustomStringConvertible {
  /// The log was set back: it does not have the position that was read after. It has this epoch now. A reader
  /// begins anew.
  case otherEpoch(String)
  /// An entry is missing: after this index came an entry with the other one. A reader begins anew, with a
  /// snapshot that is behind the gap, if there is one.
  case gap(after: Int64, found: Int64)
  /// The engine has stored nothing, and will not. Asking again may succeed later, for example when the disk has
  /// space again.
  case refused(String)
  /// The engine cannot be reached now. Whether it has stored a batch is not known.
  case unreachable(String)

  public var description: String {
    switch self {
    case .otherEpoch(let epoch): "the log was set back, and has the epoch \(epoch) now"
    case .gap(let index, let found):
      "after the entry \(index) the log has the entry \(found): put back what was deleted, for example from a backup"
    case .refused(let reason): "nothing was stored: \(reason)"
    case .unreachable(let reason): reason
    }
  }
}
