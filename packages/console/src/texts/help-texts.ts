/** Where the guides are. */
export const guides = "https://github.com/liveplane/liveplane/blob/main/docs/";

/** The texts of the help page. */
export const helpTexts = {
  title: "Help",
  words: "Words",
  wordList: [
    ["Live system", "Components that are declared and deployed together."],
    ["Component", "One resource in a cloud, with the parameters that it should have."],
    ["Declaration", "What should be in the cloud. The agent keeps each resource equal to it."],
    ["Agent", "The part of the server that reads the clouds at intervals and corrects what differs."],
    ["Taken over", "Somebody removed the management tag. The agent only reads the resource until it is handed back."],
    ["Hand back", "Set both tags again. The agent then restores the declared values."],
    ["Keep", "Write the changes made by hand into the declaration, so that handing back reverts nothing."],
    [
      "Missing",
      "The resource was deleted in the cloud. The agent creates it again; if somebody had taken it over, a deploy does.",
    ],
    [
      "Environment",
      "A place in a cloud, with its secrets and service accounts. It is initialized once for each cloud.",
    ],
    ["Service account", "How a pipeline or a program signs in. Its role says what it may do."],
  ],
  keys: "Keys",
  guides: "Guides",
  guidesHelp: "A clone has them in its folder docs. These links need access to the internet.",
  guideList: [
    ["The console", `${guides}how-to/console.md`],
    ["The override, questions and answers", `${guides}explanation/override-faq.md`],
    ["Azure", `${guides}how-to/azure.md`],
    ["Google Cloud", `${guides}how-to/google-cloud.md`],
    ["AWS", `${guides}how-to/aws.md`],
    ["Existing resources", `${guides}how-to/adopt-existing-resources.md`],
    ["Deploy from a pipeline", `${guides}how-to/ci.md`],
    ["The command line", `${guides}reference/command-line.md`],
    ["Webhooks", `${guides}how-to/webhooks.md`],
    ["Sign in at your own provider", `${guides}how-to/sign-in.md`],
    ["Errors", `${guides}reference/errors.md`],
    ["For operators", `${guides}how-to/runbook.md`],
  ],
  api: "The API of this server",
} as const;
