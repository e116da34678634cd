import { type Api, createClient } from "@liveplane/client";

/** Waits until somebody has signed in with the page's form, in the host's own way, and returns their API. */
export async function signIn(): Promise<Api> {
  const form = document.querySelector("form");
  if (form === null) throw new TypeError("There is no form to sign in by.");
  return new Promise((resolve) => {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const fields = new FormData(form);
      const field = (name: string) => String(fields.get(name));
      form.hidden = true;
      const credentials = { username: field("username"), password: field("password") };
      resolve(createClient({ baseUrl: field("baseUrl"), credentials }));
    });
  });
}
