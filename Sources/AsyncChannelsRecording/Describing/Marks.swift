/// Marks a type whose values no recording and no failing probe shows. Only the name of the type appears.
///
/// For example, `extension Diagnosis: HiddenInRecordings {}` hides each `Diagnosis`.
///
/// Use it for values that only you know to be confidential. The mark holds in any container, for subclasses,
/// and even if a `describing` closure returns a text for the value.
///
/// A recording looks at nothing in such a value, and calls none of its code. So also mark types that cannot
/// be described safely: a value with an `unowned` reference whose object may be gone would trap, and a value
/// whose description takes a lock that is held during `send` would wait forever.
public protocol HiddenInRecordings {}

/// Marks a type whose values a recording shows even with ``Recording/Showing/onlyMarked``.
///
/// The mark holds for all parts of the value. Secrets and values marked with ``HiddenInRecordings`` are still
/// hidden.
public protocol ShownInRecordings {}
