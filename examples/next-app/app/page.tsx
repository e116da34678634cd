import { controlPlane } from "../liveplane.ts";

export const dynamic = "force-dynamic";

/** A page of the app's own: it needs no network to know how the control plane is. */
export default async function Page() {
  const { store, agent } = await (await controlPlane()).ready();
  return <p>{store && agent ? "The control plane is ready." : "The control plane isn't ready."}</p>;
}
