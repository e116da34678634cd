import { expect, test } from "vitest";
import { bundled } from "../../../quality/bundled.ts";
import { openPage } from "../../../quality/consumer/open-page.ts";
import { runServer } from "./running-server.ts";

/** An app in React Native, whose engine has no `crypto`. */
const app = (baseUrl: string, token: string) => `
(async () => {
  const api = liveplane.createClient({ baseUrl: ${JSON.stringify(baseUrl)}, token: ${JSON.stringify(token)} });
  const made = await api.organizations.create({ name: "Acme" });
  const { id } = await api.organizations.create({ name: "Shop" }, { idempotencyKey: "a-key" });
  const again = await api.organizations.create({ name: "Shop" }, { idempotencyKey: "a-key" });
  const { items } = await api.organizations.list();
  return { crypto: typeof crypto, made: made.name, isSame: id === again.id, names: items.map(({ name }) => name).sort() };
})()`;

test("an app without crypto creates, survives a lost answer, and repeats a call by its key", async () => {
  const [client] = await bundled({ entry: "packages/client/src/index.ts", name: "liveplane" });
  const server = await runServer();
  const { token } = await server.person("ada");
  const keys: (string | null)[] = [];
  let isLost = true;
  const lossy = async (request: Request) => {
    const answer = await fetch(request);
    if (request.method !== "POST") return answer;
    keys.push(request.headers.get("idempotency-key"));
    if (!isLost) return answer;
    isLost = false;
    throw new TypeError("fetch failed");
  };
  expect(await openPage(`${client?.code}; ${app(server.url, token)}`, { fetch: lossy, crypto: undefined })).toEqual({
    crypto: "undefined",
    made: "Acme",
    isSame: true,
    names: ["Acme", "Shop"],
  });
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0], "a-key", "a-key"]);
});
