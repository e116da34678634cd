import type { ComponentType } from "preact";
import { Board } from "../board/board.tsx";
import { ComponentPage } from "../component/component-page.tsx";
import { OverviewPage } from "../overview/overview-page.tsx";
import { overviewTexts } from "../texts/overview-texts.ts";
import { texts } from "../texts.ts";
import { loadedLater } from "./loaded-later.tsx";
import { Missing } from "./missing.tsx";

export interface ConsolePage {
  /** The beginning of its address: `#/<name>/…`; empty for the home page. */
  readonly name: string;
  readonly title: string;
  readonly View: ComponentType;
  /** Where people find it besides links: `menu`, which the search has too; the search alone; or nowhere, because it is about one thing. */
  readonly foundIn: "menu" | "search" | "nowhere";
  /** Who finds it there. @default everybody's */
  readonly isFor?: "everybody" | "operators" | "simulation";
}

/**
 * Every page; the overview, the board and the component load at once, others on demand. A page reads the rest of its address from
 * `useWorkplace().address`.
 */
export const pages: readonly ConsolePage[] = [
  { name: "", title: overviewTexts.overview.title, View: OverviewPage, foundIn: "menu" },
  { name: "overrides", title: texts.board.title, View: Board, foundIn: "menu" },
  { name: "component", title: texts.component.title, View: ComponentPage, foundIn: "nowhere" },
  {
    name: "live-systems",
    title: texts.titles.liveSystems,
    View: loadedLater("LiveSystemsPage"),
    foundIn: "menu",
  },
  {
    name: "environments",
    title: texts.titles.environments,
    View: loadedLater("EnvironmentsPage"),
    foundIn: "menu",
  },
  {
    name: "events",
    title: texts.titles.events,
    View: loadedLater("EventsPage"),
    foundIn: "menu",
  },
  {
    name: "access",
    title: texts.titles.access,
    View: loadedLater("AccessPage"),
    foundIn: "menu",
  },
  { name: "webhooks", title: texts.titles.webhooks, View: loadedLater("WebhooksPage"), foundIn: "search" },
  { name: "api", title: texts.titles.api, View: loadedLater("ApiPage"), foundIn: "menu" },
  { name: "account", title: texts.titles.account, View: loadedLater("AccountPage"), foundIn: "search" },
  {
    name: "people",
    title: texts.titles.people,
    View: loadedLater("PeoplePage"),
    foundIn: "menu",
    isFor: "operators",
  },
  { name: "authorize", title: texts.titles.program, View: loadedLater("ProgramSignInPage"), foundIn: "nowhere" },
  { name: "help", title: texts.titles.help, View: loadedLater("HelpPage"), foundIn: "search" },
  { name: "plans", title: texts.titles.plans, View: loadedLater("PlansPage"), foundIn: "search", isFor: "operators" },
  {
    name: "agent",
    title: texts.titles.agent,
    View: loadedLater("AgentPage"),
    foundIn: "menu",
    isFor: "operators",
  },
  {
    name: "simulator",
    title: texts.titles.simulator,
    View: loadedLater("SimulatorPage"),
    foundIn: "menu",
    isFor: "simulation",
  },
];

const missing: ConsolePage = { name: "", title: texts.missing.title, View: Missing, foundIn: "nowhere" };

/** The page with a name, or one that says it is missing. */
export function pageNamed(name: string): ConsolePage {
  return pages.find((page) => page.name === name) ?? missing;
}
