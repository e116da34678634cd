// Creates a webhook, receives its messages, and prints them. Ends with Ctrl-C. Run the reference server beside it with
// LIVEPLANE_WEBHOOK_ORIGINS=http://127.0.0.1:8090, and pass the operator's password as LIVEPLANE_PASSWORD.
import { createClient, isLiveplaneError } from "@liveplane/client";
import { receiver } from "./receiver.ts";

const { LIVEPLANE_URL = "http://localhost:8080", LIVEPLANE_USER = "operator", LIVEPLANE_PASSWORD = "" } = process.env;
const { RECEIVER_PORT = "8090" } = process.env;
const api = createClient({
  baseUrl: LIVEPLANE_URL,
  credentials: { username: LIVEPLANE_USER, password: LIVEPLANE_PASSWORD },
});

await api.accounts.me().catch((error: unknown) => {
  if (!isLiveplaneError(error, "InvalidCredentials") && !isLiveplaneError(error, "PasswordChangeRequired")) throw error;
  console.error(`Set LIVEPLANE_PASSWORD to the password that ${LIVEPLANE_USER} chose in the console. (${error})`);
  process.exit(1);
});

const secrets: string[] = [];
const server = receiver(
  () => secrets[0] ?? "",
  ({ type, subject }) => console.log(`${type} ${subject}`),
);
server.listen(Number(RECEIVER_PORT), "127.0.0.1");

const webhook = await api.accounts.webhooks.create({ name: "Example", url: `http://127.0.0.1:${RECEIVER_PORT}/` });
secrets.push(webhook.secret);
await api.accounts.webhooks.test({ webhookId: webhook.id });
