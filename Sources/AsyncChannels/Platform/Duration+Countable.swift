extension Duration {
  /// At most a year: clocks trap for times that they cannot count.
  package var countable: Duration { min(self, .seconds(365 * 24 * 60 * 60)) }
}
