// Prints who has taken over what, oldest first, and then every hand-over and hand-back as it happens. Resumes after a lost connection; ends
// with Ctrl-C. Run the reference server beside it, and pass the operator's password as LIVEPLANE_PASSWORD.
import { createClient } from "@liveplane/client";

const { LIVEPLANE_URL = "http://localhost:8080", LIVEPLANE_USER = "operator", LIVEPLANE_PASSWORD = "" } = process.env;
const api = createClient({
  baseUrl: LIVEPLANE_URL,
  credentials: { username: LIVEPLANE_USER, password: LIVEPLANE_PASSWORD },
});

for await (const { component, override, driftCount } of api.overrides.list.all()) {
  const who = override.takenOverBy?.name ?? "somebody";
  console.log(`${component.id} taken over by ${who} since ${override.since}: ${driftCount} parameters differ`);
}

const type = ["component.override.started", "component.override.ended"];
for await (const { time, type: what, subject, actor } of api.events.follow({ type, after: 0 })) {
  console.log(`${time} ${what} ${subject}, seen by ${actor}`);
}
