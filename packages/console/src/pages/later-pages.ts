import { AccessPage } from "../access/access-page.tsx";
import { AccountPage } from "../account/account-page.tsx";
import { ProgramSignInPage } from "../account/program-sign-in.tsx";
import { ApiPage } from "../api/api-page.tsx";
import { EnvironmentsPage } from "../environments/environments-page.tsx";
import { EventsPage } from "../events/events-page.tsx";
import { LiveSystemsPage } from "../live-systems/live-systems-page.tsx";
import { AgentPage } from "../operators/agent-page.tsx";
import { PeoplePage } from "../operators/people-page.tsx";
import { PlansPage } from "../operators/plans-page.tsx";
import { SimulatorPage } from "../operators/simulator-page.tsx";
import { WebhooksPage } from "../webhooks/webhooks-page.tsx";
import { HelpPage } from "./help-page.tsx";

/** The pages that load together when somebody first leaves the board and the components. */
export const laterPages = {
  AccessPage,
  AccountPage,
  ApiPage,
  EnvironmentsPage,
  EventsPage,
  HelpPage,
  LiveSystemsPage,
  AgentPage,
  PeoplePage,
  PlansPage,
  ProgramSignInPage,
  SimulatorPage,
  WebhooksPage,
} as const;
