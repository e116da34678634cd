import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Address } from "../app/address.ts";
import type { ConsoleSession, OtherWays, SessionState } from "../app/session.ts";
import { type Action, useAction } from "../parts/action.tsx";
import { Brand } from "../parts/brand.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { texts } from "../texts.ts";

interface SignInProps {
  readonly session: ConsoleSession;
  readonly address: Address;
  readonly state: Extract<SessionState, { kind: "signedOut" | "needsFactor" | "mustChange" }>;
}

/**
 * How somebody comes in: by a password, a second factor, choosing their own password after a one-time one, or a mailed code, which they ask
 * for if they forgot the password.
 */
type Way = "password" | "factor" | "choose" | "code" | "forgot";

/** Signs somebody in, and lets them choose a password in place of a one-time one. */
export function SignInPage({ session, address, state }: SignInProps) {
  const { failure, isBusy, run } = useAction();
  const signedOut = useSignal<Way>("password");
  /** What the last step led to. */
  const told = useSignal("");
  const words = texts.signIn;
  const way = ({ signedOut: signedOut.value, needsFactor: "factor", mustChange: "choose" } as const)[state.kind];
  const form = useRef<HTMLFormElement>(null);
  const again = state.kind === "signedOut" && state.isStale ? state.left : null;
  useLayoutEffect(() => focusFirstEmpty(form.current), [way]);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const fields = new FormData(event.currentTarget);
    const field = (name: string) => String(fields.get(name) ?? "");
    await run(async () => {
      if (way === "factor") await session.giveFactor(field("code"));
      else if (way === "choose") await session.choosePassword(field("newPassword"));
      else if (way === "password") await session.signIn(field("username"), field("password"));
      else if (way === "forgot") {
        await session.forgotPassword(field("email").trim());
        turnTo("code", words.codeSent);
      } else {
        await session.setPassword(field("code").trim(), field("newPassword"));
        turnTo("password", words.passwordSet);
      }
    });
  }

  const turnTo = (next: Way, why = "") => {
    signedOut.value = next;
    told.value = why;
    failure.value = null;
  };
  return (
    <main class="sign-in">
      <h1>
        <Brand />
      </h1>
      <p>{words.lead}</p>
      {state.kind === "signedOut" && state.left !== null && (
        <p class="notice" role="status">
          {again === null ? words.ended : words.again}
        </p>
      )}
      {told.value !== "" && (
        <p class="notice" role="status">
          {told.value}
        </p>
      )}
      <form onSubmit={submit} key={way} ref={form} aria-busy={isBusy.value}>
        <Fields way={way} name={again?.name ?? ""} />
        <button type="submit" aria-disabled={isBusy.value}>
          {words.buttons[way]}
        </button>
        <FailureNotice error={failure.value} />
      </form>
      {state.kind !== "mustChange" && (
        <OtherWaysIn key={state.kind} {...{ session, address, run }} isFactor={way === "factor"} />
      )}
      {state.kind !== "signedOut" && (
        <button type="button" class="quiet" onClick={() => void session.signOut()}>
          {words.startAgain}
        </button>
      )}
      {again !== null && (
        <button type="button" class="quiet" onClick={session.goBack}>
          {texts.actions.leave}
        </button>
      )}
      {state.kind === "signedOut" && again === null && <Turns way={way} turnTo={turnTo} />}
    </main>
  );
}

interface TurnsProps {
  readonly way: Way;
  turnTo(next: Way): void;
}

/** Leads to the other forms for somebody who isn't signed in. */
function Turns({ way, turnTo }: TurnsProps) {
  const others = (["forgot", "code", "password"] as const).filter((other) => other !== way);
  return (
    <>
      {others.map((other) => (
        <button type="button" class="quiet" key={other} onClick={() => turnTo(other)}>
          {texts.signIn.turns[other]}
        </button>
      ))}
    </>
  );
}

function focusFirstEmpty(form: HTMLFormElement | null): void {
  const inputs = [...(form?.querySelectorAll("input") ?? [])];
  inputs.find(({ value }) => value === "")?.focus();
}

interface FieldsProps {
  readonly way: Way;
  /** Who signs in again; empty for anybody. */
  readonly name: string;
}

function Fields({ way, name }: FieldsProps) {
  const words = texts.signIn;
  if (way === "password")
    return (
      <>
        <label>
          {words.name}
          <input name="username" autocomplete="username" defaultValue={name} required />
        </label>
        <label>
          {words.password}
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
      </>
    );
  if (way === "factor")
    return (
      <label>
        {words.factor}
        <input name="code" autocomplete="one-time-code" required />
      </label>
    );
  if (way === "forgot")
    return (
      <>
        <label>
          {words.email}
          <input name="email" type="email" autocomplete="email" required aria-describedby="no-address" />
        </label>
        <p class="small" id="no-address">
          {words.noAddress}
        </p>
      </>
    );
  return (
    <>
      {way === "choose" && <p role="status">{words.once}</p>}
      {way === "code" && (
        <label>
          {words.code}
          <input name="code" autocomplete="one-time-code" required />
        </label>
      )}
      <label>
        {words.newPassword}
        <input
          name="newPassword"
          type="password"
          autocomplete="new-password"
          required
          minLength={12}
          aria-describedby="password-rule"
        />
      </label>
      <p class="small" id="password-rule">
        {words.rule}
      </p>
    </>
  );
}

/** The ways to sign in that the service has besides a password: a passkey, and the provider of its choice. */
function OtherWaysIn({ session, address, isFactor, run }: OtherWaysProps) {
  const ways = useSignal<OtherWays>({ provider: null, passkey: false });
  useEffect(() => {
    // If the service can't be reached, the form will say so.
    async function ask(): Promise<void> {
      const { provider, passkey } = await session.ways();
      ways.value = { provider, passkey: passkey && (!isFactor || (await session.hasPasskey())) };
    }
    ask().catch(() => {});
  }, [session, ways, isFactor]);
  const { provider, passkey } = ways.value;
  return (
    <>
      {passkey && (
        <button
          type="button"
          class="quiet"
          onClick={() => void run(() => (isFactor ? session.givePasskey() : session.signInByPasskey()))}
        >
          {isFactor ? texts.signIn.factorByPasskey : texts.signIn.byPasskey}
        </button>
      )}
      {provider !== null && !isFactor && (
        <a href={provider} onClick={address.keep}>
          {texts.signIn.atProvider}
        </a>
      )}
    </>
  );
}

interface OtherWaysProps extends Pick<SignInProps, "session" | "address"> {
  /** Whether a second factor is asked for. */
  readonly isFactor: boolean;
  readonly run: Action["run"];
}
