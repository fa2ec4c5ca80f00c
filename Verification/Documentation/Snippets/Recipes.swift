import AsyncChannels

//# extension Publisher where
/*block*/
//# final class ReportViewModel
/*block*/
