/*
 * Sleeping and ringing: how a consumer that finds nothing falls asleep, how a sender or the ringer wakes
 * it, how the next consumer of its cursor displaces it, how it is cancelled, and how the log ends.
 *
 * Each step carries, in brackets, the Swift function that it stands for. One step is one access to
 * what several tasks share: a critical section of a lock, an atomic operation, a flag of the runtime.
 * Memory is sequentially consistent: verify orderings looks at the rest. Elements are numbers.
 *
 * What is checked: the assertions below; that every run ends (no cycle), with every consumer at
 * its end. Since the owner holds back the end until everybody has got everything, a consumer that
 * overslept an element shows as a run that stops too early. So does a task that waits, outside a
 * lock, for one that has stopped.
 *
 * Steps that only touch what nobody else reaches are joined to the next one that is shared, and so
 * are those that touch what the cursor's lock guards, and taking and giving back that lock. The locals
 * of a task that is through are set to zero.
 */

/* The scenario. */
#ifndef SENDERS
#define SENDERS 1    /* tasks that send */
#endif
#ifndef SENDS
#define SENDS 1      /* elements each */
#endif
#ifndef CHAIN
#define CHAIN 2      /* tasks that consume cursor 0, in any order: an epoch each */
#endif
#ifndef READERS
#define READERS 1    /* other cursors, one task each, not cancelled */
#endif
#ifndef FEW
#define FEW 1        /* Wake.few: so many are rung by the sender; the library has 16 */
#endif
#ifndef CANCELLED
#ifdef LEAVE
#define CANCELLED CHAIN
#else
#define CANCELLED (CHAIN > 0 -> CHAIN - 1 : 0)   /* how many of them are, the oldest, each at any moment */
#endif
#endif
/* HURRIED: the owner finishes at any moment, not when all is delivered. */
/* LEAVE: the last of the chain is cancelled too. */
/* PEEK: the last of the chain takes what is there and does not sleep (Upstream.takeNow). */
/* ORDER: sleepers are rung as C40 says. */
/* STRICT: more than that: whoever fell asleep first is rung first. */
/* ONE_ITERATOR: the consumers of cursor 0 are calls of one iterator. */
/* INLINE: who is displaced runs on the thread that rings it, which goes on when that one is through. */
/* STOPPED: the oldest of the chain stops at some step outside a lock, until all others are through. */
/* STOPPED_SENDER: a sender stops when it has rung the first of a crowd. */
/* BREAK_…: something is left out or done too early; each must fail. */

#ifdef PEEK
#define PEEKS (me == CHAIN - 1)
#else
#define PEEKS 0
#endif

#define TASKS   (CHAIN + READERS)
#define CURSORS (1 + READERS)
/* Bells of cursor 0 come first: a consumer ends for each that is dropped. */
#define BELLS   (CHAIN + READERS)
#define NO_BELL 0

/* ---- The log, behind its lock (LogState), and the count that is read without it. ---- */

bool locked
byte published               /* BroadcastLogBase.published */
byte end_                    /* LogState.end */
bool isFinished
chan line = [BELLS] of { byte }          /* WaitQueue */
byte inLine                  /* how many of them are cursor 0's (for assertions) */
chan due = [BELLS] of { byte }           /* LogState.due */
bool isRingerAtWork          /* LogState.isRingerAtWork */
byte ringTasks               /* tasks made by BroadcastLogBase.startRinger that the actor has not begun */

/* ---- Doorbells: an AsyncStream that buffers one ring. ---- */

bool rung[BELLS + 1]         /* a ring is buffered */
bool ended[BELLS + 1]        /* the stream was cancelled */
bool waited[BELLS + 1]       /* a continuation waits in it */
bool linked[BELLS + 1]       /* in a line, due, or taken and not yet rung (for assertions) */
#ifdef INLINE
bool inlined[BELLS + 1]      /* who was woken by it runs on the thread that rang it */
#endif

/* ---- Cursors. ---- */

byte position[CURSORS]       /* Position.number */
byte cursorOwner             /* Waiter.lock, of cursor 0: who has it, plus one */
byte newest                  /* CurrentConsumer.epoch, of cursor 0 */
byte bellOf[CURSORS]         /* CurrentConsumer.bell */
bool isAsleep                /* CurrentConsumer.isAsleep, of cursor 0 */
byte bellsMade               /* of cursor 0 (for assertions) */

/* ---- Tasks, as the runtime has them. ---- */

bool isCancelled[CHAIN + 1]
bool statusLocked[CHAIN + 1]     /* held while handlers are called, installed and removed */
byte handler[CHAIN + 1]        /* the handler of AsyncStream's next: the bell whose stream it ends */

byte sendersDone, consumersDone, chainDone
bool hasStopped

#define READABLE 1
#define FINISHED 2
#define NOTHING 3

#ifdef STRICT
chan order = [BELLS] of { byte }
#endif

/* C40. A call is a send, or finish. Its sleepers are rung in their order, and after those that a call has
 * taken that had returned before. */
#ifdef ORDER
#define CALLS (SENDERS * SENDS + 1)
byte calls                   /* calls that have begun */
byte callOf[BELLS + 1]       /* which call has taken this bell */
byte rankOf[BELLS + 1]       /* as which of its bells */
byte takenBy[CALLS + 1]      /* how many the call has taken */
byte rungOf[CALLS + 1]       /* how many of them are rung */
byte left                    /* bells, as bits, of calls that have returned, not yet rung */
byte before[CALLS + 1]       /* those of them that were left when the call began */
byte count_
#define BIT(bell) (1 << (bell))
#endif

/* The oldest consumer stops here, perhaps, unless it has a lock. */
#ifdef STOPPED
#define mayStop() \
  if \
  :: true \
  :: atomic { me == 0 && cursorOwner != 1 && !hasStopped -> hasStopped = true }; \
    isFinished && sendersDone == SENDERS && consumersDone == TASKS - 1 \
  fi
#else
#define mayStop() skip
#endif

/* [LogState.poll] With the lock held. */
inline look(cursor, result) {
  if
  :: position[cursor] != end_ -> result = READABLE
  :: position[cursor] == end_ && isFinished -> result = FINISHED
  :: position[cursor] == end_ && !isFinished -> result = NOTHING
  fi
}

/* [WaitQueue.join] With the lock held. */
inline join(cursor, bell) {
  assert(!linked[bell]);   /* its links are nobody's but this line's */
  linked[bell] = true;
  line!bell;
  if
  :: cursor == 0 -> assert(!inLine); inLine++   /* one place a cursor: C37 */
  :: else
  fi;
#ifdef STRICT
  order!bell
#endif
}

/* [WaitQueue.leave] With the lock held. Does nothing if the line was taken. */
inline leaveLine(bell) {
  if
  :: line??[eval(bell)] ->
    line??eval(bell);
    linked[bell] = false;
    inLine = 0;
#ifdef STRICT
    order??eval(bell)
#endif
  :: else
  fi
}

#ifdef BREAK_OVERTAKES
#define MUST_FOLLOW false
#else
#define MUST_FOLLOW isRingerAtWork
#endif

/* [LogState.takeSleepers] With the lock held. Those that the sender rings come to `mine`. If those are the first of a
 * crowd, it starts the ringer when they are rung. */
inline takeSleepers() {
#ifdef ORDER
  calls++;
  call = calls;
  before[call] = left;
#endif
  if
  :: MUST_FOLLOW -> skip
  :: !MUST_FOLLOW ->
    isCrowd = len(line) > FEW;
#ifndef BREAK_OVERTAKES
    isRingerAtWork = isCrowd;
#endif
    do
    :: len(line) > 0 && len(mine) < FEW -> line?b; mine!b; noteTaken()
    :: else -> break
    od
  fi;
  do
  :: len(line) > 0 -> line?b; due!b; noteTaken()
  :: len(line) == 0 -> break
  od;
  inLine = 0;
  b = 0
}

inline noteTaken() {
#ifdef ORDER
  callOf[b] = call;
  rankOf[b] = takenBy[call];
  takenBy[call]++
#else
  skip
#endif
}

/* The call has returned: it leaves to the ringer what it has not rung. */
inline noteReturn() {
#ifdef ORDER
  b = 1;
  do
  :: b <= BELLS -> left = left | (linked[b] && callOf[b] == call -> BIT(b) : 0); b++
  :: else -> break
  od;
  b = 0;
  call = 0
#else
  skip
#endif
}

inline noteRing() {
#ifdef STRICT
  assert(order?[eval(b)]);
  order??eval(b);
#endif
#ifdef ORDER
  assert(rankOf[b] == rungOf[callOf[b]]);   /* in the order in which they fell asleep */
  assert(!(left & before[callOf[b]]));      /* behind those of calls that had returned */
  rungOf[callOf[b]]++;
  left = left & (255 - BIT(b));
  /* It may be left again, by a later call. */
  do
  :: count_ < calls -> count_++; before[count_] = before[count_] & (255 - BIT(b))
  :: else -> count_ = 0; break
  od;
  callOf[b] = 0;
  rankOf[b] = 0
#else
  skip
#endif
}

/* AsyncStream.Continuation.yield */
inline yieldTo(bell) {
  if
  :: ended[bell]
  :: !ended[bell] && waited[bell] -> waited[bell] = false
  :: !ended[bell] && !waited[bell] -> rung[bell] = true
  fi
}

/* [Doorbell.ringAll] */
inline ringAll() {
  do
  :: atomic { len(mine) > 0 -> mine?b; linked[b] = false; noteRing(); yieldTo(b); b = 0 }
  :: atomic { len(mine) == 0 -> break }
  od
}

/* [BroadcastLogBase.startRinger: Task.detached] The task begins whenever it likes. */
inline startRinger() {
#ifndef BREAK_NOT_STARTED
  atomic { assert(ringTasks == 0); ringTasks++; isCrowd = false }
#else
  isCrowd = false
#endif
}

/* [BroadcastLogBase.perform, ring] */
inline perform() {
#ifdef BREAK_REST_FIRST
  if :: isCrowd -> startRinger() :: else fi;
#endif
  ringAll();
  if
  :: isCrowd ->
#ifdef STOPPED_SENDER
    if
    :: true
    :: atomic { !hasStopped -> hasStopped = true }; consumersDone == TASKS
    fi;
#endif
    startRinger()
  :: else
  fi;
  atomic { noteReturn() }
}

/* [Inlet.send: BroadcastLog.send] */
proctype Sender() {
  chan mine = [BELLS] of { byte };
  byte b, sent, call;
  bool isCrowd;
  do
  :: atomic {   /* [BroadcastLog.appendIfPlain] takes the lock */
      sent < SENDS && !locked && !isFinished -> locked = true; sent++
    };
    published++;   /* [BroadcastLogBase.publish] seen by readers at once */
    atomic {       /* [LogState.writeSlot, takeSleepers] and unlocks */
      end_++;
      takeSleepers();
      locked = false
    };
    perform()
  :: atomic {      /* has sent all, or gets .finished */
      sent == SENDS || (!locked && isFinished) -> sendersDone++; sent = 0; break
    }
  od
}

/* [Ringer.ring] The actor runs one at a time. */
proctype Actor() {
  chan mine = [BELLS] of { byte };
  byte b;
end:
  do
  :: atomic { ringTasks > 0 -> ringTasks-- };
    do
    :: atomic {   /* [LogState.takeDue] */
        !locked && len(due) > 0 ->
        do
        :: len(due) > 0 -> due?b; mine!b
        :: len(due) == 0 -> b = 0; break
        od;
#ifdef BREAK_IDLE_EARLY
        isRingerAtWork = false
#endif
      };
      ringAll()
    :: atomic {
        !locked && len(due) == 0 ->
#ifndef BREAK_IDLE_LATE
        isRingerAtWork = false;
#endif
        break
      }
    od;
#ifdef BREAK_IDLE_LATE
    isRingerAtWork = false   /* after the lock that saw nothing due */
#endif
  od
}

/* [Doorbell.wait: AsyncStream's next] A ring that is there, the end, or a continuation; a second one
 * is an error. */
inline listen(bell) {
  atomic {
    if
    :: rung[bell] -> rung[bell] = false
    :: !rung[bell] && ended[bell]
    :: !rung[bell] && !ended[bell] -> assert(!waited[bell]); waited[bell] = true
    fi
  }
}

/* The handler of AsyncStream's next: the stream ends, for good, and whoever waits in it goes on. */
inline cancelStream(bell) {
  atomic { ended[bell] = true; waited[bell] = false }
}

/* Task.cancel(): the flag first; then, under the status lock, the handler that is installed by
 * then. */
proctype Canceller(byte task) {
  isCancelled[task] = true;
  atomic { !statusLocked[task] -> statusLocked[task] = true };
  if
  :: handler[task] -> cancelStream(handler[task])
  :: else
  fi;
  statusLocked[task] = false
}

#define LOOK_AGAIN 1
#define AT_END 2
#define ASLEEP 3

#ifdef BREAK_TAKES_DISPLACED
#define HAS_PLACE true
#else
#define HAS_PLACE (newest == epoch)
#endif

/* [Cursor.take, takeSeen: Waiter.ifAdmitted] The look and the take, in one step under the lock. */
inline take() {
  mayStop();
  if
  :: atomic {
      !cursorOwner && HAS_PLACE && position[0] < published ->
      position[0]++;
      assert(epoch == newest);   /* C32: a displaced one takes nothing */
      found = 1
    }
  :: atomic { !cursorOwner && !(HAS_PLACE && position[0] < published) -> found = 0 }
  fi
}

/* [Waiter.ask] Takes the lock, and the place. */
inline ask() {
  mayStop();
  if
#ifdef BREAK_ASK_OLD
  :: atomic { !cursorOwner -> cursorOwner = me + 1; newest = epoch }   /* from a newer one, too */
#else
  :: atomic { !cursorOwner && newest > epoch -> goto displaced_ }
  :: atomic { !cursorOwner && newest <= epoch -> cursorOwner = me + 1; newest = epoch }
#endif
  fi;
#ifndef BREAK_NO_DISPLACING
  if
  :: isAsleep ->
    victim = bellOf[0];
#ifdef BREAK_REUSE
    atomic { !locked -> leaveLine(victim); isAsleep = false }   /* the newcomer sleeps on it */
#else
    dropBell()
#endif
  :: else
  fi;
#endif
#ifdef BREAK_RING_LOCKED
  ringVictim()
#endif
}

inline unlock() {
  atomic { assert(cursorOwner == me + 1); cursorOwner = 0 }
}

/* [LogCursor.advance] Looks at the count, with the cursor's lock. */
inline advance(cursor) {
  arrival = (position[cursor] < published -> LOOK_AGAIN : 0)
}

/* [LogCursor.poll: LogState.poll] Only while there is no bell: whoever never has to wait makes none. */
inline firstLook(cursor) {
  atomic {
    !locked ->
    look(cursor, found);
    arrival = (found == READABLE -> LOOK_AGAIN : (found == FINISHED -> AT_END : 0));
    found = 0
  }
}

/* [LogCursor.poll: LogState.poll, with a doorbell] The second look and the joining, in one step. */
inline lookAndJoin(cursor) {
#ifdef BREAK_LOOK_UNLOCKED
  atomic { look(cursor, found) };
#endif
  atomic {
    !locked ->
    if
    :: bellOf[cursor] == NO_BELL && cursor == 0 ->
      bellsMade++;
      assert(bellsMade <= CHAIN);
      bellOf[cursor] = bellsMade
    :: bellOf[cursor] == NO_BELL && cursor != 0 -> bellOf[cursor] = CHAIN + cursor
    :: else
    fi;
    bell = bellOf[cursor];
#ifdef BREAK_NO_SECOND_LOOK
    found = NOTHING;
#endif
#if !defined(BREAK_LOOK_UNLOCKED) && !defined(BREAK_NO_SECOND_LOOK)
    look(cursor, found);
#endif
    if
    :: found == READABLE -> arrival = LOOK_AGAIN
    :: found == FINISHED -> arrival = AT_END
    :: found == NOTHING ->
      arrival = ASLEEP;
      join(cursor, bell)
    fi;
    if :: cursor == 0 -> isAsleep = (found == NOTHING) :: else fi;
    found = 0
  }
}

/* [CurrentConsumer.dropBell] With the cursor's lock; `leaveQueue` takes the log's. */
inline dropBell() {
  atomic {
    !locked ->
#ifndef BREAK_DROPPED_STAYS
    leaveLine(bellOf[0]);   /* [LogCursor.leaveQueue] */
#endif
    isAsleep = false;
    bellOf[0] = NO_BELL
  }
}

/* [Doorbell.ring] of whom was displaced. */
inline ringVictim() {
#ifndef BREAK_NO_RING
  if
  :: victim ->
    atomic {
#ifdef INLINE
      inlined[victim] = waited[victim];
#endif
      yieldTo(victim)
    };
#ifdef INLINE
    !inlined[victim];
#endif
    victim = 0
  :: else
  fi
#else
  victim = 0
#endif
}

/* [Waiter.lookOrFallAsleep, lookOrJoin] */
inline lookOrFallAsleep() {
  ask();
  if
  :: PEEKS || bellOf[0] == NO_BELL ->
    advance(0);
    if
    :: !arrival -> firstLook(0)
    :: else
    fi
  :: else ->
    arrival = 0;
    /* [AdaptiveSpin.sees] Spins with no lock, perhaps. Then it asks again. */
    if
    :: true
    :: position[0] >= published ->
#ifndef BREAK_SPINS_LOCKED
      unlock();
      ringVictim();
      mayStop();
      ask()
#else
      if
      :: true
      :: atomic { me == 0 && !hasStopped -> hasStopped = true }; consumersDone == TASKS - 1
      fi
#endif
    fi
  fi;
#ifdef BREAK_JOIN_UNLOCKED
  unlock();
#endif
  if
  :: !arrival && !PEEKS ->
    advance(0);
    if
    :: !arrival -> lookAndJoin(0)
    :: else
    fi
  :: else
  fi;
#ifndef BREAK_JOIN_UNLOCKED
  unlock();
#endif
  ringVictim()
}

/* [Doorbell.wait: AsyncStream's next] A cancellation handler of a task that is cancelled already
 * runs when it is installed, and again in cancel() if that has not come to the handlers yet. It is
 * removed when cancel() is through with the handlers. */
inline wait() {
  mayStop();
  if
  :: me < CANCELLED ->
    atomic { !statusLocked[me] -> handler[me] = bell; found = isCancelled[me] };
    if
    :: found -> cancelStream(bell); found = 0
    :: else
    fi
  :: else
  fi;
  listen(bell);
  atomic { !waited[bell] && !statusLocked[me] -> handler[me] = 0 }
}

#ifdef BREAK_NO_IDENTITY
#define IN_ITS_PLACE (newest == epoch && isAsleep)
#else
#define IN_ITS_PLACE (newest == epoch && bell == bellOf[0])
#endif

/* [Waiter.wakeUp] `goto ended_` if there is no use in looking again. */
inline wakeUp() {
  mayStop();
  if
  :: atomic { !cursorOwner && !IN_ITS_PLACE -> goto displaced_ }
  :: atomic {   /* [Waiter.withPlace] */
      !cursorOwner && IN_ITS_PLACE ->
      assert(isAsleep);
#ifndef BREAK_WAKE_STAYS_ASLEEP
      isAsleep = false;
#endif
#ifndef BREAK_WAKE_IGNORES_CANCEL
      found = isCancelled[me];
#endif
      cursorOwner = (found -> me + 1 : 0)
    }
  fi;
  if
  :: found -> dropBell(); unlock(); goto ended_
  :: else
  fi;
  bell = 0
}

/* A `for await` over cursor 0: [Subscription.Iterator.next] until it returns nil, and once more if it
 * was displaced. */
proctype Consumer(byte me) {
  byte epoch, bell, victim, found, arrival;
  bool isOld;   /* was displaced */
#ifdef ONE_ITERATOR
  epoch = 1;
#else
  epoch = me + 1;
#endif
next:
  take();
  if
  :: found -> found = 0; goto next
  :: else
  fi;
waits:
  /* [Waiter.waitForElement] */
  if
  :: isCancelled[me] && !PEEKS -> goto ended_
  :: else
  fi;
  lookOrFallAsleep();
  if
  :: arrival == LOOK_AGAIN -> bell = 0
  :: arrival == AT_END || !arrival -> goto ended_
  :: arrival == ASLEEP -> wait(); wakeUp()
  fi;
  arrival = 0;
  take();   /* [Cursor.takeSeen] */
  if
  :: found -> found = 0; goto next
  :: !found -> goto waits
  fi;
displaced_:
#ifdef ONE_ITERATOR
  assert(CANCELLED || isFinished || chainDone < CHAIN - 1);   /* somebody goes on */
  isOld = true;
#else
  assert(epoch < newest);
  if
  :: isOld
  :: else -> isOld = true; found = 0; arrival = 0; goto next
  fi;
#endif
ended_:
  /* Nobody's loop ends before the log's does, unless it is cancelled or displaced. */
  atomic {
    assert(isCancelled[me] || isOld || PEEKS || (isFinished && position[0] == end_));
#ifdef INLINE
    inlined[bell] = false;
#endif
    chainDone++;
    consumersDone++;
    assert(chainDone < CHAIN || !inLine);   /* nobody is left to give up a place in the line */
    bell = 0; victim = 0; found = 0; arrival = 0; isOld = 0
  }
}

/* The same for a cursor that has one consumer for good, which nobody cancels: its place is nobody
 * else's business. */
proctype Reader(byte cursor) {
  byte bell, found, arrival;
next:
  atomic { position[cursor] = published; arrival = 0 };
  if
  :: bell == NO_BELL -> firstLook(cursor)
  :: else
  fi;
  if
  :: !arrival -> lookAndJoin(cursor)
  :: else
  fi;
  if
  :: arrival == LOOK_AGAIN -> goto next
  :: arrival == AT_END
  :: arrival == ASLEEP -> listen(bell); !waited[bell]; goto next
  fi;
  atomic {
    assert(isFinished && position[cursor] == end_);
    consumersDone++;
    found = 0; arrival = 0
  }
}

/* Every cursor that is left has delivered everything. */
#if defined(LEAVE) || defined(PEEK) || CHAIN == 0
#define FIRST_SERVED 1
#else
#define FIRST_SERVED 0
#endif

/* [Channel.finish, deinit: BroadcastLog.finish] When all is delivered, so that a lost wake-up is
 * not made good by the end's; or, HURRIED, at any moment. */
proctype Owner() {
  chan mine = [BELLS] of { byte };
  byte b, i, call;
  bool isCrowd;
#ifndef HURRIED
  atomic {
    sendersDone == SENDERS;
    i = FIRST_SERVED;
    do
    :: i < CURSORS -> position[i] == end_; i++
    :: else -> break
    od;
    i = 0
  };
#endif
  atomic {   /* [LogState.finish: takeSleepers] */
    !locked ->
    isFinished = true;
#ifndef BREAK_FINISH_WAKES_NOBODY
    takeSleepers()
#endif
  };
  perform();
  /* How it must all end. */
  atomic {
    sendersDone == SENDERS && consumersDone == TASKS && ringTasks == 0 && !isRingerAtWork;
    assert(published == end_ && len(line) == 0 && len(due) == 0 && !cursorOwner);
    i = FIRST_SERVED;
    do
    :: i < CURSORS -> assert(position[i] == end_); i++
    :: else -> break
    od;
    i = 1;
    do
    :: i <= BELLS -> assert(!waited[i]); i++
    :: else -> break
    od
  }
}

init {
  byte i;
  atomic {
    do :: i < SENDERS -> run Sender(); i++ :: else -> break od;
    i = 0;
    do :: i < CHAIN -> run Consumer(i); i++ :: else -> break od;
    i = 1;
    do :: i < CURSORS -> run Reader(i); i++ :: else -> break od;
    i = 0;
    do :: i < CANCELLED -> run Canceller(i); i++ :: else -> break od;
    run Actor();
    run Owner()
  }
}
