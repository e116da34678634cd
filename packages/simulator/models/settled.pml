/*
 * Settled forms: one place of one resource, an agent, people and other programs, and a cloud that shows values in its own way.
 * Bounds (-D): DEEDS, LOST answers. -DM_... plants one mistake.
 *
 * Values: 1 and 2 can be declared. 3 and 4 are their other words, 5 and 6 their spellings, 7 is somebody else's, 8 a third word, 0 is nothing.
 */
#ifndef DEEDS
#define DEEDS 5
#endif
#ifndef LOST
#define LOST 1
#endif
mtype = { exact, spells, rewords, ignores, hides, alternates };

mtype cloud;
byte declared = 1, shown, taken; /* taken: the declared value that the cloud really has; 0: another */
bool on = true, flip;
byte witnessOf, witnessForm, tried, seenBefore;
bool byPerson; /* the witness is a person's acceptance */
byte deeds = DEEDS, lost = LOST, quietWrites;

#define SPELLED(d, a) (a == d + 4)
#define SHOWS(d) (cloud == exact -> d : (cloud == spells -> d + 4 : (cloud == rewords -> d + 2 : (cloud == hides -> 0 : (cloud == alternates -> (flip -> 8 : d + 2) : shown)))))
#ifdef M_NO_DIGEST
#define SETTLED (witnessOf != 0 && witnessForm == shown)
#else
#define SETTLED (witnessOf == declared && witnessForm == shown)
#endif
#define IN_SYNC (shown == declared || SETTLED)

/* I17: what the cloud ignored is never in sync without a person's word. */
#define HONEST (!IN_SYNC || shown == declared || byPerson || taken == declared || cloud == alternates)

/* The cloud takes a value. What it ignores it keeps as it was. */
inline land(d) {
  flip = (cloud == alternates && !flip);
  shown = SHOWS(d);
  if :: cloud != ignores -> taken = d :: else fi
}

/* People and other programs. */
active proctype others() {
end:
  do
  :: atomic { deeds > 0 -> deeds--; quietWrites = 0;
       if
       :: shown = (cloud == hides -> 0 : 7); taken = 0
       :: cloud != hides -> shown = declared; taken = declared
       :: cloud == rewords -> shown = declared + 2; taken = declared
       :: on = !on
       :: declared = 3 - declared
       :: !IN_SYNC && on -> witnessOf = declared; witnessForm = shown; byPerson = 1 /* acceptance */
       fi }
  od
}

active proctype agent() {
  byte sent, before, body;
  bool bound;
  atomic {
    if :: cloud = exact :: cloud = spells :: cloud = rewords :: cloud = ignores :: cloud = hides :: cloud = alternates fi;
    if :: cloud == ignores -> shown = 7 :: else -> land(1) fi;
    /* A creation has no before: a spelling alone is learned. */
#ifdef M_CREATION_TEACHES
    if :: shown != 1 -> witnessOf = 1; witnessForm = shown :: else fi
#else
    if :: SPELLED(1, shown) -> witnessOf = 1; witnessForm = shown :: else fi
#endif
  }
end:
  do
  :: atomic { on ->
       if :: seenBefore != shown + declared * 10 && sent == 0 -> tried = 0 :: else fi; /* Something moved that the agent didn't write. */
       if
       #ifdef M_WRITES_ON
       :: !IN_SYNC -> sent = declared; before = shown
#else
       :: !IN_SYNC && tried < 2 -> sent = declared; before = shown
#endif
       :: else -> seenBefore = shown + declared * 10; goto rest
       fi
     };
     atomic { /* The write lands under the etag of what was read, and answers with a body. */
       if
       :: on && shown == before && sent == declared ->
          tried++; quietWrites++;
          assert(quietWrites <= 2); /* I15 */
          land(sent); body = shown; bound = 1
       :: else -> bound = 0; sent = 0
       fi;
       if
       :: lost > 0 && bound -> lost--; bound = 0
       :: true
       fi
     };
#ifdef M_LEARNS_UNBOUND
     atomic { if :: sent != 0 -> body = shown; bound = 1 :: else fi };
#endif
     atomic {
       if
#ifdef M_LEARNS_UNMOVED
       :: bound && sent != 0 && body != sent ->
#else
       :: bound && sent != 0 && body != sent && (body != before || SPELLED(sent, body)) ->
#endif
#ifdef M_UNDER_DIGEST_IN_FORCE
          witnessOf = declared;
#else
          witnessOf = sent;
#endif
          witnessForm = body; byPerson = 0;
          /* I16: only what this write made of its own value. */
          assert((cloud == alternates && witnessForm == 8) || witnessForm == witnessOf + 2 || witnessForm == witnessOf + 4)
       :: else
       fi;
       seenBefore = shown + declared * 10
     };
rest: atomic { sent = 0; before = 0; body = 0; bound = 0 }
  od
}

#define atRest (deeds == 0 && (IN_SYNC || tried >= 2 || !on))
ltl honest { [] HONEST }
ltl rests { <> [] atRest }
