struct Alert: Sendable {}
