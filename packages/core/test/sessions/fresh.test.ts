import { expect, test } from "vitest";
import { operationsById } from "../../src/contract/operations/operations.ts";
import type { OperationId } from "../../src/contract/routes.ts";
import type { Operation } from "../../src/contract/row.ts";
import { identityWorld, refusal } from "../builders/identity.ts";
import { idsByArea } from "../builders/ids-by-area.ts";
import { calls } from "../callers/calls.ts";
import { type Known, refusalOf } from "../callers/world.ts";

/** What is costly, or changes who can sign in. */
const costly = idsByArea(`
  accounts                     delete deleteMe issueServiceAccountSecret removeFactors setPassword
  accounts.factors             addTotp confirmTotp beginPasskey addPasskey issueRecoveryCodes delete
  accounts.identities          authorize delete
  environments.secrets         reveal
  environments.serviceAccounts issueSecret
  organizations                delete issueServiceAccountSecret
  sessions                     authorize delete
`);
const ids = Object.keys(operationsById) as OperationId[];

/** Ada signed in at the start, and refreshes her token when it ends. */
async function signedInBefore(ms: number) {
  const world = await identityWorld();
  const { account, tokens } = await world.person("ada");
  await world.advance(ms);
  const refresh = { grant_type: "refresh_token", refresh_token: tokens.refreshToken } as const;
  const { access_token } = await world.nobody.tokens.create(refresh);
  return { ...world, account, adaToken: access_token, api: world.bearer(access_token) };
}

test("what is costly needs a sign-in within the last ten minutes, and nothing else does", async () => {
  expect(ids.filter((id) => (operationsById[id] as Operation).fresh === true).sort()).toEqual([...costly].sort());
  const late = await signedInBefore(600_001);
  /** Whatever a call names isn't there: who calls is judged first. */
  const known = new Proxy({ adaToken: late.adaToken } as Known, {
    get: (own, name) => Reflect.get(own, name) ?? late.runtime.newId(),
  });
  const refused: OperationId[] = [];
  for (const id of ids) {
    const refusal = await refusalOf(late.api, id, calls[id](known, "ada"));
    if (refusal?.code === "SignInNotFresh") refused.push(id);
  }
  expect(refused.sort()).toEqual([...costly].sort());
});

test("after ten minutes exactly a sign-in is still fresh, and signing in again makes another", async () => {
  const inTime = await signedInBefore(600_000);
  expect(await refusalOf(inTime.api, "accounts.issueServiceAccountSecret", [{}])).toMatchObject({
    code: "InvalidState",
  });
  const late = await signedInBefore(600_001);
  expect(await refusal(late.api.accounts.deleteMe())).toEqual({ code: "SignInNotFresh", status: 403 });
  const { accessToken } = await late.signIn("ada");
  await late.bearer(accessToken).accounts.deleteMe();
});

test("a caller that the host vouches for, and a service account, need no fresh sign-in", async () => {
  const { api, account, liveplane, nobody, bearer, advance } = await signedInBefore(0);
  const { serviceAccountId } = await api.accounts.serviceAccount();
  const { secret } = await api.accounts.issueServiceAccountSecret({});
  const environment = { type: "Personal", ownerId: account.id, shortName: "web" } as const;
  await api.environments.create(environment, {});
  await api.environments.secrets.create(environment, { shortName: "db", value: "kept" });
  await api.environments.serviceAccounts.assign(
    { ...environment, principalId: serviceAccountId ?? "" },
    { serviceAccountRole: "CloudAgent" },
  );
  const issued = await api.environments.serviceAccounts.issueSecret(
    { ...environment, principalId: serviceAccountId ?? "" },
    {},
  );
  await advance(3_600_000);
  const client = { grant_type: "client_credentials", client_id: serviceAccountId ?? "" } as const;
  expect(await nobody.tokens.create({ ...client, client_secret: secret })).toBeDefined();
  const role = await nobody.tokens.create({ ...client, client_secret: issued.secret });
  const reveal = { ...environment, secretShortName: "db" };
  expect(await bearer(role.access_token).environments.secrets.reveal(reveal, {})).toMatchObject({ value: "kept" });
  const vouched = liveplane.as({ kind: "account", accountId: account.id });
  await vouched.accounts.issueServiceAccountSecret({});
});
