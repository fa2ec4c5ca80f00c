//# final class ReportViewModel: ViewModel {
/*block*/
//# #if canImport(Combine)
/*block*/
