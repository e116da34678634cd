import { linkTo } from "../app/address.ts";
import { useWorkplace } from "../app/workplace.ts";
import { type CloudResource, cloudPage } from "../component/cloud-page.ts";
import { texts } from "../texts.ts";

/** A link to the resource in its cloud's own console; for a simulated cloud, to the operators' page of it. */
export function CloudLink({ component }: { readonly component: CloudResource }) {
  const { clouds, door } = useWorkplace();
  const { provider, resourceId } = component;
  if (resourceId === null) return null;
  const name = texts.clouds[provider] ?? provider;
  if (clouds.kind === "simulated") {
    if (door === null) return null;
    return <a href={linkTo("simulator", [], { provider, resource: resourceId })}>{texts.parts.openSimulated(name)}</a>;
  }
  const page = cloudPage(component);
  if (page === null) return null;
  return (
    <a href={page} target="_blank" rel="noreferrer">
      {texts.parts.openIn(name)}
    </a>
  );
}
