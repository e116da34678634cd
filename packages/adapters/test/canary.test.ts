import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { Canaries, lineOf, sshKey, watchedPlane } from "./canary-world.ts";
import { until } from "./rotation-world.ts";

type Plane = Awaited<ReturnType<typeof watchedPlane>>;
interface Setting extends Plane {
  readonly canaries: Canaries;
}

const subscriptionId = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

/** What is secret of a credential in two parts: what comes behind the point. */
const secretPart = (credential: string) => credential.split(".").at(-1) ?? "";

/** Registration, activation, sign-in, changes and resets, with what goes wrong on the way. */
async function accounts({ as, shown, fails, mailed, canaries, state, unsent, liveplane }: Setting) {
  const nobody = as();
  const email = "ada@example.com";
  const password = canaries.make("password");
  await shown(nobody.accounts.createWithEmail({ email }));
  const activation = await mailed(email);
  canaries.learn("activation", secretPart(activation));
  const wrong = `${activation.split(".")[0]}.${canaries.make("wrong-challenge")}`;
  expect(await fails(as(wrong).accounts.activate({ password }))).toBe("ChallengeInvalid");
  const weak = "aaaa".repeat(80) + canaries.make("long-password");
  expect(await fails(as(activation).accounts.activate({ password: weak }))).toBe("WeakPassword");
  expect(await fails(as(activation).accounts.activate({ password, passwort: password } as never))).toBe(
    "ValidationFailed",
  );
  expect(await fails(as(activation).accounts.activate({ password: [password] } as never))).toBe("ValidationFailed");
  await shown(as(activation).accounts.activate({ password, name: "Ada" }));
  expect(await fails(as(activation).accounts.activate({ password }))).toBe("ChallengeInvalid");

  expect(await fails(nobody.sessions.create({ username: email, password: canaries.make("guess") }))).toBe(
    "InvalidCredentials",
  );
  expect(await fails(nobody.sessions.create({ username: "nobody", password }))).toBe("InvalidCredentials");
  expect(await fails(nobody.sessions.create({ username: email, passwort: password } as never))).toBe(
    "ValidationFailed",
  );
  const signedIn = await nobody.sessions.create({ username: email, password });
  canaries.learn("refresh token", secretPart(signedIn.refreshToken));
  canaries.learn("access token", secretPart(signedIn.accessToken));
  const next = await nobody.tokens.create({ grant_type: "refresh_token", refresh_token: signedIn.refreshToken });
  canaries.learn("next refresh token", secretPart(next.refresh_token ?? ""));
  const api = as(next.access_token);
  expect(await fails(as(`${next.access_token}x`).accounts.me())).toBe("Unauthenticated");
  expect(await fails(as(canaries.make("bearer")).accounts.me())).toBe("Unauthenticated");
  expect(
    await fails(nobody.tokens.create({ grant_type: "refresh_token", refresh_token: canaries.make("refresh") })),
  ).toBe("InvalidCredentials");

  const changed = canaries.make("new-password");
  expect(await fails(api.accounts.changePassword({ oldPassword: canaries.make("old"), newPassword: changed }))).toBe(
    "InvalidCredentials",
  );
  await shown(api.accounts.changePassword({ oldPassword: password, newPassword: changed }));
  await shown(api.accounts.update({ email: "ada@example.org" }));
  const moved = await mailed("ada@example.org");
  canaries.learn("change of address", secretPart(moved));
  await shown(nobody.accounts.requestPasswordReset({ email }));
  const reset = await mailed(email, 2);
  canaries.learn("reset", secretPart(reset));
  const last = canaries.make("last-password");
  await shown(as(reset).accounts.resetPassword({ newPassword: last }));

  state.mailerFails = true;
  await shown(nobody.accounts.createWithEmail({ email: "unreachable@example.com" }));
  await until(
    async () => unsent.filter(({ challenge }) => challenge !== undefined),
    ({ length }) => length > 0,
  );
  canaries.learn("unsent challenge", secretPart(unsent.find(({ challenge }) => challenge)?.challenge ?? ""));
  state.mailerFails = false;
  await liveplane.administration.setPassword((await liveplane.as(host).accounts.list()).items[0]?.id ?? "", last, {
    oneTime: false,
  });
  const { accessToken } = await nobody.sessions.create({ username: email, password: last });
  return accessToken;
}

const host = { kind: "system", name: "host" } as const;

/** Secrets, keys and service accounts of an environment, good and bad, one by one and in bulk. */
async function contents({ as, shown, fails, canaries }: Setting, token: string) {
  const api = as(token);
  const { id: ownerId } = await api.accounts.me();
  const dev = { type: "Personal", ownerId, shortName: "dev" } as const;
  await shown(api.environments.create(dev, {}));
  const { secrets, ciCdProfiles, serviceAccounts } = api.environments;
  const value = canaries.make("secret");
  await shown(secrets.create(dev, { shortName: "db", value }));
  await shown(secrets.update({ ...dev, secretShortName: "db" }, { value: canaries.make("second-secret") }));
  await shown(secrets.upsertMany(dev, [{ shortName: "many", value: canaries.make("bulk-secret") }]));
  const bad = { shortName: "Not A Name", value };
  expect(await fails(secrets.create(dev, bad))).toBe("ValidationFailed");
  expect(await fails(secrets.create(dev, { shortName: "db", value }))).toBe("AlreadyExists");
  expect(await fails(secrets.create(dev, { shortName: "x", value: { value } } as never))).toBe("ValidationFailed");
  expect(await fails(secrets.create(dev, { shortName: "x", value: value + "x".repeat(65_536) }))).toBe(
    "ValidationFailed",
  );
  expect(await fails(secrets.create(dev, { shortName: "x", value: `${value}\0` }))).toBe("ValidationFailed");
  expect(await fails(secrets.upsertMany(dev, [{ shortName: "a", value }, bad, { shortName: "A", value }]))).not.toBe(
    "answered",
  );
  expect(await fails(secrets.update({ ...dev, secretShortName: "db" }, { value }, { ifMatch: "1" }))).toBe(
    "PreconditionFailed",
  );
  expect(await secrets.reveal({ ...dev, secretShortName: "db" }, { version: 1 })).toMatchObject({ value });

  const passphrase = canaries.make("passphrase");
  const sshPrivateKeyData = sshKey(passphrase);
  canaries.learn("SSH key", lineOf(sshPrivateKeyData));
  const plain = sshKey("");
  canaries.learn("plain SSH key", lineOf(plain));
  const profile = { shortName: "ci", sshPrivateKeyData, sshPrivateKeyPassphrase: passphrase };
  await shown(ciCdProfiles.create(dev, profile));
  await shown(ciCdProfiles.upsertMany(dev, [{ shortName: "cd", sshPrivateKeyData: plain }]));
  for (const [key, phrase] of [
    [sshPrivateKeyData, canaries.make("wrong-passphrase")],
    [sshPrivateKeyData, null],
    [plain.slice(0, 200), passphrase],
    [`-----BEGIN OPENSSH PRIVATE KEY-----\n${Buffer.from(passphrase).toString("base64")}\n-----END`, null],
    [passphrase, null],
    [null, passphrase],
  ]) {
    const sent = { shortName: "bad", sshPrivateKeyData: key ?? null, sshPrivateKeyPassphrase: phrase ?? null };
    expect(await fails(ciCdProfiles.create(dev, sent))).not.toBe("answered");
    expect(await fails(ciCdProfiles.upsertMany(dev, [sent]))).not.toBe("answered");
    expect(await fails(ciCdProfiles.update({ ...dev, profileShortName: "ci" }, { ...sent } as never))).not.toBe(
      "answered",
    );
  }

  const robot = { ...dev, principalId: randomUUID() };
  await shown(serviceAccounts.assign(robot, { serviceAccountRole: "CloudAgent" }));
  const { secret } = await serviceAccounts.issueSecret(robot, {});
  canaries.learn("service account's secret", secretPart(secret));
  const { access_token } = await as().tokens.create({
    ...{ grant_type: "client_credentials", client_id: robot.principalId, client_secret: secret },
  });
  canaries.learn("service account's token", secretPart(access_token));
  const client = { grant_type: "client_credentials", client_id: robot.principalId } as const;
  expect(await fails(as().tokens.create({ ...client, client_secret: canaries.make("client-secret") }))).toBe(
    "InvalidCredentials",
  );
  expect(await as(access_token).environments.secrets.reveal({ ...dev, secretShortName: "db" }, { version: 1 })).toEqual(
    { value, version: 1 },
  );
  await shown(serviceAccounts.get(robot));
  await shown(as().tokens.revoke({ token: access_token }));
  return dev;
}

/** Both clouds, by their own credentials and by a device, and a live system that uses a secret and drifts. */
async function clouds({ as, shown, fails, canaries, console, liveplane }: Setting, token: string, dev: Named) {
  const { environments: api, liveSystems } = as(token);
  const credentialsA = { providerAClientId: "client", providerAClientSecret: canaries.make("provider-a") };
  const key = (secret: string, project = "project") => ({
    providerBServiceAccountEmail: "agent@project.example",
    providerBServiceAccountCredentials: JSON.stringify({ project_id: project, private_key: secret }),
  });
  const credentialsB = key(canaries.make("provider-b"));
  await liveplane.start();
  await shown(api.providerA.initialize(dev, { subscriptionId }, credentialsA));
  await shown(api.providerB.initialize(dev, { projectId: "project" }, credentialsB));
  await shown(api.providerA.locations(dev, { subscriptionId, ...credentialsA }));
  await shown(api.providerB.locations(dev, { projectName: "project", ...credentialsB }));
  const refused = key(canaries.make("rejected-key"), "reject");
  expect(await fails(api.providerB.locations(dev, { projectName: "project", ...refused }))).toBe(
    "ProviderCredentialsRejected",
  );
  const broken = { ...credentialsB, providerBServiceAccountCredentials: `{"${canaries.make("broken-key")}` };
  expect(await fails(api.providerB.initialize(dev, { projectId: "project" }, broken))).not.toBe("answered");
  const { providerAClientSecret } = credentialsA;
  expect(await fails(api.providerA.initialize(dev, { subscriptionId }, { providerAClientSecret }))).toBe(
    "ProviderCredentialsMissing",
  );
  const lines = { ...credentialsA, providerAClientSecret: `${canaries.make("two-lines")}\r\nX-Other: y` };
  expect(await fails(api.providerA.initialize(dev, { subscriptionId }, lines))).not.toBe("answered");
  const ended = (of: "providerA" | "providerB") =>
    until(
      () => api[of].status(dev),
      ({ initializationRun }) => initializationRun.status !== "InProgress",
    );
  await shown(ended("providerA"));
  await shown(ended("providerB"));
  const failing = { ...dev, shortName: "failing" };
  await shown(api.create(failing, {}));
  await console.setFaults({ initialize: { step: "authenticate", fail: true } }).catch(() => console.setFaults({}));
  await shown(api.providerB.initialize(failing, { projectId: "project" }, refused));
  await until(
    () => shown(api.providerB.status(failing)),
    ({ initializationRun }) => initializationRun.status !== "InProgress",
  );
  await console.setFaults({});

  const definition = {
    name: "shop",
    environmentId: dev,
    components: [
      {
        path: "app",
        provider: "provider-a",
        type: "Microsoft.Web/sites@2024-04-01",
        parameters: { connection: { $secret: "db" }, size: 1 },
      },
    ],
  };
  const { id: mutationId, livesystemId: id } = await shown(liveSystems.create(definition));
  await until(
    () => liveSystems.mutations.get({ id, mutationId }),
    ({ status }) => status === "Succeeded",
  );
  const at = { id, componentId: `${id}/app` };
  const { resourceId } = await shown(liveSystems.components.get(at));
  await console.putTags(resourceId ?? "", {});
  await shown(liveSystems.components.check(at));
  await api.secrets.update({ ...dev, secretShortName: "db" }, { value: canaries.make("rotated-secret") });
  await shown(liveSystems.components.check(at));
  await console.patchParameters(resourceId ?? "", { connection: canaries.make("drifted"), size: 2 });
  await shown(liveSystems.components.check(at));
  await shown(liveSystems.components.adoptionPlan(at));
  await shown(liveSystems.components.overrides(at));
  await shown(liveSystems.mutations.get({ id, mutationId }));
  await shown(liveSystems.planDeploy({ id }, definition));
  await shown(liveSystems.components.list({ id }));
  await shown(as(token).overrides.digest());
  await console.setFaults({ read: "fail", write: "fail" });
  await shown(liveSystems.components.check(at));
  await console.setFaults({});
}

interface Named {
  readonly type: "Personal";
  readonly ownerId: string;
  readonly shortName: string;
}

test("no secret shows in a log line, a metric, an event, a span, an answer, an error or what is stored, however it is used", async () => {
  const canaries = new Canaries();
  const plane = await watchedPlane();
  const setting: Setting = { ...plane, canaries };
  const token = await accounts(setting);
  canaries.learn("last access token", secretPart(token));
  const dev = await contents(setting, token);
  await clouds(setting, token, dev);
  plane.state.storeFails = true;
  const db = { ...dev, secretShortName: "db" };
  const unstored = { value: canaries.make("unstored") };
  expect(await plane.fails(plane.as(token).environments.secrets.update(db, unstored))).toBe("StoreFailed");
  const attempt = { username: "ada@example.com", password: canaries.make("unstored-guess") };
  expect(await plane.fails(plane.as().sessions.create(attempt))).toBe("StoreFailed");
  plane.state.storeFails = false;
  for (const [where, seen] of Object.entries(await plane.everything()))
    expect({ where, shows: canaries.foundIn(seen) }).toEqual({ where, shows: [] });
});
