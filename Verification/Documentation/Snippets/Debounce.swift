import AsyncChannels

//# final class SearchViewModel: ViewModel
/*block*/
