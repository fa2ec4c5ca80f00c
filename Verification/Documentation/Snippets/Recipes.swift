import AsyncChannels

//# extension Publisher where
/*block*/
//# final class DownloadViewModel
/*block*/
//# final class FormViewModel
/*block*/
//# final class PostsViewModel
/*block*/
//# final class HeartsViewModel
/*block*/
//# final class NoteViewModel
/*block*/
//# final class PriceViewModel
/*block*/
