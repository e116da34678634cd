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
  /** Whether it is in the menu; `false` if only links lead there. */
  readonly isInMenu: boolean;
  /** Whose menu it is in. @default everybody's */
  readonly isFor?: "everybody" | "operators" | "simulation";
}

/**
 * Every page; the overview, the board and the component load at once, others on demand. A page reads the rest of its address from
 * `useWorkplace().address`.
 * @internal
 */
export const pages: readonly ConsolePage[] = [
  { name: "", title: overviewTexts.overview.title, View: OverviewPage, isInMenu: true },
  { name: "overrides", title: texts.board.title, View: Board, isInMenu: true },
  { name: "component", title: texts.component.title, View: ComponentPage, isInMenu: false },
  {
    name: "live-systems",
    title: texts.titles.liveSystems,
    View: loadedLater("LiveSystemsPage"),
    isInMenu: true,
  },
  {
    name: "environments",
    title: texts.titles.environments,
    View: loadedLater("EnvironmentsPage"),
    isInMenu: true,
  },
  {
    name: "events",
    title: texts.titles.events,
    View: loadedLater("EventsPage"),
    isInMenu: true,
  },
  {
    name: "access",
    title: texts.titles.access,
    View: loadedLater("AccessPage"),
    isInMenu: true,
  },
  { name: "api", title: texts.titles.api, View: loadedLater("ApiPage"), isInMenu: true },
  { name: "account", title: texts.titles.account, View: loadedLater("AccountPage"), isInMenu: false },
  {
    name: "people",
    title: texts.titles.people,
    View: loadedLater("PeoplePage"),
    isInMenu: true,
    isFor: "operators",
  },
  { name: "plans", title: texts.titles.plans, View: loadedLater("PlansPage"), isInMenu: false },
  {
    name: "agent",
    title: texts.titles.agent,
    View: loadedLater("AgentPage"),
    isInMenu: true,
    isFor: "operators",
  },
  {
    name: "simulator",
    title: texts.titles.simulator,
    View: loadedLater("SimulatorPage"),
    isInMenu: true,
    isFor: "simulation",
  },
];

const missing: ConsolePage = { name: "", title: texts.missing.title, View: Missing, isInMenu: false };

export const menu: readonly ConsolePage[] = pages.filter(({ isInMenu }) => isInMenu);

/** The page with a name, or one that says it is missing. */
export function pageNamed(name: string): ConsolePage {
  return pages.find((page) => page.name === name) ?? missing;
}
