const core = "^packages/core/src";
const adapters = "^packages/adapters/src";
const simulator = "^packages/simulator/src";

/** The rooms of the core, from above to below: code of a room imports from rooms that stand below it, and types from anywhere. */
const floors = [
  ["liveplane", "in-process"],
  ["areas"],
  ["accounts-area", "override/override-(area|tasks)"],
  ["override/operations"],
  ["override/mutations"],
  ["override/agent"],
  ["override/records"],
  ["override/protocol"],
  ["override/declarations"],
  ["environment", "webhooks"],
  ["access"],
  ["tenancy"],
  ["sessions"],
  ["identity", "mail"],
  ["permissions"],
  ["events", "keys"],
  ["records"],
  ["ports"],
];

/** Beside the floors: rooms that need nothing of the areas, and that areas don't need. */
const rooms = floors.flat();

const within = (names) => `${core}/(${names.join("|")})[./]`;

/** A floor imports nothing from those above it. */
const directions = floors.slice(1).map((floor, at) => ({
  name: `${floor[0]}-looks-down`,
  comment: "Rooms import from those below them: what is above may change without them.",
  severity: "error",
  from: { path: within(floor) },
  to: { path: within(floors.slice(0, at + 1).flat()), dependencyTypesNot: ["type-only"] },
}));

/** The direction of imports, as ARCHITECTURE.md draws it. Types are free to look upwards; code is not. */
export default {
  forbidden: [
    {
      name: "no-cycles",
      comment:
        "What imports itself can't be understood from either end. The record of services names the types of all parts.",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { pathNot: `${core}/services\\.ts$` } },
    },
    {
      name: "core-knows-no-node",
      comment: "The core runs wherever JavaScript does; what needs Node stands behind a port.",
      severity: "error",
      from: { path: core },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "contract-stands-alone",
      comment: "The contract is read by clients: it needs the errors, JSON pointers, and nothing else of the core.",
      severity: "error",
      from: { path: `${core}/contract` },
      to: {
        path: core,
        pathNot: [`${core}/contract`, `${core}/(errors|json-pointer)\\.ts$`],
        dependencyTypesNot: ["type-only"],
      },
    },
    ...directions,
    {
      name: "areas-meet-in-the-root",
      comment: "The areas get each other's functions from the composition root, not by import.",
      severity: "error",
      from: { path: `${core}/(override|environment|webhooks)/` },
      to: {
        path: `${core}/(override|environment|webhooks|access|tenancy|identity|mail|sessions|permissions)/`,
        pathNot: `${core}/$1/`,
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "clouds-know-no-domain",
      comment: "What is known of a cloud, and the clouds that are simulated, stand behind the port.",
      severity: "error",
      from: { path: `${core}/clouds/` },
      to: {
        path: within([...rooms.filter((room) => room !== "ports" && room !== "keys"), "transport", "testing"]),
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "transport-knows-no-domain",
      comment: "A request is taken apart and answered without knowing what it is about.",
      severity: "error",
      from: { path: `${core}/transport/` },
      to: {
        path: within(rooms.filter((room) => !["events", "keys", "records", "ports"].includes(room))),
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "the-judge-judges-for-itself",
      comment: "The judge knows nothing of the rest of the simulator.",
      severity: "error",
      from: { path: `${simulator}/judge/` },
      to: { path: "^packages/", pathNot: [`${simulator}/judge/`, `${core}/`] },
    },
    {
      name: "the-judge-takes-types-alone",
      comment: "The judge shares no function with what it judges.",
      severity: "error",
      from: { path: `${simulator}/judge/` },
      to: { path: core, dependencyTypesNot: ["type-only"] },
    },
    {
      name: "the-simulator-is-for-tests",
      comment: "Nothing that ships to production depends on it.",
      severity: "error",
      from: { path: "^packages/(?!simulator/)[^/]+/src" },
      to: { path: simulator },
    },
    {
      name: "testing-is-for-tests",
      comment: "Nothing that ships to production depends on the test kits.",
      severity: "error",
      from: { path: core, pathNot: `${core}/testing/` },
      to: { path: `${core}/testing/` },
    },
    {
      name: "adapters-are-entered-by-their-doors",
      comment: "What is private to a vendor is imported by that vendor's adapter alone.",
      severity: "error",
      from: { path: `${adapters}/(azure|google|ssh-keys|stores)/` },
      to: { path: `${adapters}/(azure|google|ssh-keys|stores)/`, pathNot: `${adapters}/$1/` },
    },
    {
      name: "the-command-line-is-a-program",
      comment: "Nothing of it loads for who imports the client.",
      severity: "error",
      from: { path: "^packages/client/src/[^/]+$" },
      to: { path: "^packages/client/src/cli/" },
    },
    {
      name: "the-console-is-an-extra",
      comment: "The server serves it where it is installed; nothing needs it.",
      severity: "error",
      from: { path: "^packages/(?!console/)[^/]+/src" },
      to: { path: "^packages/console/" },
    },
    {
      name: "the-console-is-a-client",
      comment: "It knows what every client knows, so that any host's API can stand behind it.",
      severity: "error",
      from: { path: "^packages/console/src" },
      to: { path: "^packages/(?!(console|client)/)" },
    },
    {
      name: "browsers-have-no-node",
      comment: "What browsers load runs in them.",
      severity: "error",
      from: { path: "^packages/console/src/(app|pages|parts)/" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "routes-stay-light",
      comment: "The client loads the routes and the error table at first; schemas load on demand only.",
      severity: "error",
      from: { path: "^packages/client/src" },
      to: {
        path: core,
        pathNot: [`${core}/errors\\.ts$`, `${core}/routes\\.ts$`, `${core}/contract/(routes|calls)\\.ts$`],
        dependencyTypesNot: ["type-only"],
        dynamic: false,
      },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(/dist/|/coverage/|/\\.mutants/)" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      conditionNames: ["@liveplane/source", "import", "default", "types"],
      exportsFields: ["exports"],
      extensions: [".ts", ".js"],
    },
  },
};
