import AsyncChannels

/// A request, as a recording shows it: by its question.
protocol DescribedByQuestion {
  var describedQuestion: Any { get }
}

extension Request: DescribedByQuestion {
  var describedQuestion: Any { question }
}
