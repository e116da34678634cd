import { createClient } from "@liveplane/client";
import { expect, test } from "vitest";
import { emptyFolder } from "../../../adapters/test/empty-folder.ts";
import { mailed } from "../every-operation/script-accounts.ts";
import { request, runServer } from "../running-server.ts";

type Answer = Awaited<ReturnType<typeof request>>;

/** All of an answer but what every answer has of its own. */
function comparable({ status, headers, text }: Answer) {
  const own = new Set(["date", "x-request-id", "ratelimit", "keep-alive"]);
  const id = headers.get("x-request-id") ?? "";
  const sent = [...headers].filter(([name]) => !own.has(name));
  return { status, headers: sent, body: text.replaceAll(id, "<request>") };
}

const password = "correct horse battery";
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;

test("registration, a resent challenge and a password reset answer every address alike over HTTP", async () => {
  const mails = emptyFolder();
  const { url, operator } = await runServer({ LIVEPLANE_MAIL: `dir:${mails}` });
  const post = (path: string, json: object) => request(`${url}${path}`, { method: "POST", json });
  const taken = ["waiting", "active", "suspended", "deleted"];
  for (const name of taken) {
    const email = `${name}@example.com`;
    await post("/accounts", { email });
    if (name === "waiting") continue;
    const token = await mailed(email, { mails });
    await createClient({ baseUrl: url, token }).accounts.activate({ password });
    const accountId = (await operator.accounts.list()).items.find((account) => account.email === email)?.id ?? "";
    if (name === "suspended") await operator.accounts.suspend({ accountId });
    if (name === "deleted") await operator.accounts.delete({ accountId });
  }
  for (const path of ["/accounts/challenge", "/accounts/password-reset"]) {
    const unknown = await post(path, { email: "unknown@example.com" });
    expect(unknown.status).toBe(202);
    for (const name of taken)
      expect(comparable(await post(path, { email: `${name}@example.com` }))).toEqual(comparable(unknown));
  }
  const made = (answer: Answer) => {
    const { status, headers, body } = comparable(answer);
    const blurred = (text: string) =>
      text
        .replaceAll(uuid, "<id>")
        .replaceAll(/"\d+"/g, '"<version>"')
        .replaceAll(/\d{4}-[^"]*Z/g, "<time>")
        .replaceAll(/[a-z]+@example/g, "<email>@example");
    // The length says no more than what it is the length of: addresses and versions have lengths of their own.
    expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(answer.text)));
    const others = headers.filter(([name]) => name !== "content-length");
    return { status, headers: others.map(([name, value]) => [name, blurred(value)]), body: blurred(body) };
  };
  const fresh = await post("/accounts", { email: "newcomer@example.com" });
  expect(fresh.status).toBe(201);
  for (const name of taken)
    expect(made(await post("/accounts", { email: `${name}@example.com` }))).toEqual(made(fresh));
});
