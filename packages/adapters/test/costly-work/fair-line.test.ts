import fc from "fast-check";
import { expect, test } from "vitest";
import { createFairLine } from "../../src/costly-work/fair-line.ts";

interface Item {
  readonly share: string;
  readonly at: number;
  /** How many of each other share began while this one was the first of its own, and its share had a place to spare. */
  readonly overtakenBy: Map<string, number>;
}

const bounds = { atOnce: 4, atOnceOfOne: 2, mostWaiting: 8, mostWaitingOfOne: 5 };

/** A line beside a plain account of what it must do, which is held against it after every step. */
class World {
  readonly line = createFairLine<Item>(bounds);
  readonly waiting: Item[] = [];
  readonly atWork: Item[] = [];
  readonly ended: Item[] = [];
  readonly left: Item[] = [];
  joined = 0;

  join(share: string): void {
    const item: Item = { share, at: this.joined, overtakenBy: new Map() };
    const most = Math.max(...this.waiting.map((one) => this.of(one.share).length), 0);
    const own = this.of(share).length;
    const isFull = this.waiting.length >= bounds.mostWaiting;
    const refused = this.line.join(share, item);
    const hasRoom = own < bounds.mostWaitingOfOne && (!isFull || most > own + 1);
    expect(refused === item).toBe(!hasRoom);
    if (!hasRoom) return;
    this.joined += 1;
    this.waiting.push(item);
    expect(refused !== null).toBe(isFull);
    if (refused === null) return;
    // Whoever has most gives way, with what came last of theirs.
    expect(this.of(refused.share)).toHaveLength(most);
    expect(this.of(refused.share).at(-1)).toBe(refused);
    this.move(refused, this.waiting, this.left);
  }

  next(): void {
    const eligible = this.waiting.filter(({ share }) => this.busy(share) < bounds.atOnceOfOne);
    const begun = this.line.next();
    expect(begun === null).toBe(this.atWork.length >= bounds.atOnce || eligible.length === 0);
    if (begun === null) return;
    expect(begun).toBe(this.of(begun.share)[0]);
    for (const share of new Set(eligible.map((item) => item.share))) {
      const [first] = this.of(share);
      if (share === begun.share || first === undefined) continue;
      const times = (first.overtakenBy.get(begun.share) ?? 0) + 1;
      expect(times, `${begun.share} overtakes ${share}`).toBe(1);
      first.overtakenBy.set(begun.share, times);
    }
    this.move(begun, this.waiting, this.atWork);
    expect(this.busy(begun.share)).toBeLessThanOrEqual(bounds.atOnceOfOne);
  }

  end(pick: number): void {
    const item = this.atWork[pick % Math.max(this.atWork.length, 1)];
    if (item === undefined) return;
    this.line.end(item.share);
    this.move(item, this.atWork, this.ended);
  }

  leave(pick: number): void {
    const item = this.waiting[pick % Math.max(this.waiting.length, 1)];
    if (item === undefined) return;
    expect(this.line.leave(item.share, item)).toBe(true);
    expect(this.line.leave(item.share, item)).toBe(false);
    this.move(item, this.waiting, this.left);
  }

  of(share: string): Item[] {
    return this.waiting.filter((item) => item.share === share);
  }

  busy(share: string): number {
    return this.atWork.filter((item) => item.share === share).length;
  }

  private move(item: Item, from: Item[], to: Item[]): void {
    from.splice(from.indexOf(item), 1);
    to.push(item);
  }
}

const share = fc.constantFrom("a", "b", "c", "d", "e", "f");
const step = fc.oneof(
  fc.tuple(fc.constant("join" as const), share),
  // Somebody who wants much.
  fc.tuple(fc.constant("join" as const), fc.constant("hog")),
  fc.tuple(fc.constantFrom("end" as const, "leave" as const), fc.nat(50)),
  fc.tuple(fc.constant("next" as const)),
);

test("nobody waits for more than one item of each other share, all places are used, and nothing is lost", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: "max" }), (steps) => {
      const world = new World();
      for (const [what, argument] of steps) {
        if (what === "next") world.next();
        else if (what === "join") world.join(argument as string);
        else world[what](argument as number);
        for (const name of ["a", "hog"]) {
          expect(world.line.waiting(name)).toEqual(world.of(name));
          expect(world.line.isAtWork(name)).toBe(world.busy(name) > 0);
        }
      }
      while (world.waiting.length + world.atWork.length > 0) {
        for (let begun = 0; begun < bounds.atOnce; begun++) world.next();
        world.end(0);
      }
      const all = [...world.ended, ...world.left].map(({ at }) => at).sort((one, other) => one - other);
      expect(all).toEqual(Array.from({ length: world.joined }, (_, at) => at));
    }),
    { numRuns: 100 },
  );
});

test("a share that comes while another has filled the line begins at once, and then in turn", () => {
  const line = createFairLine<string>(bounds);
  for (let at = 0; at < 5; at++) line.join("hog", `hog ${at}`);
  expect([line.next(), line.next(), line.next()]).toEqual(["hog 0", "hog 1", null]);
  line.join("other", "other 0");
  line.join("other", "other 1");
  expect(line.next()).toBe("other 0");
  line.end("hog");
  expect(line.next()).toBe("hog 2");
  line.end("other");
  expect(line.next()).toBe("other 1");
});
