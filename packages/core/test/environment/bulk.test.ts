import { expect, test } from "vitest";
import { environmentsWorld, refused } from "../builders/environments.ts";

const key = "fake-key:one";

interface Kind {
  readonly area: "secrets" | "ciCdProfiles";
  readonly good: (shortName: string) => object;
  readonly wrong: (shortName: string) => object;
  /** What is said of a wrong one, by its index. */
  readonly told: (at: number) => readonly string[];
}

/** Both bulk operations: how a good item looks, and one that is wrong. */
const kinds: readonly Kind[] = [
  {
    area: "secrets",
    good: (shortName: string) => ({ shortName, value: `value of ${shortName}` }),
    wrong: () => ({ shortName: null, value: "x" }),
    told: (at: number) => ["ValueRequired", `#/${at}/shortName ValueRequired`],
  },
  {
    area: "ciCdProfiles",
    good: (shortName: string) => ({ shortName, sshPrivateKeyData: key }),
    wrong: (shortName: string) => ({ shortName, sshPrivateKeyData: "fake-key:weak" }),
    told: (at: number) => ["WeakSshKey", `#/${at}/sshPrivateKeyData WeakSshKey`],
  },
];

async function worldWith(area: Kind["area"], existing: object[]) {
  const { api, dev, everything, events } = await environmentsWorld();
  /** Everything in the store, once the events have found their places. */
  const contents = async () => {
    await events();
    return (await everything()).split('{"key"');
  };
  const upsert = (items: object[]): Promise<readonly { shortName: string }[]> =>
    api.environments[area].upsertMany(dev, items);
  await upsert(existing);
  return { upsert, contents, events, list: () => api.environments[area].list(dev, { limit: 200 }) };
}

test.each(kinds)(
  "one wrong item of a hundred $area leaves everything as it was",
  async ({ area, good, wrong, told }) => {
    const { upsert, contents } = await worldWith(area, [good("s1"), good("s99")]);
    const before = await contents();
    for (const at of [0, 1, 42, 99]) {
      const items = Array.from({ length: 100 }, (_, index) => (index === at ? wrong : good)(`s${index}`));
      expect(await refused(upsert(items))).toEqual(told(at));
      expect(await contents()).toEqual(before);
    }
  },
);

test.each(kinds)("a hundred $area are taken and answered in their order, one more is not", async ({ area, good }) => {
  const { upsert, list, contents } = await worldWith(area, []);
  const names = Array.from({ length: 101 }, (_, at) => `s${(at * 37) % 101}`);
  const before = await contents();
  expect(await refused(upsert(names.map(good)))).toEqual(["ValidationFailed", "# TooBig"]);
  expect(await contents()).toEqual(before);
  const taken = names.slice(0, 100);
  expect((await upsert(taken.map(good))).map(({ shortName }) => shortName)).toEqual(taken);
  expect((await list()).items).toHaveLength(100);
});

test.each(kinds)("one name twice among the $area is refused in whatever case it stands", async ({ area, good }) => {
  const { upsert, contents } = await worldWith(area, [good("known")]);
  const before = await contents();
  expect(await refused(upsert([good("Known"), good("new"), good("KNOWN"), good("NEW")]))).toEqual([
    "DuplicateInBulk",
    "#/2/shortName DuplicateInBulk",
    "#/3/shortName DuplicateInBulk",
  ]);
  expect(await contents()).toEqual(before);
  expect((await upsert([good("KNOWN"), good("new")])).map(({ shortName }) => shortName)).toEqual(["known", "new"]);
});

test.each(kinds)("no $area at all are fine, and no event", async ({ area, good }) => {
  const { upsert, events } = await worldWith(area, [good("known")]);
  const before = (await events()).length;
  expect(await upsert([])).toEqual([]);
  expect(await events()).toHaveLength(before);
});

test.each(kinds)(
  "all that is wrong with $area is told at once, in their order: what can't be read, what can't be meant, and names twice",
  async ({ area, good, wrong, told }) => {
    const { upsert, contents } = await worldWith(area, [good("known")]);
    const before = await contents();
    const items = [good("a"), { ...good("b"), more: 1 }, wrong("c"), good("B"), good("-"), {}, good("A")];
    const [, ...places] = await refused(upsert(items));
    const [, wrongOne] = told(2);
    expect(places).toEqual([
      "#/1/more Unknown",
      wrongOne,
      "#/3/shortName DuplicateInBulk",
      "#/4/shortName Format",
      "#/5/shortName ValueRequired",
      "#/6/shortName DuplicateInBulk",
    ]);
    expect(await contents()).toEqual(before);
    expect(await refused(upsert([null as never, wrong("c")]))).toEqual(["ValidationFailed", "#/0 Type", told(1)[1]]);
  },
);
