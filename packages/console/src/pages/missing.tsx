import { linkTo } from "../app/address.ts";
import { texts } from "../texts.ts";

/** What is at an address that is no page's. */
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
