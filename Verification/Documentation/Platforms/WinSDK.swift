// What the libraries use of Windows, as the headers of its SDK are imported into module WinSDK. In Swift functions,
// BOOL is Bool. DWORD is unsigned long, of 32 bits. Nothing says what may be null, so pointers are implicitly unwrapped.
//
// The real module exports ucrt again; what is of ucrt is in CRT.swift only, or the two stand-ins would be ambiguous.

public typealias DWORD = UInt32
public typealias PVOID = UnsafeMutableRawPointer

// <processthreadsapi.h>
public func GetCurrentThreadId() -> DWORD { 1 }

// <fibersapi.h>, <winnt.h>: like pthread_key_create, with a destructor.
public typealias PFLS_CALLBACK_FUNCTION = @convention(c) (PVOID?) -> Void
public var FLS_OUT_OF_INDEXES: DWORD { 0xFFFF_FFFF }
@discardableResult
public func FlsAlloc(_ lpCallback: PFLS_CALLBACK_FUNCTION!) -> DWORD { 0 }
public func FlsGetValue(_ dwFlsIndex: DWORD) -> PVOID! { nil }
@discardableResult
public func FlsSetValue(_ dwFlsIndex: DWORD, _ lpFlsData: PVOID!) -> Bool { true }

// Left out, though it exists: Winsock, with other types (SOCKET is UInt64, lengths are Int32, buffers are CChar, and
// WSAStartup has to be called first; shutdown takes SD_BOTH; poll is WSAPoll; close is closesocket). So a source
// that calls socket, connect, send, recv, shutdown or getaddrinfo as on POSIX must not compile here.
//
// Missing there: pthread_*, clock_gettime, getline, mmap and munmap (MapViewOfFile), poll, dladdr (SymFromAddr), termios
// (SetConsoleMode), pipe (_pipe), sigaction, usleep, sched_yield, fork, mode_t, MSG_DONTWAIT, MSG_NOSIGNAL,
// SHUT_RDWR.
