/*
 * Sleeping and ringing: how a consumer that finds nothing falls asleep, how a sender wakes it, how
 * the next consumer of its cursor displaces it, how it is cancelled, and how the log ends.
 *
 * Each step carries, in brackets, the Swift function that it stands for. One step is one access to
 * what several tasks share: a critical section of the log's lock, an atomic operation, a flag of
 * the runtime. Memory is sequentially consistent: check-orderings looks at the rest.
 *
 * Elements are numbers here: what becomes of their memory is the business of slots.pml. The two can
 * be apart because they share one thing only, the count of what is published, which grows; a sleep
 * depends on the count alone, never on a slot.
 *
 * What is checked: the assertions below; that every run ends (no cycle), with every consumer at
 * its end. Since the owner holds back the end until everybody has got everything, a consumer that
 * overslept an element shows as a run that stops too early.
 *
 * Steps that only touch what nobody else reaches are joined to the next one that is shared, and so
 * are those that touch a cursor's fields, which whoever has the lease has for itself: giving it back
 * asserts that it was so. The locals of a task that is through are set to zero.
 */

/* The scenario. */
#ifndef SENDERS
#define SENDERS 1    /* tasks that send */
#endif
#ifndef SENDS
#define SENDS 1      /* elements each */
#endif
#ifndef CHAIN
#define CHAIN 2      /* tasks that consume cursor 0, in any order: a ticket each */
#endif
#ifndef READERS
#define READERS 1    /* other cursors, one task each, not cancelled */
#endif
#ifndef DIRECT
#define DIRECT 1     /* LogState.directRings; the library has 2 */
#endif
#ifndef CANCELLED
#ifdef LEAVE
#define CANCELLED CHAIN
#else
#define CANCELLED (CHAIN - 1)   /* how many of them are, the oldest, each at any moment */
#endif
#endif
/* HURRIED: the owner finishes at any moment, not when all is delivered. */
/* LEAVE: the last of the chain is cancelled too, and cursor 0 is dropped when all are through. */
/* PEEK: the last of the chain takes what is there and does not sleep (Feed.takeNow). */
/* DERIVED: each element is skipped by a derived outlet's step (Feed.next). */
/* ORDER: whoever fell asleep first is rung first. */
/* SAME_TICKET: the consumers of cursor 0 are calls of one iterator. */
/* INLINE: who is displaced runs on the thread that rings it, which goes on when that one is through. */
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

/* ---- The log, behind its lock (LogState), and the count that is read without (Segment). ---- */

bool locked
byte published               /* Segment.published */
byte end_                    /* LogState.end */
bool isFinished
chan line = [BELLS] of { byte }          /* WaitQueue */
byte inLine                  /* how many of them are cursor 0's (for assertions) */
chan due = [BELLS] of { byte }           /* LogState.due */
bool actorIsRinging
byte ringTasks               /* tasks made by BroadcastLogBase.ring that the actor has not begun */

/* ---- Doorbells: an AsyncStream that buffers one ring. ---- */

bool rung[BELLS + 1]         /* a ring is buffered */
bool ended[BELLS + 1]        /* the stream was cancelled */
bool waited[BELLS + 1]       /* a continuation waits in it */
bool linked[BELLS + 1]       /* in a line, due, or taken and not yet rung (for assertions) */
#ifdef INLINE
bool inlined[BELLS + 1]      /* who was woken by it runs on the thread that rang it */
#endif

/* ---- Cursors: fields that whoever has the lease may touch. ---- */

byte word                    /* Lease.word, of cursor 0; the others have one consumer for good */
byte position[CURSORS]       /* Position.index: all before it are delivered */
byte limit[CURSORS]          /* Position.limit */
byte bellOf[CURSORS]         /* Waiter.bell */
bool isAsleep                /* Waiter.isAsleep, of cursor 0 */
byte bellsMade               /* of cursor 0 (for assertions) */
byte newest                  /* the newest ticket that has asked (for assertions) */

#define IDLE(ticket) ((ticket) * 2)
#define BUSY(ticket) ((ticket) * 2 + 1)
#define IS_BUSY (word & 1)
#define TICKET (word >> 1)

/* ---- Tasks, as the runtime has them. ---- */

bool isCancelled[CHAIN]
bool statusLocked[CHAIN]     /* held while handlers are called, installed and removed */
byte handler[CHAIN]          /* the handler of AsyncStream's next: the bell whose stream it ends */

byte sendersDone, consumersDone, chainDone

#define READABLE 1
#define FINISHED 2
#define NOTHING 3

/* Who is due to wake, for whoever called takeSleepers. */
#define WAKE_NOBODY 0
#define WAKE_DIRECTLY 1

#ifdef ORDER
chan order = [BELLS] of { byte }
#endif

/* [LogState.look] With the lock held. */
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
#ifdef ORDER
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
#ifdef ORDER
    order??eval(bell)
#endif
  :: else
  fi
}

/* [LogState.takeSleepers] With the lock held. */
inline takeSleepers(mine, wake) {
  if
  :: empty(line) -> wake = WAKE_NOBODY
  :: nempty(line) && !actorIsRinging && len(line) <= DIRECT ->
    do
    :: line?b -> mine!b
    :: empty(line) -> break
    od;
    wake = WAKE_DIRECTLY
  :: nempty(line) && (actorIsRinging || len(line) > DIRECT) ->
    do
    :: line?b -> due!b
    :: empty(line) -> break
    od;
    if
    :: actorIsRinging -> wake = WAKE_NOBODY
    :: else ->
      actorIsRinging = true;
      wake = WAKE_NOBODY;
      assert(ringTasks == 0);
      ringTasks++   /* [BroadcastLogBase.ring: Task.detached], which begins whenever it likes */
    fi
  fi;
  inLine = 0;
  b = 0
}

/* AsyncStream.Continuation.yield */
inline yieldTo(bell) {
  if
  :: ended[bell]
  :: !ended[bell] && waited[bell] -> waited[bell] = false
  :: !ended[bell] && !waited[bell] -> rung[bell] = true
  fi
}

/* [Sleepers.ringAll: popFirst] There is at least one. */
inline ringAll(mine) {
  do
  :: atomic {
      mine?b ->
      linked[b] = false;
#ifdef ORDER
      assert(order?[eval(b)]);   /* C40 */
      order??eval(b);
#endif
      yieldTo(b);   /* [Doorbell.ring] */
      b = 0;
      if
      :: empty(mine) -> break
      :: nempty(mine)
      fi
    }
  od
}

/* [BroadcastLog.perform] */
inline perform(wake, mine) {
  if
  :: wake == WAKE_NOBODY
  :: wake == WAKE_DIRECTLY -> wake = WAKE_NOBODY; ringAll(mine)
  fi
}

/* [Inlet.send: BroadcastLog.send] */
proctype Sender() {
  chan mine = [BELLS] of { byte };
  byte b, wake, sent;
  do
  :: atomic {   /* [BroadcastLog.append] takes the lock */
      sent < SENDS && !locked && !isFinished -> locked = true; sent++
    };
    published++;   /* [Segment.append] seen by readers at once */
    atomic {       /* [LogState.appendSlot, takeSleepers] and unlocks */
      end_++;
      takeSleepers(mine, wake);
      locked = false
    };
    perform(wake, mine)
  :: atomic {      /* has sent all, or gets .finished */
      sent == SENDS || (!locked && isFinished) -> sendersDone++; sent = 0; wake = 0; break
    }
  od
}

/* [Waker.ring] The actor runs one at a time. */
proctype Actor() {
  chan mine = [BELLS] of { byte };
  byte b;
  bool wasLast;
end:
  do
  :: ringTasks > 0 && !locked ->
    ringTasks--;
    do
    :: atomic {   /* [LogState.takeDue] */
        !locked ->
#ifdef BREAK_FLAG_EARLY
        actorIsRinging = false;   /* with the batch, not after it */
#endif
        if
        :: empty(due) ->
#ifndef BREAK_FLAG_UNLOCKED
          actorIsRinging = false;
#endif
          break
        :: nempty(due) -> do :: due?b -> mine!b :: empty(due) -> break od; b = 0
        fi
      };
      ringAll(mine)
    od;
#ifdef BREAK_FLAG_UNLOCKED
    actorIsRinging = false   /* after the lock that saw nothing due */
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

/* [Lease.acquire] The load that refuses, or the exchange that succeeds, with the load before it: one
 * that fails only looks again, and so does who finds it busy. */
inline acquire() {
#ifdef BREAK_STORE
  atomic { TICKET <= ticket && !IS_BUSY -> skip };   /* a load and a store, not an exchange */
  hold()
#else
  if
#ifdef BREAK_TICKETS
  :: atomic { !IS_BUSY -> hold() }   /* from a newer one, too */
#else
  :: atomic { TICKET > ticket -> goto displaced_ }
  :: atomic { TICKET <= ticket && !IS_BUSY -> hold() }
#endif
  fi
#endif
}

inline hold() {
  atomic { word = BUSY(ticket); assert(ticket >= newest); newest = ticket }
}

/* [Lease.release] */
inline release() {
  atomic {
    assert(word == BUSY(ticket));   /* nobody else was here */
    word = IDLE(ticket)
  }
}

/* [Cursor.take: Position.takeKnown, refresh] With the lease. */
inline take() {
  atomic {
    if
    :: position[0] < limit[0]
    :: else -> limit[0] = published
    fi;
    found = position[0] < limit[0];
    position[0] = position[0] + found;
    assert(!found || ticket == newest)   /* C32: a displaced one takes nothing */
  }
}

#define LOOK_AGAIN 1
#define AT_END 2
#define ASLEEP 3

/* [BroadcastLogBase.look] Only while there is no bell: whoever never has to wait makes none. */
inline firstLook(cursor) {
  atomic {
    !locked ->
    look(cursor, found);
    arrival = (found == READABLE -> LOOK_AGAIN : (found == FINISHED -> AT_END : 0));
    found = 0
  }
}

/* [BroadcastLogBase.look: LogState.look, with a doorbell] The second look and the joining, in one step. */
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

/* [Waiter.dropBell] With the lease; `leaveQueue` takes the log's lock. */
inline dropBell() {
  atomic {
    !locked ->
#ifndef BREAK_DROPPED_STAYS
    leaveLine(bellOf[0]);   /* [BroadcastLogBase.leaveQueue] */
#endif
    isAsleep = false;
    bellOf[0] = NO_BELL
  }
}

/* [Waiter.displaceSleeper] With the lease. */
inline displaceSleeper() {
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
  fi
#else
  skip
#endif
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

/* [Waiter.lookOrFallAsleep, look] */
inline lookOrFallAsleep() {
  acquire();
  displaceSleeper();
#ifdef BREAK_RING_BUSY
  ringVictim();
#endif
  /* [Position.advance] A consumer that looks on (Lingering) repeats this with the lease. The last time
   * stands for all: the ones before it find nothing, and change nothing. */
  atomic {
    arrival = 0;
    limit[0] = published;
    if
    :: position[0] < limit[0] -> arrival = LOOK_AGAIN
    :: else
    fi
  };
  if
  :: !arrival && (PEEKS || bellOf[0] == NO_BELL) -> firstLook(0)
  :: else
  fi;
#ifdef BREAK_JOIN_UNLEASED
  release();
#endif
  if
  :: !arrival && !PEEKS -> lookAndJoin(0)
  :: else
  fi;
#ifndef BREAK_JOIN_UNLEASED
#ifdef BREAK_END_KEEPS_LEASE
  if :: arrival == AT_END :: else -> release() fi;
#else
  release();
#endif
#endif
  ringVictim()
}

/* [Doorbell.wait: AsyncStream's next] A cancellation handler of a task that is cancelled already
 * runs when it is installed, and again in cancel() if that has not come to the handlers yet. It is
 * removed when cancel() is through with the handlers. */
inline wait() {
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

/* [Waiter.wakeUp] `goto ended` if there is no use in looking again. */
inline wakeUp() {
  acquire();
#ifdef BREAK_NO_IDENTITY
  found = !isAsleep;
#else
  /* The bell alone tells: it is dropped whenever somebody loses its place. */
  atomic { found = (bell != bellOf[0]); assert(found || isAsleep) };
#endif
  if
  :: found ->
#ifndef BREAK_DISPLACED_KEEPS_LEASE
    release();
#endif
    goto displaced_
  :: else
  fi;
#ifndef BREAK_WAKE_IGNORES_CANCEL
  if
  :: isCancelled[me] -> dropBell(); release(); goto ended_
  :: else
  fi;
#endif
#ifndef BREAK_WAKE_STAYS_ASLEEP
  isAsleep = false;
#endif
  release();
  bell = 0
}

/* A `for await` over cursor 0: [Subscription.Iterator.next] until it returns nil, and once more if it
 * was displaced. */
proctype Consumer(byte me) {
  byte ticket, bell, victim, found, arrival;
  bool isOld;   /* was displaced */
#ifdef SAME_TICKET
  ticket = 1;
#else
  ticket = me + 1;
#endif
next:
  /* [Cursor.take: Lease.tryAcquire] */
  if
  :: atomic { word == IDLE(ticket) -> word = BUSY(ticket) };
    take();
    release();
    if
#ifdef DERIVED
    :: found && isCancelled[me] -> goto ended_
#endif
    :: found -> found = 0; goto next
    :: else
    fi
  :: atomic { word != IDLE(ticket) -> skip }
  fi;
  /* [Waiter.waitForElement] */
  if
  :: isCancelled[me] && !PEEKS -> goto ended_
  :: else
  fi;
  lookOrFallAsleep();
  if
  :: arrival == LOOK_AGAIN -> bell = 0; goto next
  :: arrival == AT_END || !arrival -> goto ended_
  :: arrival == ASLEEP -> wait(); wakeUp(); goto next
  fi;
displaced_:
#ifdef SAME_TICKET
  assert(CANCELLED || isFinished || chainDone < CHAIN - 1);   /* somebody goes on */
  isOld = true;
#else
  assert(ticket < newest);
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
    bell = 0; victim = 0; found = 0; arrival = 0; isOld = 0
  }
}

/* The same for a cursor that has one consumer for good, which nobody cancels: its lease is nobody
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

#ifdef LEAVE
/* [Cursor.deinit: BroadcastLogBase.unsubscribe] No consumer is left, so nobody sleeps: there is no place in the
 * line to give up. */
proctype Dropper() {
  chainDone == CHAIN;
  atomic { !locked -> assert(!inLine) }
}
#endif

/* Every cursor that is left has delivered everything. */
#if defined(LEAVE) || defined(PEEK)
#define FIRST_SERVED 1
#else
#define FIRST_SERVED 0
#endif

/* [Channel.finish, deinit: BroadcastLog.finish] When all is delivered, so that a lost wake-up is
 * not made good by the end's; or, HURRIED, at any moment. */
proctype Owner() {
  chan mine = [BELLS] of { byte };
  byte b, wake, i;
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
  atomic {   /* [BroadcastLog.finish: set(.finished), takeSleepers] */
    !locked ->
    isFinished = true;
#ifndef BREAK_FINISH_WAKES_NOBODY
    takeSleepers(mine, wake)
#endif
  };
  perform(wake, mine);
  /* How it must all end. */
  atomic {
    sendersDone == SENDERS && consumersDone == TASKS && ringTasks == 0 && !actorIsRinging;
    assert(published == end_ && empty(line) && empty(due));
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
#ifdef LEAVE
    run Dropper();
#endif
    run Owner()
  }
}
