/*
 * Sleeping and ringing: how a consumer that finds nothing falls asleep, how a sender wakes it, how
 * a cancelled consumer hands its cursor over, and how the log ends.
 *
 * Each step carries, in brackets, the Swift function that it stands for. One step is one access to
 * what several tasks share: a critical section of the log's lock, an atomic operation, a flag of
 * the runtime. Memory is sequentially consistent.
 *
 * Elements are numbers here: what becomes of their memory is the business of slots.pml. The two can
 * be apart because they share one thing only, the count of what is published, which grows; a sleep
 * depends on the count alone, never on a slot.
 *
 * What is checked: the assertions below; that every run ends (no cycle), with every consumer at
 * its end. Since the owner holds back the end until everybody has got everything, a consumer that
 * overslept an element shows as a run that stops too early.
 *
 * Steps that only touch what nobody else reaches are joined to the next one that is shared. The
 * locals of who is through are set to zero, which nobody can see either.
 */

/* The main actor's sleepers are in an isolation too; that they are rung there, in two jobs, is left
 * out: it is only about their order. */

/* The scenario. */
#ifndef SENDERS
#define SENDERS 1    /* tasks that send */
#endif
#ifndef SENDS
#define SENDS 1      /* elements each */
#endif
#ifndef CHAIN
#define CHAIN 2      /* tasks that consume cursor 0 in turn: all but the last are cancelled */
#endif
#ifndef READERS
#define READERS 1    /* other cursors, one task each, not cancelled */
#endif
#ifndef DIRECT
#define DIRECT 1     /* LogState.directRings; the library has 2 */
#endif
/* HURRIED: the owner finishes at any moment, not when all is delivered. */
/* LEAVE: the last of the chain is cancelled too, and cursor 0 is dropped once all are through. */
/* DERIVED: consumers keep the lease over the steps of derived outlets (DerivedFeed.next). */
/* ORDER: whoever fell asleep first is rung first. */
/* ISOLATED: who is cancelled waits in an actor's isolation (Doorbell.wait(in:)). */
/* ANY_ORDER: cancel() calls its two handlers in any order, not the innermost first. */
/* SAME_TICKET: the consumers of cursor 0 share an iterator. */
/* START_LATE: the next of them begins when cancel() has returned, not as soon as the flag is set. */
/* BREAK_…: something is left out or done too early; each must fail. */

#ifdef LEAVE
#define CANCELLED CHAIN
#else
#define CANCELLED (CHAIN - 1)
#endif

#define TASKS   (CHAIN + READERS)
#define CURSORS (1 + READERS)
/* Bells of cursor 0 come first, one for each time that one is killed, and one more. */
#define BELLS   (CHAIN + 1 + READERS)
#define BELL_OF(cursor, made) (cursor == 0 -> 1 + made : 1 + CHAIN + cursor)
#define NO_BELL 0
#if CHAIN == 1
#define FIRST_IN_LINE (line??[1] || line??[2])
#elif CHAIN == 2
#define FIRST_IN_LINE (line??[1] || line??[2] || line??[3])
#else
#define FIRST_IN_LINE (line??[1] || line??[2] || line??[3] || line??[4])
#endif

/* ---- The log, behind its lock (LogState), and the count that is read without (Segment). ---- */

bool locked
byte published               /* Segment.published */
byte end_                    /* LogState.end */
bool isFinished
chan line = [BELLS] of { byte }          /* SleeperLine */
chan due = [BELLS] of { byte }           /* LogState.due */
bool actorIsRinging
byte ringTasks               /* tasks made by Broadcaster.perform that the actor has not begun */

/* ---- Doorbells: an AsyncStream that buffers one ring, and a flag. ---- */

bool rung[BELLS + 1]         /* a ring is buffered */
bool ended[BELLS + 1]        /* the stream was cancelled */
bool waited[BELLS + 1]       /* a continuation waits in it */
bool dead[BELLS + 1]         /* Doorbell.dead */
byte ticketOf[BELLS + 1]     /* Doorbell.ticket */
bool linked[BELLS + 1]       /* in a line, due, or taken and not yet rung (for assertions) */

/* ---- Cursors: fields that whoever has the lease may touch. ---- */

byte word                    /* Lease.word, of cursor 0; the others have one consumer for good */
byte position[CURSORS]       /* Position.index: all before it are delivered */
byte limit[CURSORS]          /* Position.limit */
byte bellOf[CURSORS]         /* AnyCursor.bell */
byte bellsMade[CURSORS]
bool gone                    /* cursor 0 was dropped (for assertions) */

#define IDLE 0
#define BUSY 1
#define WAITING 2
#define GIVEN_UP 3
#define WORD(ticket, phase) ((ticket) * 4 + phase)
#define PHASE(w) ((w) & 3)
#define TICKET(w) ((w) >> 2)

/* ---- Tasks, as the runtime has them. ---- */

bool isCancelled[CHAIN]
bool statusLocked[CHAIN]     /* held while handlers are called, installed and removed */
byte outer[CHAIN]            /* the handler of Doorbell.wait(in:), and the bell it is for */
byte inner[CHAIN]            /* the handler of AsyncStream's next, and the bell whose stream it ends */
bool onTheWay[CHAIN]         /* from fallAsleep to a handler, and from it to wake (for assertions) */
bool cancelReturned[CHAIN]

byte lastTaker               /* who took the last element of cursor 0 (for assertions) */

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

/* [SleeperLine.join] With the lock held. */
inline join(cursor, bell) {
  assert(!linked[bell]);   /* its links are nobody's but this line's */
  assert(cursor != 0 || !FIRST_IN_LINE);   /* one place a cursor: C37 */
  linked[bell] = true;
  line!bell;
#ifdef ORDER
  order!bell
#endif
}

/* [SleeperLine.leave] With the lock held. Does nothing if the line was taken. */
inline leaveLine(bell) {
  if
  :: line??[eval(bell)] ->
    line??eval(bell);
    linked[bell] = false;
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
    :: line?b -> assert(!gone || b > CHAIN + 1); mine!b
    :: empty(line) -> break
    od;
    wake = WAKE_DIRECTLY
  :: nempty(line) && (actorIsRinging || len(line) > DIRECT) ->
    do
    :: line?b -> assert(!gone || b > CHAIN + 1); due!b
    :: empty(line) -> break
    od;
    if
    :: actorIsRinging -> wake = WAKE_NOBODY
    :: else ->
      actorIsRinging = true;
      wake = WAKE_NOBODY;
      assert(ringTasks == 0);
      ringTasks++   /* [Broadcaster.ring: Task.detached], which begins whenever it likes */
    fi
  fi;
  b = 0
}

/* [Sleepers.ringAll: popFirst, Doorbell.ring] There is at least one. */
inline ringAll(mine) {
  do
  :: atomic {
      mine?b ->
      linked[b] = false;
#ifdef ORDER
      assert(order?[eval(b)]);   /* C40 */
      order??eval(b);
#endif
      if   /* AsyncStream.Continuation.yield */
      :: ended[b]
      :: !ended[b] && waited[b] -> waited[b] = false
      :: !ended[b] && !waited[b] -> rung[b] = true
      fi;
      b = 0;
      if
      :: empty(mine) -> break
      :: nempty(mine)
      fi
    }
  od
}

/* [Broadcaster.perform] */
inline perform(wake, mine) {
  if
  :: wake == WAKE_NOBODY
  :: wake == WAKE_DIRECTLY -> wake = WAKE_NOBODY; ringAll(mine)
  fi
}

/* [Inlet.send: Broadcaster.send] */
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

/* [Broadcaster.ringDue] The actor runs one at a time. */
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

/* AsyncStream's next: a ring that is there, the end, or a continuation. */
inline listen(bell) {
  atomic {
    if
    :: rung[bell] -> rung[bell] = false
    :: !rung[bell] && ended[bell]
    :: !rung[bell] && !ended[bell] -> assert(!waited[bell]); waited[bell] = true
    fi
  }
}

/* [Lease.noteCancel] */
inline noteCancel(ticket) {
  atomic {
    if
#ifdef BREAK_GIVEN_UP_TO_NOBODY
    :: word == WORD(ticket, WAITING) -> word = 0
#else
    :: word == WORD(ticket, WAITING) -> word = WORD(ticket, GIVEN_UP)
#endif
    :: else
    fi
  }
}

/* [Doorbell.noteCancel] */
inline onCancel(bell, ticket) {
#ifdef BREAK_MARK_LAST
  noteCancel(ticket);
  dead[bell] = true
#else
  dead[bell] = true;
  noteCancel(ticket)
#endif
}

/* The handler of AsyncStream's next: onTermination, then the stream ends, for good, and whoever waits
 * in it goes on. */
inline cancelStream(bell) {
#ifndef BREAK_NO_HANDLER
  onCancel(bell, ticketOf[bell]);
#endif
  atomic { ended[bell] = true; waited[bell] = false }
}

/* The handler of Doorbell.wait(in:) has its own copy. */
#ifdef BREAK_OUTER_READS_BELL
#define OUTER_TICKET(task) ticketOf[outer[task]]
#else
#define OUTER_TICKET(task) (task + 1)
#endif

/*
 * Task.cancel(): the flag first; then, under the status lock, the handlers that are installed by
 * then: the innermost first, or with ANY_ORDER either.
 */
proctype Canceller(byte task) {
  if
  :: task > 0 -> isCancelled[task - 1]   /* one begins when all before it are cancelled */
  :: else
  fi;
  isCancelled[task] = true;
  atomic { !statusLocked[task] -> statusLocked[task] = true };
  if
  :: true ->
    if :: inner[task] -> cancelStream(inner[task]) :: else fi;
    if :: outer[task] -> onCancel(outer[task], OUTER_TICKET(task)) :: else fi
#ifdef ANY_ORDER
  :: true ->
    if :: outer[task] -> onCancel(outer[task], OUTER_TICKET(task)) :: else fi;
    if :: inner[task] -> cancelStream(inner[task]) :: else fi
#endif
  fi;
  atomic {
    statusLocked[task] = false;
    cancelReturned[task] = true;
    /* C31: whoever comes now need not wait until the cancelled one has unwound. */
    assert(word != WORD(task + 1, WAITING) || onTheWay[task])
  }
}

/* [Lease.release] Unconditional: only the holder may. */
inline release() {
  atomic {
    assert(word == WORD(ticket, BUSY));
    word = WORD(ticket, IDLE)
  }
}

/* [Cursor.take: Position.takeKnown, refresh] With the lease: whoever gives it back asserts that it
 * had it all the time, so that nobody else was here. */
inline take(found) {
  atomic {
    if
    :: position[cursor] < limit[cursor]
    :: else -> limit[cursor] = published
    fi;
    found = position[cursor] < limit[cursor];
    position[cursor] = position[cursor] + found;
    if
    :: found -> assert(lastTaker <= me); lastTaker = me   /* C31: a taken over cursor stays so */
    :: else
    fi
  }
}

/* [Lease.acquire] `goto refused` if this task is cancelled. */
inline acquireIfNotCancelled() {
  do
#ifdef BREAK_CHECK_BEFORE_LOAD
  :: if
    :: isCancelled[me] -> goto refused
    :: else
    fi;
    current = word;
#else
  :: current = word;
    if   /* after the load */
    :: isCancelled[me] -> goto refused
    :: else
    fi;
#endif
    if
    :: PHASE(current) == BUSY ->
      word != current || isCancelled[me]   /* CurrentThread.yield, and again */
    :: PHASE(current) == WAITING ->
      waiter = TICKET(current);
      word != current || isCancelled[me]
    :: PHASE(current) == IDLE || PHASE(current) == GIVEN_UP ->
      atomic {
        assert(waiter == 0 || current != WORD(waiter, IDLE));   /* Lease.misuse */
        if
        :: word == current ->
          word = WORD(ticket, BUSY);
          current = 0;
          waiter = 0;
          break
        :: else
        fi
      }
    fi
  od
}

inline acquire() {
  if
  :: me < CANCELLED -> acquireIfNotCancelled()
  :: else ->
    /* For a task that nobody cancels the load and the exchange are one step: an exchange that fails
     * only looks again. */
    do
    :: atomic {
        PHASE(word) == WAITING && waiter == 0 -> waiter = TICKET(word)
      }
    :: atomic {
        PHASE(word) == IDLE || PHASE(word) == GIVEN_UP ->
        assert(waiter == 0 || word != WORD(waiter, IDLE));   /* Lease.misuse */
        word = WORD(ticket, BUSY);
        waiter = 0;
        break
      }
    od
  fi
}

#define LOOK_AGAIN 1
#define AT_END 2
#define GAVE_UP 3

/* [Lease.fallAsleep] */
inline fallAsleep() {
  atomic {
    assert(word == WORD(ticket, BUSY));
    word = WORD(ticket, WAITING);
    if
    :: me < CANCELLED -> onTheWay[me] = true
    :: else
    fi
  }
}

/* C31: once its handler is installed, or has run since the task is cancelled already, nobody need
 * wait for a cancelled one. Until then it is a few steps away, without a suspension. */
inline hasHandler() {
  atomic {
    onTheWay[me] = false;
    assert(!cancelReturned[me] || word != WORD(ticket, WAITING))
  }
}

/* [Doorbell.wait: AsyncStream's next] A cancellation handler of a task that is cancelled already
 * runs when it is installed, and again in cancel() if that has not come to the handlers yet. It is
 * removed when cancel() is through with the handlers. */
inline wait() {
#ifdef ISOLATED
  if
  :: me < CANCELLED ->
#ifndef BREAK_NO_OUTER
    atomic { !statusLocked[me] -> outer[me] = bell; fires = isCancelled[me] };
    if
    :: fires -> onCancel(bell, ticket); fires = false
    :: else
    fi;
#endif
    hasHandler()
  :: else
  fi;
#endif
  if
  :: me < CANCELLED ->
    atomic { !statusLocked[me] -> inner[me] = bell; fires = isCancelled[me] };
    if
    :: fires -> cancelStream(bell); fires = false
    :: else
    fi;
    hasHandler()
  :: else
  fi;
  listen(bell);
  atomic {
    !waited[bell] && !statusLocked[me] -> inner[me] = 0;
#ifndef ISOLATED
    onTheWay[me] = true
#endif
  };
  wakeUp();
#ifdef ISOLATED
  atomic { !statusLocked[me] -> outer[me] = 0 }
#else
  onTheWay[me] = false
#endif
}

/* [Lease.wake] */
inline wakeUp() {
  atomic {
    if
    :: word == WORD(ticket, WAITING) ->
      word = WORD(ticket, BUSY);
      awakening = LOOK_AGAIN
    :: else -> awakening = GAVE_UP
    fi
  };
#ifndef BREAK_NO_CHECK_IN_WAKE
  atomic {
    if
    :: awakening == LOOK_AGAIN && isCancelled[me] ->
      assert(word == WORD(ticket, BUSY));
#ifdef BREAK_GIVEN_UP_TO_NOBODY
      word = 0;
#else
      word = WORD(ticket, GIVEN_UP);
#endif
      awakening = GAVE_UP
    :: else
    fi
  }
#else
  skip
#endif
}

/* [AnyBroadcastLog.look] Only while there is no bell: whoever never has to wait makes none. */
inline firstLook() {
  atomic {
    !locked ->
    look(cursor, found);
    awakening = (found == READABLE -> LOOK_AGAIN : (found == FINISHED -> AT_END : 0));
    found = 0
  }
}

/* [AnyBroadcastLog.forget] With the lock. */
inline forget() {
#ifdef BREAK_NO_FORGET
  skip
#else
  leaveLine(bell)
#endif
}

/* [AnyBroadcastLog.sleep] The second look and the joining, in one step. */
inline lookAndJoin() {
#ifdef BREAK_LOOK_UNLOCKED
  atomic { look(cursor, found) };
#endif
  atomic {
    !locked ->
    if
    :: bell == NO_BELL ->
      bell = BELL_OF(cursor, bellsMade[cursor]);
      bellsMade[cursor]++;
      assert(bellsMade[cursor] <= (cursor == 0 -> CHAIN + 1 : 1));
      bellOf[cursor] = bell
    :: else
    fi;
#ifdef BREAK_NO_SECOND_LOOK
    found = NOTHING;
#endif
#if !defined(BREAK_LOOK_UNLOCKED) && !defined(BREAK_NO_SECOND_LOOK)
    look(cursor, found);
#endif
    if
    :: found == READABLE -> awakening = LOOK_AGAIN
    :: found == FINISHED -> awakening = AT_END
    :: found == NOTHING ->
      ticketOf[bell] = (cursor == 0 -> TICKET(word) : 0);   /* [Doorbell.prepare] */
      join(cursor, bell)
    fi;
    found = 0
  }
}

/* [AnyCursor.sleep] With the lease. */
inline sleep() {
  atomic {   /* [Position.advance] */
    awakening = 0;
    limit[cursor] = published;
    if
    :: position[cursor] < limit[cursor] -> awakening = LOOK_AGAIN
    :: else
    fi
  };
  if
  :: !awakening && bellOf[cursor] == NO_BELL -> firstLook()
  :: else
  fi;
  if
  :: !awakening ->
    atomic {   /* [AnyCursor.liveBell] */
      bell = bellOf[cursor];
      found = (bell != NO_BELL && dead[bell]);
    };
    if
    :: found -> atomic { !locked -> forget(); bell = NO_BELL }
    :: else
    fi;
    lookAndJoin()
  :: else
  fi;
  if
  :: !awakening ->
    fallAsleep();
    wait()
  :: else
  fi;
  bell = 0
}

/* A `for await` over a cursor: [Subscription.Iterator.next] until it returns nil. */
proctype Consumer(byte me) {
  byte cursor, ticket, current, waiter, bell, found, awakening;
  bool fires;
#ifdef SAME_TICKET
  ticket = 1;
#else
  ticket = me + 1;
#endif
  /* The next in a chain begins when the one before is cancelled, at the earliest when a second
   * cancel() could have returned: at once after the flag. */
  if
#ifdef START_LATE
  :: me > 0 -> cancelReturned[me - 1]
#else
  :: me > 0 -> isCancelled[me - 1]
#endif
  :: else
  fi;
next:
#ifdef DERIVED
  /* [DerivedFeed.next] */
  acquire();
  do
  :: isCancelled[me] -> release(); goto done
  :: else ->
    take(found);
    if
    :: found -> found = 0; release(); goto next
    :: else -> sleep();
      if
      :: awakening == LOOK_AGAIN
      :: awakening == AT_END -> release(); goto done
      :: awakening == GAVE_UP -> goto done
      fi
    fi
  od;
#else
  /* [Cursor.take: Lease.tryAcquire] */
  if
  :: atomic { word == WORD(ticket, IDLE) -> word = WORD(ticket, BUSY) };
    take(found);
    release();
    if
    :: found -> found = 0; goto next
    :: else
    fi
  :: atomic { word != WORD(ticket, IDLE) -> skip }
  fi;
  /* [AnyCursor.waitForElement] */
  acquire();
  sleep();
  if
  :: awakening != GAVE_UP -> release()
  :: else
  fi;
  if
  :: awakening == LOOK_AGAIN -> goto next
  :: else
  fi;
#endif
done:
refused:
  /* Nobody's loop ends before the log's does, unless its task is cancelled. */
  atomic {
    assert(isCancelled[me] || (isFinished && position[cursor] == end_));
    chainDone++;
    consumersDone++;
    current = 0; waiter = 0; found = 0; awakening = 0   /* nobody's business: fewer states */
  }
}

/* The same for a cursor that has one consumer for good, which nobody cancels: its lease is nobody
 * else's business. */
proctype Reader(byte cursor) {
  byte bell, found, awakening;
next:
  atomic { position[cursor] = published; awakening = 0 };
  if
  :: bell == NO_BELL -> firstLook()
  :: else
  fi;
  if
  :: !awakening -> lookAndJoin()
  :: else
  fi;
  if
  :: awakening == LOOK_AGAIN -> goto next
  :: awakening == AT_END
  :: !awakening -> listen(bell); !waited[bell]; goto next
  fi;
  atomic {
    assert(isFinished && position[cursor] == end_);
    consumersDone++;
    found = 0; awakening = 0
  }
}

#ifdef LEAVE
/* [Cursor.deinit: AnyBroadcastLog.leave] */
proctype Dropper() {
  chainDone == CHAIN;
  atomic {
    !locked ->
#ifndef BREAK_LEAVE_KEEPS_PLACE
    if
    :: bellOf[0] -> leaveLine(bellOf[0])
    :: else
    fi;
#endif
    gone = true
  }
}
#endif

/* Everybody who is not cancelled has everything. */
#ifdef LEAVE
#define FIRST_SERVED 1
#else
#define FIRST_SERVED 0
#endif

/* [Channel.finish, deinit: Broadcaster.finish] When all is delivered, so that a lost wake-up is
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
  atomic {   /* [BroadcastLog.finish: LogState.finish, takeSleepers] */
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
