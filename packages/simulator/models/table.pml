/* Prints what the model's table says of every combination of facts: `pnpm prove` compares it with the agent's table. */
#include "lifecycle.pml"

Facts f;
short row;
byte a, b, c, d, e, bits;

#define PICK3(n, x, y, z) (n == 0 -> x : (n == 1 -> y : z))

init {
  d_step {
    for (a : 0 .. 2) { for (b : 0 .. 4) { for (c : 0 .. 2) { for (d : 0 .. 2) { for (e : 0 .. 2) { for (bits : 0 .. 31) {
      f.status = PICK3(a, Active, Manual, Requested);
      f.seen = (b == 0 -> unreadable : (b == 1 -> missing : PICK3(b - 2, working, failed, present)));
      f.returned = PICK3(c, neverGone, same, another);
      f.policy = PICK3(d, clean, resume, wait);
      f.adoption = PICK3(e, noAdoption, due, refused);
      f.on = bits & 1; f.rec = (bits >> 1) & 1; f.drift = (bits >> 2) & 1; f.done = (bits >> 3) & 1; f.redeploy = (bits >> 4) & 1;
      row = ROW(f);
      printf("%e %e %e %e %e %d %d %d %d %d = %d %e %d %e %d %e %e %e %d\n",
        f.status, f.seen, f.returned, f.policy, f.adoption, f.on, f.rec, f.drift, f.done, f.redeploy,
        row, TO(row), STAYS(row), EFFECT(row), LOST(row), REQUEST(row), ENDS(row), AWAITS(row), AGAIN(row))
    } } } } } }
  }
}
