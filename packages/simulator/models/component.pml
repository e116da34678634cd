/*
 * The override protocol: components, two workers, two people, their clouds and the store.
 *
 * Bounds (-D): COMPONENTS, DEEDS by people, MISHAPS (a crash, a claim that expires, a lost answer or a read that fails), POLICY.
 * Variants: UNBOUND (the cloud refuses no write, so the agent reads again right before), BROKEN (component 1 can never be read).
 * -DM_... plants one mistake. An invariant must then fail.
 *
 * Abstractions: an etag or a record's version is a flag "out of date" for each reader. Of what a resource contains, only
 * whether it equals the newest declaration is known. A write lands or is refused at one instant, before or after its answer.
 */
#include "lifecycle.pml"

#ifndef COMPONENTS
#define COMPONENTS 1
#endif
#ifndef DEEDS
#define DEEDS 5
#endif
#ifndef MISHAPS
#define MISHAPS 1
#endif
#ifndef POLICY
#define POLICY clean
#endif
#define WORKERS 2
#define DIES atomic { mishaps > 0 -> mishaps--; goto dead }

/* Other: not the resource that the record knows. */
typedef Resource { bool there, on, rec, equal, other }
typedef Record {
  mtype status = Active; mtype told = Active;
  bool lost, done, drift, gone;
  bool unread /* an unbound write was sent, and no read has shown what became of it */;
  byte claim /* a worker + 1 */
}
typedef Declared { bool leaving, running }
/* What a write carries. Crossed: the tags moved since the last read. Late: its worker no longer waits for it. */
typedef Flight { mtype effect = nothing; bool stale, crossed, verified, late, superseded }
/* What has moved since a worker read. */
typedef Sight { bool at, stale, crossed, outdated, superseded, replaced }

Resource res[COMPONENTS];
Record rec[COMPONENTS];
Declared dec[COMPONENTS];
Flight out[COMPONENTS * WORKERS];
Sight see[COMPONENTS * WORKERS];
mtype answer[WORKERS] = nothing; /* keep: made; drop: refused; unreadable: nobody knows */
byte deeds = DEEDS, mishaps = MISHAPS;
/* An unbound write landed after the tag was removed, and still shows: somebody must be told. */
bool owed[COMPONENTS];

#define AT(c, w) ((c) * WORKERS + (w))
#define MINE see[AT(c, w)]
#define OUT out[AT(c, w)]
#define R res[c]
#define REC rec[c]
#define D dec[c]

/* Flags of readers who look at nothing stay as they are, so that equal states are equal. */
#define MARK(c, w, what) see[AT(c, w)].what = (see[AT(c, w)].at && !see[AT(c, w)].outdated); out[AT(c, w)].what = (out[AT(c, w)].effect != nothing)
#ifdef UNBOUND
inline moved(c) { skip }
inline tagsMoved(c) { MARK(c, 0, crossed); MARK(c, 1, crossed) }
#else
inline moved(c) { MARK(c, 0, stale); MARK(c, 1, stale) }
inline tagsMoved(c) { moved(c) }
#endif
inline replacedBy(c) { tagsMoved(c); R.other = 1; see[AT(c, 0)].replaced = see[AT(c, 0)].at; see[AT(c, 1)].replaced = see[AT(c, 1)].at }
inline redeclared(c) { owed[c] = 0; R.equal = 0; D.running = 1; MARK(c, 0, superseded); MARK(c, 1, superseded) }
/* The record has another version. */
inline stored(c, w) { see[AT(c, 1 - w)].outdated = see[AT(c, 1 - w)].at }

proctype person() {
  byte c;
end:
  do
  :: atomic { deeds > 0 ->
       deeds--;
       if :: c = 0 :: COMPONENTS > 1 -> c = COMPONENTS - 1 fi;
       if
       /* Tags as people write them: both at once, so that a copy that is out of date is among them. */
       :: R.there -> if :: R.on = 0 :: R.on = 1 fi; if :: R.rec = 0 :: R.rec = 1 fi; owed[c] = owed[c] && !R.on; tagsMoved(c)
       :: R.there -> R.equal = !R.equal; owed[c] = 0; moved(c)
       :: R.there -> R.there = 0; R.on = 0; R.rec = 0; R.equal = 0; owed[c] = 0; tagsMoved(c)
       :: !R.there -> R.there = 1; if :: R.on = 1 :: skip fi; if :: R.rec = 1 :: skip fi; if :: R.equal = 1 :: skip fi; replacedBy(c)
       :: !REC.gone -> D.leaving = 0; redeclared(c)
       :: !REC.gone -> D.leaving = 1; redeclared(c)
       fi;
       c = 0
     }
  od
}

#define EXPIRES(c) mishaps > 0 && rec[c].claim != 0 -> see[AT(c, rec[c].claim - 1)].outdated = 1; rec[c].claim = 0; mishaps--
/* A worker pauses for longer than its claim holds. */
proctype chaos() {
end:
  do
  :: atomic { EXPIRES(0) }
  od
}

/* A write arrives. The cloud refuses what is bound to an older state. */
inline land(c, w) {
  made = (OUT.effect == create -> !R.there : R.there);
#ifndef UNBOUND
  made = made && (OUT.effect == create || !OUT.stale);
#endif
  if
  :: made && OUT.effect == create ->
     R.there = 1; R.on = 1; R.rec = 0; R.equal = !OUT.superseded; replacedBy(c)
  :: made && OUT.effect != create ->
#ifdef UNBOUND
     assert(R.on || OUT.crossed); /* I1: unbound, a write crosses only a removal that came after the last read */
     /* What lands late, or after its claim has expired, may come after every read. */
     if :: !R.on && OUT.effect == correct && !OUT.late && REC.claim == w + 1 && !OUT.superseded -> owed[c] = 1 :: else fi;
#else
     assert(R.on); /* I1 */
#endif
     if
     :: OUT.effect == correct -> tagged = R.on; R.equal = !OUT.superseded; moved(c);
#ifdef M_CORRECT_SETS_TAG
        R.on = 1;
#endif
        assert(R.on == tagged); /* I2: only a creation sets the tag */
        tagged = 0
     :: OUT.effect == untag ->
        assert(OUT.verified); /* I3 */
        R.rec = 0; tagsMoved(c)
     :: OUT.effect == remove -> R.there = 0; R.on = 0; R.rec = 0; R.equal = 0; owed[c] = 0; tagsMoved(c)
     fi
  :: else
  fi;
  if
  :: OUT.late
  :: !OUT.late && mishaps > 0 -> mishaps--; answer[w] = unreadable
  :: !OUT.late -> answer[w] = (made -> keep : drop)
  fi;
  OUT.effect = nothing; OUT.stale = 0; OUT.crossed = 0; OUT.verified = 0; OUT.superseded = 0; OUT.late = 0; made = 0
}

proctype cloud() {
  bool made, tagged;
end:
  do
  :: atomic { out[0].effect != nothing -> land(0, 0) }
  :: atomic { out[1].effect != nothing -> land(0, 1) }
#if COMPONENTS > 1
  :: atomic { out[2].effect != nothing -> land(1, 0) }
  :: atomic { out[3].effect != nothing -> land(1, 1) }
#endif
  od
}

/* A direct read, held against what is declared now. */
inline look() {
  MINE.at = 1; MINE.stale = 0; MINE.crossed = 0; MINE.superseded = 0; MINE.replaced = 0;
  if
#ifdef BROKEN
  :: c == 1 -> f.seen = unreadable
  :: c != 1 ->
#else
  :: mishaps > 0 -> mishaps--; f.seen = unreadable
  :: true ->
#endif
       f.seen = (R.there -> present : missing)
  fi;
  blind = (f.seen == unreadable);
  f.on = (f.seen == present && R.on); f.rec = (f.seen == present && R.rec && !D.leaving);
  f.drift = (f.seen == present && !R.equal);
  f.returned = (f.seen == present && R.other -> another : neverGone); /* as the record is judged when it is stored */
  f.redeploy = isDeploy && D.running
#ifdef M_UNREADABLE_IS_UNTAGGED
  ; if :: f.seen == unreadable -> f.seen = present :: else fi
#endif
}

inline forgetLocals() {
  effect = nothing; made = 0; round = 0; isDeploy = 0; before = 0; blind = 0;
  f.seen = unreadable; f.on = 0; f.rec = 0; f.drift = 0; f.redeploy = 0; f.returned = neverGone;
  f.status = Active; f.done = 0; row = 0
}
inline lookAway(c) {
  see[AT(c, w)].at = 0; see[AT(c, w)].stale = 0; see[AT(c, w)].crossed = 0; see[AT(c, w)].superseded = 0;
  see[AT(c, w)].outdated = 0; see[AT(c, w)].replaced = 0
}
inline died(c) {
  lookAway(c);
#ifndef M_CLAIM_STAYS
  if :: rec[c].claim == w + 1 -> rec[c].claim = 0; stored(c, w) :: else fi; /* The worst case: it expires at once. */
#endif
  out[AT(c, w)].late = (out[AT(c, w)].effect != nothing)
}

/* The next state of the record, and the write that it permits. */
inline decide() {
  f.status = REC.status; f.policy = POLICY; f.adoption = noAdoption; f.done = (REC.done && !f.drift);
  if
  :: REC.status == Active -> f.returned = neverGone
  :: f.returned == neverGone && REC.lost && f.seen == present -> f.returned = same
  :: else
  fi;
  row = ROW(f);
#ifdef M_ENDS_WITHOUT_TAG
  if :: row == 209 && !f.drift -> row = 211 :: else fi;
#endif
  assert(!blind || (TO(row) == REC.status && EFFECT(row) == nothing)); /* unreadable means neither untagged nor missing */
  /* I5: an override ends with the tag seen on, or by a redeploy of what is missing. */
  assert(!(REC.status == Manual && TO(row) == Active) || f.on || (f.seen == missing && f.redeploy));
  before = (REC.claim != 0 || REC.status != TO(row) || (f.seen == present && REC.drift != f.drift) || (f.seen == missing && !REC.drift));
  if
  :: !STAYS(row) ->
     before = before || REC.lost != LOST(row);
     REC.lost = LOST(row);
     REC.done = (REQUEST(row) == reconcile || (REQUEST(row) == keep && REC.done));
     REC.status = TO(row);
     if :: f.seen == present && !(LOST(row) || (f.returned == another && TO(row) != Active)) -> R.other = MINE.replaced :: else fi;
#ifdef M_EVENT_LOST
     if :: ENDS(row) == notEnded -> REC.told = REC.status :: else fi
#else
     REC.told = REC.status
#endif
  :: else
  fi;
  assert(REC.told == REC.status); /* I7 */
  if
#ifdef M_DRIFT_KEPT
  :: f.seen == present && REC.status != Active -> skip
  :: f.seen == present && REC.status == Active -> REC.drift = f.drift
#else
  :: f.seen == present -> REC.drift = f.drift
#endif
  :: f.seen == missing -> REC.drift = 1
  :: else
  fi;
  assert(f.seen != present || REC.drift == f.drift); /* I4 */
  effect = EFFECT(row);
#ifdef M_CORRECT_AT_REQUEST
  if :: row == 210 -> effect = correct :: else fi;
#endif
#ifdef M_NEVER_UNTAGS
  if :: effect == untag -> effect = nothing :: else fi;
#endif
#ifdef M_TAKES_AGAIN
  if :: row == 209 && !R.on -> R.on = 1 :: else fi;
#endif
#ifdef M_UNTAG_UNVERIFIED
  if :: row == 310 -> effect = untag; REC.done = 1 :: else fi;
#endif
  if
  :: D.leaving && f.redeploy && f.seen == present && f.on -> effect = remove
#ifdef M_DELETE_RELEASED
  :: D.leaving && f.redeploy && f.seen == present && !f.on -> effect = remove
#endif
  :: D.leaving && !(f.redeploy && f.seen == present && f.on) -> effect = nothing
  :: else
  fi;
  /* What was just made may not be visible yet. A pass has a last round. */
  assert(effect != remove || f.on); /* I12: the tag decides */
  if :: (made && effect == create) || round >= 2 -> effect = nothing :: else fi;
  /* A race is reported by whoever reads first. */
#ifdef M_FORGETS_UNREAD
  if :: made && f.seen == present && !f.on -> owed[c] = 0 :: else fi;
#else
  if :: REC.unread && f.seen == present && !f.on && (made || !f.drift) -> owed[c] = 0 :: else fi;
#endif
  before = before || (REC.unread && !blind);
  REC.unread = REC.unread && blind;
#ifdef UNBOUND
  REC.unread = REC.unread || effect == correct;
#endif
  REC.claim = (effect == nothing -> 0 : w + 1);
  if :: before || REC.claim != 0 -> stored(c, w) :: else fi
}

/* A deploy ends: as declared, in a person's hands, gone, or given up. */
inline deployed() {
#ifdef M_FORGETS_UNREADABLE
#define FORGOTTEN (f.seen != present || !f.on)
#else
#define FORGOTTEN (f.seen == missing || (f.seen == present && !f.on))
#endif
  if
  :: f.redeploy && D.leaving && FORGOTTEN ->
     assert(f.seen == missing || REC.status != Active); /* I14: only what a person holds stays without its component */
     REC.gone = 1; D.running = 0; failures = 0; stored(c, w)
#ifdef M_DEPLOY_WAITS_FOR_PEOPLE
#define HELD false
#else
#define HELD (REC.status == Manual)
#endif
  :: f.redeploy && !D.leaving && f.seen == present && (HELD || (REC.status == Active && !f.drift)) -> D.running = 0; failures = 0
  :: f.redeploy && f.seen == unreadable ->
     failures++;
     if :: failures >= 2 -> D.running = 0; failures = 0 :: else fi
  :: else
  fi
}

/* Worker 0 also carries out deploys; both look after all components in turn. */
proctype worker(byte w) {
  byte c, failures, round;
  mtype effect = nothing;
  bool before, isDeploy, made, blind;
  Facts f;
  short row;
start:
    do
    :: atomic { REC.gone -> c = (c + 1) % COMPONENTS }
    :: atomic { !REC.gone && REC.claim != 0 && COMPONENTS > 1 -> c = (c + 1) % COMPONENTS }
    :: atomic { !REC.gone && REC.claim == 0 -> isDeploy = (w == 0 && D.running); look() };
decision:
       if :: DIES :: atomic { /* Stored by compare-and-set, with the claim for the write. */
         true ->
         if
#ifndef M_SAVE_WITHOUT_COMPARE
         :: MINE.outdated || (REC.claim != 0 && REC.claim != w + 1) || (MINE.superseded && round == 0) -> goto over
#endif
         :: REC.gone -> goto over
         :: else
         fi;
         if :: MINE.superseded -> look() :: else fi; /* The result of a write is stored in any case. */
         decide();
         if :: effect == nothing -> deployed(); goto over :: else fi;
         row = 0; before = 0; made = 0; blind = 0; f.seen = unreadable; f.on = 0; f.rec = 0; f.done = 0; f.status = Active; f.returned = neverGone; f.redeploy = 0
       } fi;
#ifdef UNBOUND
       if :: DIES :: atomic { /* Nothing binds the write: read again right before it. */
         true ->
#ifndef M_NO_REREAD
         if
         :: effect != create && !(R.there && R.on) ->
            if :: !MINE.outdated -> REC.claim = 0; REC.unread = 0; stored(c, w) :: else fi;
            goto over
         :: else
         fi;
#endif
         MINE.crossed = 0
       } fi;
#endif
#ifdef M_ETAG_AFTER_DECISION
       atomic { MINE.stale = 0 };
#endif
       if :: DIES :: atomic { /* Permission, and the write goes out. One of an earlier life may still be on its way. */
         OUT.effect == nothing ->
         if
#ifdef M_STALE_PERMISSION
         :: !REC.gone ->
#else
         :: !REC.gone && !MINE.outdated && !MINE.superseded && (effect != remove || D.running) ->
#endif
            assert(!MINE.superseded); /* I11: nothing reverts to an older declaration */
            assert(!MINE.outdated); /* one worker at a time writes */
            assert(effect != correct || f.drift); /* I10 */
            assert(effect == create || effect == remove || REC.status != Manual);
            assert(effect != remove || D.leaving); /* I12 */
            OUT.effect = effect; OUT.stale = MINE.stale; OUT.crossed = MINE.crossed; OUT.verified = !f.drift;
            f.drift = 0
         :: else ->
            if :: !MINE.outdated -> REC.claim = 0; REC.unread = 0; stored(c, w) :: else fi;
            goto over
         fi
       } fi;
       if :: DIES :: atomic { /* The answer, or the call takes too long and the write may land later; then a read. */
         if
         :: answer[w] != nothing
         :: mishaps > 0 && OUT.effect != nothing -> mishaps--; OUT.late = 1; answer[w] = unreadable
         fi;
         made = (answer[w] != drop || effect == create);
         answer[w] = nothing; effect = nothing; round++;
         look();
         goto decision
       } fi;
over:  atomic {
#ifdef M_BROKEN_FIRST
         if :: blind -> forgetLocals(); lookAway(c); goto start :: else fi;
#endif
         forgetLocals(); lookAway(c); c = (c + 1) % COMPONENTS
       }
    od;
dead: atomic { answer[w] = nothing; failures = 0; forgetLocals(); died(c); c = 0; goto start }
}

init {
  atomic {
    res[0].there = 1; res[0].on = 1; res[0].equal = 1;
#if COMPONENTS > 1
    res[1].there = 1; res[1].on = 1; res[1].equal = 1;
#endif
    run person(); run person(); run chaos(); run cloud(); run worker(0); run worker(1)
  }
}

#define quiet (deeds == 0)
#define owned (res[0].there && !rec[0].gone)
#define off (owned && !res[0].on)
#define acknowledged (rec[0].status == Manual || rec[0].gone)
#define asked (quiet && owned && !dec[0].leaving && !rec[0].lost && !res[0].other && res[0].on && res[0].rec)
#define handedBack (rec[0].gone || (rec[0].status == Active && res[0].equal && !res[0].rec))
#define kept (res[0].there && !res[0].on)
#define inOrder (rec[0].status != Active || rec[0].gone || dec[0].leaving || (res[0].there && res[0].equal && res[0].on && !res[0].rec))

ltl takeOver { (<> [] off) -> (<> acknowledged) }
ltl handBack { [] (asked -> <> handedBack) }
ltl withdrawn { [] ((quiet && kept) -> [] kept) }
ltl deployEnds { [] (dec[0].running -> <> !dec[0].running) }
ltl comesToRest { <> [] inOrder }
ltl raceReported { [] (owed[0] -> <> !owed[0]) }
