/*
 * Sleeping and ringing: how a consumer that finds nothing falls asleep, how a sender wakes it, how
 * the next consumer of its cursor displaces it, how it is cancelled, and how the log ends.
 *
 * Each step carries, in brackets, the Swift function that it stands for. One step is one access to
 * what several tasks share: a critical section of the log's lock, an atomic operation, a flag of
 * the runtime. Memory is sequentially consistent: verify orderings looks at the rest.
 *
 * Elements are numbers here: what becomes of their memory, and how a slot is claimed and copied, is
 * the business of slots.pml. The two can be apart because they share two things only: the count of
 * what is published, which grows, and whether the consumer may claim without the lock. While an
 * older consumer has not finished a claim it may not; here that is so at any time.
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
#define FEW 1        /* DueSleepers.few: so many are rung in one go; the library has 16 */
#endif
#ifndef CANCELLED
#ifdef LEAVE
#define CANCELLED CHAIN
#else
#define CANCELLED (CHAIN > 0 -> CHAIN - 1 : 0)   /* how many of them are, the oldest, each at any moment */
#endif
#endif
/* HURRIED: the owner finishes at any moment, not when all is delivered. */
/* LEAVE: the last of the chain is cancelled too, and cursor 0 is dropped when all are through. */
/* PEEK: the last of the chain takes what is there and does not sleep (Feed.takeNow). */
/* DERIVED: each element is skipped by a derived outlet's step (Feed.next). */
/* ORDER: sleepers are rung as C40 says. */
/* STRICT: more than that: whoever fell asleep first is rung first. */
/* SAME_TICKET: the consumers of cursor 0 are calls of one iterator. */
/* INLINE: who is displaced runs on the thread that rings it, which goes on when that one is through. */
/* STOPPED: the oldest of the chain stops at some step outside a lock, until all others are through. */
/* STOPPED_RINGER: a consumer that helps stops while it rings. */
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
chan due = [BELLS] of { byte }           /* DueSleepers.sleepers */
bool isBeingRung             /* DueSleepers.isBeingRung */
bool actorIsTold             /* DueSleepers.actorIsTold */
byte ringTasks               /* tasks made by BroadcastLogBase.tell that the actor has not begun */

/* ---- Doorbells: an AsyncStream that buffers one ring. ---- */

bool rung[BELLS + 1]         /* a ring is buffered */
bool ended[BELLS + 1]        /* the stream was cancelled */
bool waited[BELLS + 1]       /* a continuation waits in it */
bool linked[BELLS + 1]       /* in a line, due, or taken and not yet rung (for assertions) */
#ifdef INLINE
bool inlined[BELLS + 1]      /* who was woken by it runs on the thread that rang it */
#endif

/* ---- Cursors. ---- */

byte word                    /* Position.word, of cursor 0: the epoch of who may claim without the lock */
byte position[CURSORS]       /* Position.word: the number of the next slot */
byte cursorOwner             /* Waiter.lock, of cursor 0: who has it, plus one */
byte newest                  /* CurrentConsumer.epoch, of cursor 0 */
byte bellOf[CURSORS]         /* CurrentConsumer.bell */
bool isAsleep                /* CurrentConsumer.isAsleep, of cursor 0 */
byte bellsMade               /* of cursor 0 (for assertions) */

#define NOBODY 0             /* Position.nobody: the place is closed */

/* ---- Tasks, as the runtime has them. ---- */

bool isCancelled[CHAIN + 1]
bool statusLocked[CHAIN + 1]     /* held while handlers are called, installed and removed */
byte handler[CHAIN + 1]        /* the handler of AsyncStream's next: the bell whose stream it ends */

byte sendersDone, consumersDone, chainDone
bool hasStopped

#define READABLE 1
#define FINISHED 2
#define NOTHING 3

/* [Wake] What a sender is to do after unlocking. */
#define WAKE_NOBODY 0
#define WAKE_TAKEN 1         /* those that it has taken: few, or a crowd */
#define WAKE_DUE 2

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

/* [DueSleepers.isWaitedFor] */
#ifdef BREAK_OVERTAKES
#define IS_WAITED_FOR false
#else
#ifdef BREAK_WAITED_COUNT
#define IS_WAITED_FOR (len(due) > 0)
#else
#define IS_WAITED_FOR (len(due) > 0 || isBeingRung)
#endif
#endif

/* [DueSleepers.canBeRung] */
#define CAN_BE_RUNG (len(due) > 0 && !isBeingRung)

/* [LogState.takeSleepers] With the lock held. */
inline takeSleepers(mine, wake) {
#ifdef ORDER
  calls++;
  call = calls;
  before[call] = left;
#endif
  if
  :: len(line) == 0 -> wake = WAKE_NOBODY
  :: len(line) > 0 && !IS_WAITED_FOR ->
    do
    :: line?b -> mine!b; noteTaken()
    :: len(line) == 0 -> break
    od;
    wake = WAKE_TAKEN
  :: len(line) > 0 && IS_WAITED_FOR ->
    do
    :: line?b -> due!b; noteTaken()
    :: len(line) == 0 -> break
    od;
    wake = (CAN_BE_RUNG -> WAKE_DUE : WAKE_NOBODY)
  fi;
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

/* The call has returned: it leaves to others what it has not rung. */
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

/* [Doorbell.ringAll, Sleepers.ringAll] At most so many. */
inline ringAll(mine, most) {
  do
  :: atomic {
      len(mine) > 0 && count < most ->
      count++;
      mine?b;
      linked[b] = false;
      noteRing();
      yieldTo(b);   /* [Doorbell.ring] */
      b = 0;
      if
      :: len(mine) == 0 || count == most -> count = 0; break
      :: else
      fi
    }
  :: atomic { len(mine) == 0 -> break }
  od
}

/* [BroadcastLogBase.changeDue: DueSleepers.mustTellActor] At the end of each change, with the lock
 * held. */
inline tellActor() {
  if
  :: CAN_BE_RUNG && !actorIsTold ->
#ifndef BREAK_TOLD
    actorIsTold = true;
#endif
    assert(ringTasks == 0);
    ringTasks++   /* [BroadcastLogBase.tell: Task.detached], which begins whenever it likes */
  :: else
  fi
}

/* [DueSleepers.begin] With the lock held. */
inline begin(mine) {
#ifdef BREAK_TWO_RING
  if
  :: len(due) > 0 ->
#else
  if
  :: CAN_BE_RUNG ->
    isBeingRung = true;
#endif
    do
    :: len(due) > 0 && len(mine) < FEW -> due?b; mine!b
    :: else -> b = 0; break
    od
  :: else
  fi
}

/* [BroadcastLogBase.ringFew] */
inline ringFew(mine) {
  atomic { !locked -> begin(mine); tellActor() };
  if
  :: len(mine) > 0 ->
#ifdef BREAK_STOP_EARLY
    atomic { !locked -> isBeingRung = false; tellActor() };
    ringAll(mine, FEW)
#else
#ifdef STOPPED_RINGER
    if
    :: true
    :: atomic { !hasStopped -> hasStopped = true }; consumersDone == TASKS - 1
    fi;
#endif
    ringAll(mine, FEW);
    atomic {   /* [DueSleepers.stop] */
      !locked ->
      isBeingRung = false;
#ifndef BREAK_STOP_TELLS_NOBODY
      tellActor()
#endif
    }
#endif
  :: len(mine) == 0
  fi
}

/* [BroadcastLogBase.perform, ring] */
inline perform(wake, mine) {
  if
  :: wake == WAKE_NOBODY
  :: wake == WAKE_TAKEN ->
#ifdef BREAK_REST_FIRST
    leaveRest(mine);
    ringAll(mine, FEW)
#else
    ringAll(mine, FEW);
    if
    :: len(mine) > 0 -> leaveRest(mine)
    :: len(mine) == 0
    fi
#endif
  :: wake == WAKE_DUE -> ringFew(mine)
  fi;
  atomic { wake = WAKE_NOBODY; noteReturn() }
}

#ifdef BREAK_REST_FIRST
#define KEPT FEW
#else
#define KEPT 0
#endif

/* [BroadcastLogBase.ring: DueSleepers.append] The rest of a crowd. */
inline leaveRest(mine) {
  atomic {
    !locked ->
#ifdef BREAK_REST_FIRST
    /* The first few come to the end, and stay. */
    count = 0;
    do
    :: count < FEW && count < len(mine) -> mine?b; mine!b; count++
    :: else -> count = 0; break
    od;
#endif
    do
    :: len(mine) > KEPT -> mine?b; due!b
    :: else -> b = 0; break
    od;
#ifndef BREAK_CROWD_TELLS_NOBODY
    tellActor()
#endif
  }
}

/* [BroadcastLogBase.helpRinging] Whether it does is a hint's affair: here at any time. */
inline helpRinging() {
  if
  :: true
  :: CAN_BE_RUNG -> ringFew(mine)
  fi
}

/* [Inlet.send: BroadcastLog.send] */
proctype Sender() {
  chan mine = [BELLS] of { byte };
  byte b, wake, sent, count, call;
  do
  :: atomic {   /* [BroadcastLog.appendIfPlain] takes the lock */
      sent < SENDS && !locked && !isFinished -> locked = true; sent++
    };
    published++;   /* [BroadcastLogBase.publish] seen by readers at once */
    atomic {       /* [LogState.writeSlot, takeSleepers] and unlocks */
      end_++;
      takeSleepers(mine, wake);
      locked = false
    };
    perform(wake, mine)
  :: atomic {      /* has sent all, or gets .finished */
      sent == SENDS || (!locked && isFinished) -> sendersDone++; sent = 0; break
    }
  od
}

/* [Ringer.ring] The actor runs one at a time. */
proctype Actor() {
  chan mine = [BELLS] of { byte };
  byte b, count;
  bool hasRung;
end:
  do
  :: ringTasks > 0 && !locked ->
    ringTasks--;
    do
    :: atomic {   /* [BroadcastLogBase.tell: stop or actorBegins, begin] */
        !locked ->
        if
        :: hasRung -> isBeingRung = false
        :: else ->
#ifndef BREAK_TOLD_LATE
          actorIsTold = false
#endif
        fi;
        begin(mine);
        tellActor();
        if
        :: len(mine) == 0 -> hasRung = false; break
        :: len(mine) > 0 -> hasRung = true
        fi
      };
      ringAll(mine, FEW)
    od;
#ifdef BREAK_TOLD_LATE
    actorIsTold = false   /* after the lock that saw nothing due */
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

/* An element is claimed. */
inline claim() {
  position[0]++;
  assert(position[0] <= published);
  assert(epoch == newest);   /* C32: a displaced one takes nothing */
  found = 1
}

#ifdef BREAK_TICKETS
#define MAY_CLAIM (word != NOBODY)   /* the word's, whoever's it is */
#else
#define MAY_CLAIM (word == epoch)
#endif

/* [Cursor.take: Position.claim] Without the lock. */
inline take() {
  mayStop();
  if
  :: atomic { MAY_CLAIM && position[0] < published -> claim() }
  :: atomic { !(MAY_CLAIM && position[0] < published) -> found = 0 }
  fi
}

/* [Cursor.takeKnown in Waiter.withPlace] With the lock, in a place that is closed, or not. */
inline takeLocked() {
  mayStop();
#ifdef BREAK_WITH_PLACE
#define HAS_PLACE true
#else
#define HAS_PLACE (newest == epoch)
#endif
  if
  :: atomic { !cursorOwner && HAS_PLACE && position[0] < published -> claim() }
  :: atomic { !cursorOwner && !(HAS_PLACE && position[0] < published) -> found = 0 }
  fi
}

/* [Waiter.ask: LogCursor.admit] Takes the lock, and the place. */
inline ask() {
  mayStop();
  if
#ifdef BREAK_ASK_OLD
  :: atomic { !cursorOwner -> cursorOwner = me + 1; admit() }   /* from a newer one, too */
#else
  :: atomic { !cursorOwner && newest > epoch -> goto displaced_ }
  :: atomic { !cursorOwner && newest <= epoch -> cursorOwner = me + 1; admit() }
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

/* Opens the place for the epoch, or closes it: if another consumer may have a claim that is not
 * finished. */
inline admit() {
  if
#ifndef BREAK_NOT_CLOSED
  :: word != epoch -> word = epoch
#endif
  :: word != epoch && newest -> word = NOBODY
  :: word == epoch
#ifdef BREAK_NOT_CLOSED
  :: word == NOBODY -> word = epoch
  :: word != NOBODY && word != epoch   /* the older one goes on claiming */
#endif
  fi;
  newest = epoch
}

inline unlock() {
  atomic { assert(cursorOwner == me + 1); cursorOwner = 0 }
}

/* [LogCursor.poll] Only while there is no bell: whoever never has to wait makes none. */
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

/* [LogCursor.advance] With the cursor's lock. Looks for what is published; and if the calls of one
 * iterator overlap, it may close the place. */
inline advance() {
  atomic {
#ifdef SAME_TICKET
    if
    :: word == epoch -> word = NOBODY
    :: true
    fi;
#endif
    arrival = (position[0] < published -> LOOK_AGAIN : 0)
  }
}

/* [Waiter.lookOrFallAsleep, look] */
inline lookOrFallAsleep() {
  ask();
  if
  :: PEEKS || bellOf[0] == NO_BELL ->
    advance();
    if
    :: !arrival -> firstLook(0)
    :: else
    fi
  :: else ->
    arrival = 0;
    /* [AdaptiveSpin.sees] Looks on with no lock, perhaps. Whether it has seen something, it asks again. */
    if
    :: true
    :: position[0] >= published ->
#ifndef BREAK_LOOKS_ON_LOCKED
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
  :: !arrival && !PEEKS ->   /* [Waiter.sleep] */
    advance();
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

/* [Waiter.wakeUp] `goto ended` if there is no use in looking again. */
inline wakeUp() {
  mayStop();
  /* [Waiter.withPlace] */
  if
  :: atomic { !cursorOwner && !IN_ITS_PLACE -> helpRinging(); goto displaced_ }
  :: atomic {
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
  :: found -> dropBell(); unlock(); helpRinging(); goto ended_
  :: else
  fi;
  helpRinging();
  bell = 0
}

/* A `for await` over cursor 0: [Subscription.Iterator.next] until it returns nil, and once more if it
 * was displaced. */
proctype Consumer(byte me) {
  chan mine = [BELLS] of { byte };
  byte epoch, bell, victim, found, arrival, b, count;
  bool isOld;   /* was displaced */
#ifdef SAME_TICKET
  epoch = 1;
#else
  epoch = me + 1;
#endif
next:
#ifdef DERIVED
  takeLocked();   /* [Feed.next: Cursor.lookAndTake] */
#else
  if
  :: PEEKS -> takeLocked()   /* [Feed.takeNow: Cursor.lookAndTake] */
  :: !PEEKS -> take()
  fi;
#endif
  if
#ifdef DERIVED
  :: found && isCancelled[me] -> goto ended_
#endif
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
#ifdef DERIVED
  goto next;
#endif
  if
  :: PEEKS -> goto next
  :: !PEEKS
  fi;
  /* [Cursor.takeSeen] */
  take();
  if
  :: !found -> takeLocked()
  :: else
  fi;
  if
  :: found -> found = 0; goto next
  :: !found -> goto waits
  fi;
displaced_:
#ifdef SAME_TICKET
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
    bell = 0; victim = 0; found = 0; arrival = 0; isOld = 0
  }
}

/* The same for a cursor that has one consumer for good, which nobody cancels: its place is nobody
 * else's business. */
proctype Reader(byte cursor) {
  chan mine = [BELLS] of { byte };
  byte bell, found, arrival, b, count;
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
  :: arrival == ASLEEP -> listen(bell); !waited[bell]; helpRinging(); goto next
  fi;
  atomic {
    assert(isFinished && position[cursor] == end_);
    consumersDone++;
    found = 0; arrival = 0
  }
}

#ifdef LEAVE
/* [Cursor.deinit: LogCursor.unsubscribe] No consumer is left, so nobody sleeps: there is no place in the
 * line to give up. */
proctype Dropper() {
  chainDone == CHAIN;
  atomic { !locked -> assert(!inLine) }
}
#endif

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
  byte b, wake, i, count, call;
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
    sendersDone == SENDERS && consumersDone == TASKS && ringTasks == 0 && !isBeingRung && !actorIsTold;
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
#ifdef LEAVE
    run Dropper();
#endif
    run Owner()
  }
}
