import { accountTexts } from "../texts/account-texts.ts";

/** Why something isn't offered here, and where its setup is described. */
export function NotOffered({ why }: { readonly why: string }) {
  return (
    <p class="small">
      {why}{" "}
      <a href={accountTexts.signInGuide.href} target="_blank" rel="noreferrer">
        {accountTexts.signInGuide.title}
      </a>
    </p>
  );
}
