import { controlPlane } from "../liveplane";

export const dynamic = "force-dynamic";

/** One of the app's own pages: it asks the control plane in process. */
export default async function Page() {
  const { store, agent } = await (await controlPlane()).ready();
  return <p>{store && agent ? "The control plane is ready." : "The control plane isn't ready."}</p>;
}
