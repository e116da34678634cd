import type {
  Api,
  Body,
  Component,
  Environment,
  EnvironmentDefinition,
  Input,
  LiveplaneEvent,
  Location,
  Page,
  Params,
  ProviderALocationsQuery,
  Query,
  Result,
  Secret,
  SecretInput,
  SecretUpdate,
  Team,
} from "@liveplane/core/contract";
import { expectTypeOf, test } from "vitest";

declare const api: Api;
const environment = { type: "Personal", ownerId: "3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041", shortName: "dev" } as const;

test("an operation's input and result are named types", () => {
  expectTypeOf<Result<"environments.secrets.create">>().toEqualTypeOf<Secret>();
  expectTypeOf<Result<"environments.list">>().toEqualTypeOf<Page<Environment>>();
  expectTypeOf<Result<"events.follow">>().toEqualTypeOf<LiveplaneEvent>();
  expectTypeOf<Result<"organizations.permissions.grant">>().toEqualTypeOf<true>();
  expectTypeOf<Body<"environments.secrets.create">>().toEqualTypeOf<SecretInput>();
  expectTypeOf<Query<"environments.providerA.locations">>().toEqualTypeOf<ProviderALocationsQuery>();
  expectTypeOf<Input<"environments.create">["body"]>().toEqualTypeOf<EnvironmentDefinition>();
  expectTypeOf<Input<"environments.providerA.initialize">["credentials"]>().toEqualTypeOf<{
    readonly providerAClientId?: string;
    readonly providerAClientSecret?: string;
    readonly providerAClientAssertion?: string;
  }>();
});

test("path parameters are read off the path", () => {
  expectTypeOf<Params<"environments.secrets.update">>().toEqualTypeOf<{
    readonly type: "Personal" | "Organizational" | "Unknown";
    readonly ownerId: string;
    readonly shortName: string;
    readonly secretShortName: string;
  }>();
  expectTypeOf<keyof Params<"liveSystems.components.get">>().toEqualTypeOf<"id" | "componentId">();
});

test("calls take path parameters, then the body, then options", () => {
  expectTypeOf(api.environments.get(environment)).resolves.toEqualTypeOf<Environment>();
  expectTypeOf(
    api.environments.secrets.create(environment, { shortName: "db", value: null }),
  ).resolves.toEqualTypeOf<Secret>();
  expectTypeOf(api.accounts.me()).resolves.toHaveProperty("email");
  expectTypeOf(
    api.environments.update(environment, { name: null }, { ifMatch: "7" }),
  ).resolves.toEqualTypeOf<Environment>();
  expectTypeOf(
    api.organizations.teams.upsert({ organizationId: "o" }, { shortName: "core" }),
  ).resolves.toEqualTypeOf<Team>();
  expectTypeOf(api.environments.secrets.update).parameter(1).toEqualTypeOf<SecretUpdate>();
});

test("a body that may be left out may be left out", () => {
  expectTypeOf(api.environments.providerA.initialize).toBeCallableWith(environment);
  expectTypeOf(api.environments.providerA.initialize).toBeCallableWith(
    environment,
    {},
    { providerAClientId: "id", providerAClientSecret: "s" },
  );
  // @ts-expect-error: provider B's body is required
  void api.environments.providerB.initialize(environment);
});

test("an ID of another kind is refused by the compiler, and any plain string is accepted", async () => {
  const { id, livesystemId } = await api.liveSystems.deploy(
    { id: "3f0c" },
    { name: "shop", environmentId: environment, components: [] },
  );
  void api.liveSystems.get({ id: livesystemId });
  // @ts-expect-error: a mutation's ID isn't a live system's
  void api.liveSystems.get({ id });
  const componentId: string = `${livesystemId}/web`;
  void api.liveSystems.components.get({ id: livesystemId, componentId });
  // @ts-expect-error: a live system's ID isn't a component's
  void api.liveSystems.components.get({ id: livesystemId, componentId: livesystemId });
});

test("lists answer pages, and everything by .all", () => {
  expectTypeOf(api.environments.list({ type: "Personal", limit: 10 })).resolves.toEqualTypeOf<Page<Environment>>();
  expectTypeOf(api.environments.list.all()).toEqualTypeOf<AsyncIterable<Environment>>();
  expectTypeOf(api.liveSystems.components.list.all({ id: "x" }, { status: ["Active"], drift: true })).toEqualTypeOf<
    AsyncIterable<Component>
  >();
  expectTypeOf(api.environments.providerB.locations(environment, { projectName: "p" })).resolves.toEqualTypeOf<
    Page<Location>
  >();
});

test("events are followed as an async iterable", () => {
  expectTypeOf(api.events.follow({ after: 0, type: ["component.corrected"] })).toEqualTypeOf<
    AsyncIterable<LiveplaneEvent>
  >();
  expectTypeOf(api.events.follow()).toEqualTypeOf<AsyncIterable<LiveplaneEvent>>();
});

test("an event's type tells what its data say", async () => {
  for await (const event of api.events.follow({ type: "component.corrected" })) {
    if (event.type === "component.corrected") expectTypeOf(event.data.pointers).toEqualTypeOf<readonly string[]>();
    // @ts-expect-error: which type it is isn't known yet
    void event.data.pointers;
    switch (event.type) {
      case "session.started":
        expectTypeOf(event.data.principal).toEqualTypeOf<"account" | "serviceAccount">();
        break;
      case "component.override.ended":
        // @ts-expect-error: an override that ends has no pointers
        void event.data.pointers;
    }
    // @ts-expect-error: there is no such type
    if (event.type === "component.improved") break;
  }
});

test("a filter takes one or many", () => {
  void api.events.follow({ livesystem: "x", type: ["component.corrected", "component.failed"] });
  void api.liveSystems.components.list({ id: "x" }, { status: "Active" });
  // @ts-expect-error: there is no such status
  void api.liveSystems.components.list({ id: "x" }, { status: ["Idle"] });
});

test("what is wrong does not compile", async () => {
  // @ts-expect-error: the path parameters are missing
  void api.environments.get();
  // @ts-expect-error: a secret's name is missing from the path
  void api.environments.secrets.get(environment);
  // @ts-expect-error: there is no such type of environment
  void api.environments.get({ ...environment, type: "Shared" });
  // @ts-expect-error: a value is text
  void api.environments.secrets.create(environment, { shortName: "db", value: 5 });
  // @ts-expect-error: there is no such member
  void api.environments.secrets.create(environment, { shortName: "db", valeu: "x" });
  // @ts-expect-error: leaving out is not undefined
  void api.environments.update(environment, { name: undefined });
  // @ts-expect-error: required query parameters make the options required
  void api.environments.providerA.locations(environment);
  // @ts-expect-error: the project's name is required
  void api.environments.providerB.locations(environment, {});
  // @ts-expect-error: provider B's operation takes no credentials of provider A
  void api.environments.providerB.locations(environment, { projectName: "p", providerAClientId: "id" });
  // @ts-expect-error: there is no such operation
  void api.environments.secrets.upsert;
  // @ts-expect-error: nothing to list here
  void api.environments.get.all;
  const answer = await api.environments.get(environment);
  // @ts-expect-error: a misspelt member of an answer
  void answer.shortNmae;
  // @ts-expect-error: a secret never shows a value
  void (await api.environments.secrets.get({ ...environment, secretShortName: "db" })).value;
  // @ts-expect-error: there is no such operation
  expectTypeOf<Result<"environments.rename">>();
  // @ts-expect-error: what an operation needs can't be changed from outside
  api.environments.get = api.environments.delete;
});
