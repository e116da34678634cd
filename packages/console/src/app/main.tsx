import { render } from "preact";
import { createAddress } from "./address.ts";
import { createSession } from "./session.ts";
import { Shell } from "./shell.tsx";

const place = document.getElementById("console");
if (place !== null) {
  const session = createSession(new URL(".", location.href).href);
  const address = createAddress();
  void session.restore();
  render(<Shell session={session} address={address} />, place);
}
