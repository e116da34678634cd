/*
 * The lifecycle of a component: section 4 of docs/reference/override-protocol.md, as expressions.
 * Rows are numbered as there: 1xx Active, 2xx ManualOverride, 3xx ReconcileRequested.
 */
mtype = { Active, Manual, Requested };
mtype = { unreadable, missing, working, failed, present };
mtype = { neverGone, same, another };
mtype = { clean, resume, wait };
mtype = { noAdoption, due, refused };
mtype = { nothing, create, adopt, correct, untag, remove };
mtype = { drop, open, keep, reconcile, reopen };
mtype = { notEnded, Reconciled, Resumed, Reprovisioned };
mtype = { nobody, managementTag, reconcileTag, redeployment };

typedef Facts {
  mtype status, seen, returned, policy, adoption;
  bool on, rec, drift, done, redeploy
}

#define ACTIVE_ROW(f) \
  (f.seen == unreadable -> 101 : \
  (f.adoption == refused -> 102 : \
  (f.adoption == due && f.redeploy && f.seen == present && !f.drift && !f.on -> 103 : \
  (f.seen == missing -> 104 : \
  (!f.on -> 105 : \
  (f.seen == working -> 106 : \
  (f.seen == failed -> 107 : \
  (f.drift -> 108 : \
  (f.rec -> 109 : 110)))))))))

#define MANUAL_ROW(f) \
  (f.seen == unreadable -> 201 : \
  (f.seen == missing && f.redeploy -> 202 : \
  (f.seen == missing -> 203 : \
  (f.seen == working && f.on -> 204 : \
  (f.returned == another && f.on && f.drift && f.redeploy -> 205 : \
  (f.returned == another && f.on && f.redeploy -> 206 : \
  (f.returned == another && !f.on -> 207 : \
  (f.returned == another -> 208 : \
  (!f.on -> 209 : \
  (f.rec -> 210 : \
  (!f.drift && f.policy != wait -> 211 : \
  (f.policy == resume -> 212 : 213))))))))))))

#define REQUESTED_ROW(f) \
  (f.seen == unreadable -> 301 : \
  (f.seen == missing && f.redeploy -> 302 : \
  (f.seen == missing -> 303 : \
  (f.seen == working && f.on -> 304 : \
  (f.returned == another && !f.on -> 305 : \
  (f.returned == another -> 306 : \
  (!f.on -> 307 : \
  (f.done && !f.drift && f.rec -> 308 : \
  (f.done && !f.drift -> 309 : \
  (f.rec && f.drift -> 310 : \
  (f.rec -> 311 : \
  (f.policy == resume && f.drift -> 312 : \
  (f.policy == resume -> 313 : \
  (!f.drift && f.policy == clean -> 314 : 315))))))))))))))

#define ROW(f) (f.status == Active -> ACTIVE_ROW(f) : (f.status == Manual -> MANUAL_ROW(f) : REQUESTED_ROW(f)))

#define STAYS(r) (r == 101 || r == 102 || r == 106 || r == 201 || r == 204 || r == 301 || r == 304)

#define TO(r) \
  (r == 105 || r == 203 || (r >= 207 && r <= 209) || r == 201 || r == 204 || r == 213 || r == 303 || (r >= 305 && r <= 307) || r == 315 -> Manual : \
  (r == 210 || r == 212 || r == 301 || r == 304 || r == 308 || (r >= 310 && r <= 312) -> Requested : Active))

#define EFFECT(r) \
  (r == 103 -> adopt : \
  (r == 104 || r == 202 || r == 302 -> create : \
  (r == 107 || r == 108 || r == 205 || r == 310 || r == 312 -> correct : \
  (r == 109 || r == 308 || r == 311 -> untag : nothing))))

/* Marks the resource missing, or keeps it marked. */
#define LOST(r) (r == 203 || r == 207 || r == 208 || r == 303 || r == 305 || r == 306)

/* What becomes of the request to hand back. */
#define REQUEST(r) \
  (r == 210 || r == 212 -> open : \
  (r == 301 || r == 304 || r == 308 -> keep : \
  (r == 311 -> reconcile : \
  (r == 310 || r == 312 -> reopen : drop))))

#define ENDS(r) \
  (r == 202 || r == 205 || r == 206 || r == 302 -> Reprovisioned : \
  (r == 211 || r == 314 -> Resumed : \
  (r == 309 || r == 313 -> Reconciled : notEnded)))

#define AWAITS(r) \
  (r == 105 || r == 207 || r == 209 || r == 305 || r == 307 -> managementTag : \
  (r == 203 || r == 208 || r == 303 || r == 306 -> redeployment : \
  (r == 213 || r == 315 -> reconcileTag : nobody)))

#define AGAIN(r) (r == 210 || r == 212)
