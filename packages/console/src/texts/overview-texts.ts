/** The texts of the first page, of the search and of the keys. */
export const overviewTexts = {
  overview: {
    title: "Overview",
    managed: (components: number, systems: number) =>
      `${components} ${components === 1 ? "component" : "components"} in ${systems} ${systems === 1 ? "live system" : "live systems"}`,
    nothing: "No live systems yet. Declare the first one, and the agent keeps it as declared.",
    begin: "Declare a live system",
    hidden: (names: string) =>
      `You signed in without a second factor, so nothing of these organizations is shown: ${names}. Add one, and sign in again with it.`,
    addFactor: "Add a second factor",
    empty: "No components",
    groups: {
      inSync: "in sync",
      busy: "in progress",
      drifted: "drifted",
      taken: "taken over",
      blocked: "blocked",
      failing: "failing",
      missing: "missing",
    },
    trouble: "Needs somebody",
    noTrouble: "Nothing needs attention: no component is failing, missing or drifted.",
    allTrouble: "All live systems that need somebody",
    failedDeploy: { Deploy: "The deploy failed", Delete: "The deletion failed" },
    longest: "Taken over for longest",
    allOverrides: "All overrides",
  },
  palette: {
    open: "Search",
    title: "Go to",
    hint: "component, live system, environment, person, page",
    count: (count: number) => (count === 1 ? "1 found" : `${count} found`),
    kinds: {
      page: "page",
      component: "component",
      liveSystem: "live system",
      environment: "environment",
      person: "person",
    },
  },
  keys: {
    title: "Keys",
    list: [
      ["⌘ K, Ctrl K", "Go to a component, a live system, an environment, a person or a page"],
      ["/", "Search on this page"],
      ["?", "Show the keys"],
      ["g h", "Overview"],
      ["g o", "Overrides"],
      ["g l", "Live systems"],
      ["g n", "Environments"],
      ["g e", "Events"],
    ],
    single: "Use the keys without ⌘ or Ctrl",
    close: "Close",
  },
} as const;
