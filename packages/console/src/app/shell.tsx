import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type ConsolePage, pageNamed, pages } from "../pages/pages.ts";
import { SignInPage } from "../pages/sign-in.tsx";
import { Palette } from "../palette/palette.tsx";
import { Shortcuts } from "../palette/shortcuts.tsx";
import { Brand } from "../parts/brand.tsx";
import { LiveMark } from "../parts/live-mark.tsx";
import { SignInAgain } from "../parts/notice.tsx";
import { overviewTexts } from "../texts/overview-texts.ts";
import { texts } from "../texts.ts";
import { type Address, linkTo } from "./address.ts";
import { isExact } from "./clock.ts";
import { useKeptFocus } from "./kept-focus.ts";
import type { Live } from "./live.ts";
import { PutAside } from "./put-aside.tsx";
import type { ConsoleSession, SignedIn } from "./session.ts";
import { ToastList, useToasts } from "./toasts.tsx";
import { type Workplace, WorkplaceProvider } from "./workplace.ts";

interface ShellProps {
  readonly session: ConsoleSession;
  readonly address: Address;
}

/** The whole console: the session, the address, and its page. */
export function Shell({ session, address }: ShellProps) {
  const state = session.state.value;
  if (state.kind === "starting") return <p class="starting">{texts.shell.starting}</p>;
  const isSigned = state.kind === "signedIn";
  const signedIn = isSigned ? state : state.left;
  return (
    <>
      {signedIn !== null && (
        <PutAside key={signedIn.accountId} isAway={!isSigned}>
          <Signed session={session} address={address} signedIn={signedIn} />
        </PutAside>
      )}
      {!isSigned && <SignInPage session={session} address={address} state={state} />}
    </>
  );
}

function Signed({ session, address, signedIn }: ShellProps & { readonly signedIn: SignedIn }) {
  const { api, live, names, clouds, door, server, accountId: ownId } = signedIn;
  const name = names.of(ownId) ?? signedIn.name;
  const toasts = useToasts();
  const isPaletteOpen = useSignal(false);
  const drafts = useDrafts();
  useEffect(toasts.leavePage, [address.place.value.page, ...address.place.value.segments]);
  const workplace: Workplace = {
    api,
    live,
    names,
    clouds,
    ownId,
    door,
    server,
    address,
    drafts,
    tell: toasts.tell,
    componentLink: (id) => linkTo("component", id.split("/")),
  };
  return (
    <WorkplaceProvider value={workplace}>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        {texts.shell.skip}
      </button>
      <header class="bar">
        <a class="brand" href={linkTo("")}>
          <Brand />
        </a>
        <Menu address={address} signedIn={signedIn} />
        <button
          type="button"
          class="quiet find"
          aria-keyshortcuts="Meta+K Control+K"
          onClick={() => (isPaletteOpen.value = true)}
        >
          {overviewTexts.palette.open}{" "}
          <span class="key" aria-hidden="true">
            ⌘K
          </span>
        </button>
        <BarEnd live={live} name={name} onSignOut={() => void session.signOut()} />
      </header>
      <SignInAgain.Provider value={session.signInAgain}>
        <Main address={address} />
      </SignInAgain.Provider>
      <ToastList toasts={toasts} />
      <Palette isOpen={isPaletteOpen} pages={pagesFor(signedIn)} />
      <Shortcuts address={address} isPaletteOpen={isPaletteOpen} />
    </WorkplaceProvider>
  );
}

/** Texts that aren't deployed yet. The browser asks before it leaves them. */
function useDrafts(): Workplace["drafts"] {
  const drafts = useMemo<Workplace["drafts"]>(() => new Map(), []);
  useEffect(() => {
    const ask = (event: Event) => {
      if (drafts.size > 0) event.preventDefault();
    };
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [drafts]);
  return drafts;
}

interface BarEndProps {
  readonly live: Live;
  readonly name: string;
  readonly onSignOut: () => void;
}

/** How current the page is, and what is the person's own. */
function BarEnd({ live, name, onSignOut }: BarEndProps) {
  return (
    <>
      <LiveMark live={live} />
      <button type="button" class="plain" aria-pressed={isExact.value} onClick={() => (isExact.value = !isExact.value)}>
        {texts.shell.exactTimes}
      </button>
      <a class="who" href={linkTo("help")}>
        {texts.titles.help}
      </a>
      <a class="who" href={linkTo("account")} title={texts.shell.signedInAs(name)}>
        {name}
      </a>
      <button type="button" class="plain" onClick={onSignOut}>
        {texts.shell.signOut}
      </button>
    </>
  );
}

function Menu({ address, signedIn }: Pick<ShellProps, "address"> & { readonly signedIn: SignedIn }) {
  const here = address.place.value.page;
  return (
    <nav aria-label={texts.shell.menu}>
      {pagesFor(signedIn)
        .filter(({ foundIn }) => foundIn === "menu")
        .map(({ name, title }) => (
          <a key={name} href={linkTo(name)} aria-current={name === here ? "page" : undefined}>
            {title}
          </a>
        ))}
    </nav>
  );
}

/** The pages that somebody finds. */
function pagesFor({ door, clouds }: SignedIn): readonly ConsolePage[] {
  const isOperator = door !== null;
  const has = { everybody: true, operators: isOperator, simulation: isOperator && clouds.kind === "simulated" };
  return pages.filter(({ foundIn, isFor = "everybody" }) => foundIn !== "nowhere" && has[isFor]);
}

/** The page. A new page gets the focus at its heading, for keyboards and screen readers. */
function Main({ address }: Pick<ShellProps, "address">) {
  const { page, segments } = address.place.value;
  const at = [page, ...segments].join("/");
  const { title, View } = pageNamed(page);
  const main = useKeptFocus();
  const before = useRef(at);
  useLayoutEffect(() => {
    document.title = `${segments.length === 0 ? title : segments.at(-1)} · liveplane`;
    if (before.current !== at) main.current?.focus();
    before.current = at;
  }, [at, title, segments]);
  return (
    <main id="main" tabIndex={-1} ref={main}>
      <View key={at} />
    </main>
  );
}
