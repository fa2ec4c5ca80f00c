// What the libraries can use of Windows, as the headers of its SDK are imported into module WinSDK. In Swift functions,
// BOOL is Bool. DWORD is unsigned long, of 32 bits. Nothing says what may be null, so pointers are implicitly unwrapped.
//
// The real module exports ucrt again; what is of ucrt is in CRT.swift only, or the two stand-ins would be ambiguous.

public typealias DWORD = UInt32
public typealias LONGLONG = Int64
public typealias ULONGLONG = UInt64
public typealias BOOLEAN = UInt8
public typealias PVOID = UnsafeMutableRawPointer
public typealias LPVOID = UnsafeMutableRawPointer
public typealias HANDLE = UnsafeMutableRawPointer

/// BOOL where it is not the type of a parameter or a result of a function.
public struct WindowsBool: ExpressibleByBooleanLiteral, Equatable, Sendable {
  private var value: Int32
  public var boolValue: Bool { value != 0 }
  public init(_ value: Bool) { self.value = value ? 1 : 0 }
  public init(booleanLiteral value: Bool) { self.init(value) }
}

// <processthreadsapi.h>
public func GetCurrentThreadId() -> DWORD { 1 }
public func GetCurrentProcessId() -> DWORD { 1 }
public func SwitchToThread() -> Bool { true }

// <fibersapi.h>, <winnt.h>: like pthread_key_create, with a destructor.
public typealias PFLS_CALLBACK_FUNCTION = @convention(c) (PVOID?) -> Void
public var FLS_OUT_OF_INDEXES: DWORD { 0xFFFF_FFFF }
@discardableResult
public func FlsAlloc(_ lpCallback: PFLS_CALLBACK_FUNCTION!) -> DWORD { 0 }
public func FlsGetValue(_ dwFlsIndex: DWORD) -> PVOID! { nil }
@discardableResult
public func FlsSetValue(_ dwFlsIndex: DWORD, _ lpFlsData: PVOID!) -> Bool { true }
@discardableResult
public func FlsFree(_ dwFlsIndex: DWORD) -> Bool { true }

// <synchapi.h>. Only if a lock is needed: Synchronization.Mutex is an SRWLOCK there.
public struct _RTL_SRWLOCK {
  public var Ptr: PVOID!
  public init() { Ptr = nil }
  public init(Ptr: PVOID!) { self.Ptr = Ptr }
}
public typealias RTL_SRWLOCK = _RTL_SRWLOCK
public typealias SRWLOCK = RTL_SRWLOCK
public typealias PSRWLOCK = UnsafeMutablePointer<_RTL_SRWLOCK>
public func InitializeSRWLock(_ SRWLock: PSRWLOCK!) {}
public func AcquireSRWLockExclusive(_ SRWLock: PSRWLOCK!) {}
public func ReleaseSRWLockExclusive(_ SRWLock: PSRWLOCK!) {}
public func TryAcquireSRWLockExclusive(_ SRWLock: PSRWLOCK!) -> BOOLEAN { 1 }
public func Sleep(_ dwMilliseconds: DWORD) {}

// Clocks. Of 100 ns each, without the time the system slept; of 1 / frequency; of a millisecond.
public struct _LARGE_INTEGER {
  public var QuadPart: LONGLONG
  public init() { QuadPart = 0 }
  public init(QuadPart: LONGLONG) { self.QuadPart = QuadPart }
}
public typealias LARGE_INTEGER = _LARGE_INTEGER
@discardableResult
public func QueryUnbiasedInterruptTime(_ UnbiasedTime: UnsafeMutablePointer<ULONGLONG>!) -> Bool { true }
@discardableResult
public func QueryPerformanceCounter(_ lpPerformanceCount: UnsafeMutablePointer<LARGE_INTEGER>!) -> Bool { true }
@discardableResult
public func QueryPerformanceFrequency(_ lpFrequency: UnsafeMutablePointer<LARGE_INTEGER>!) -> Bool { true }
public func GetTickCount64() -> ULONGLONG { 0 }

// Left out, though it exists: Winsock, with other types (SOCKET is UInt64, lengths are Int32, buffers are CChar, and
// WSAStartup has to be called first; shutdown takes SD_BOTH; poll is WSAPoll; close is closesocket). So a source
// that calls socket, connect, send, recv, shutdown or getaddrinfo as on POSIX must not compile here.
//
// Missing there: pthread_*, clock_gettime, getline, mmap and munmap (MapViewOfFile), poll, dladdr (SymFromAddr), termios
// (SetConsoleMode), pipe (_pipe), sigaction, usleep, sched_yield, fork, mode_t, MSG_DONTWAIT, MSG_NOSIGNAL,
// SHUT_RDWR.
