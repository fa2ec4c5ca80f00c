/// A function as the main actor calls it, if the main actor is its isolation; nil if not.
///
/// Swift (6.3) lets only asynchronous code call a function whose isolation is known at run time, since it has to
/// get there. Here the isolation is known and the caller is there. Both types are a function and its context, and the
/// isolation is a part of the context that only the caller looks at. So the cast changes what the compiler checks,
/// and nothing else.
@inlinable
func mainActorFunction<Argument, Result>(
  _ function: @escaping @isolated(any) @Sendable (Argument) -> Result
) -> (@MainActor @Sendable (Argument) -> Result)? {
  guard function.isolation === MainActor.shared else { return nil }
  return unsafeBitCast(function, to: (@MainActor @Sendable (Argument) -> Result).self)
}
