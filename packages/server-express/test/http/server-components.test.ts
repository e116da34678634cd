import { expect, test } from "vitest";
import { createDemo } from "../../src/demo.ts";
import { send } from "../raw-http.ts";
import { runServer } from "../running-server.ts";

test("a component's slashes may be encoded or literal, in every operation on it", async () => {
  const server = await runServer();
  const ada = await server.person("ada");
  const { livesystemId } = await createDemo(server.liveplane, ada.id, AbortSignal.timeout(30_000));
  const id = `${livesystemId}/network/vnet`;
  const spelled = [id, encodeURIComponent(id), encodeURIComponent(id).toLowerCase(), `${livesystemId}%2Fnetwork/vnet`];
  for (const written of spelled) {
    const at = `/livesystems/${livesystemId}/components/${written}`;
    expect(await send(server.url, { path: at, token: ada.token })).toMatchObject({ status: 200, json: { id } });
    for (const action of ["adoption-plan", "overrides", "dependents"])
      expect((await send(server.url, { path: `${at}/${action}`, token: ada.token })).status).toBe(200);
    expect((await send(server.url, { method: "POST", path: `${at}/check`, token: ada.token })).status).toBe(200);
    const note = { method: "PUT", path: `${at}/override-note`, token: ada.token, json: { reason: "x" } };
    expect(await send(server.url, note)).toMatchObject({ status: 409, json: { code: "InvalidState" } });
    expect((await send(server.url, { method: "DELETE", path: at, token: ada.token })).status).toBe(405);
  }
  for (const strange of [
    `${id}/none`,
    `${livesystemId}//network/vnet`,
    `${livesystemId}/network/../network/vnet`,
    "network/vnet",
    `${id}%00`,
  ])
    expect(
      (await send(server.url, { path: `/livesystems/${livesystemId}/components/${strange}`, token: ada.token })).status,
    ).toBe(404);
});
