import { linkTo } from "../app/address.ts";
import { texts } from "../texts.ts";

/** The page for an unknown address. */
export function Missing() {
  return (
    <>
      <h1>{texts.missing.title}</h1>
      <p>
        <a href={linkTo("")}>{texts.missing.home}</a>
      </p>
    </>
  );
}
