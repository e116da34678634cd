import { linkTo } from "../app/address.ts";
import { Named } from "../parts/named.tsx";
import { texts } from "../texts.ts";
import type { EnvironmentPlace } from "./environment-place.ts";

/** What is above an environment: all of them, and its owner, with a link where the owner has a page. */
export function WithinEnvironments({ place: { type, ownerId } }: { readonly place: EnvironmentPlace }) {
  const owner = <Named text={ownerId} />;
  return (
    <>
      <a href={linkTo("environments")}>{texts.titles.environments}</a> /{" "}
      {type === "Personal" ? owner : <a href={linkTo("access", [ownerId])}>{owner}</a>}
    </>
  );
}
