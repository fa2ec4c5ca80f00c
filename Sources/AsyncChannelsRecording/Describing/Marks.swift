/// A value that no recording and no failing probe shows: of it, only the type appears.
///
/// For example, `extension Diagnosis: HiddenInRecordings {}` hides each `Diagnosis`.
///
/// Use it for what nobody but you knows to be confidential. It holds wherever the value is, in whatever
/// container, for subclasses, and though a `describing` closure has words for it.
///
/// Nothing in such a value is looked at, and none of its code is called. So it is also for what cannot be
/// described safely: a value with an `unowned` reference whose object may be gone, and one whose
/// description takes a lock that is held while it is sent. A recording would trap, or wait forever.
public protocol HiddenInRecordings {}

/// A value that a recording shows although it was told to show only what is marked (see
/// ``Recording/Showing/onlyMarked``).
///
/// The mark holds for all that the value consists of. Secrets and ``HiddenInRecordings`` are not shown
/// nevertheless.
public protocol ShownInRecordings {}
