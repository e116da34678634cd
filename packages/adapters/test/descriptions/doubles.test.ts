import { expect, test } from "vitest";
import { azureDouble } from "../azure/azure-double.ts";
import { goodToken, googleDouble } from "../google/google-double.ts";
import type { JudgedRequest } from "./judge.ts";
import { mutated, mutations } from "./mutations.ts";
import { rightRequests } from "./right-requests.ts";

/** What a vendor's double answers, and how many resources it has then. */
async function answered({ vendor, headers, body, ...request }: JudgedRequest) {
  const isSignedIn = headers.authorization === "Bearer token";
  const token = vendor === "azure" ? "token-of-azure" : goodToken;
  const sent = {
    ...request,
    headers: { ...(headers as Record<string, string>), ...(isSignedIn && { authorization: `Bearer ${token}` }) },
    text: body === null ? "" : JSON.stringify(body),
  };
  if (vendor === "azure") {
    const azure = azureDouble();
    const answer = await azure.answer(sent);
    return { status: answer?.status, text: JSON.stringify(answer?.body), made: azure.all().length };
  }
  const google = googleDouble();
  const answer = await google.answer(sent);
  return { status: answer?.status, text: JSON.stringify(answer?.body), made: google.paths().length };
}

/** What doubles say of a request that no description knows. */
const unknown =
  /InvalidResourceType|NoRegisteredProviderFound|InvalidRequestContent|InvalidAuthenticationToken|No such method|INVALID_ARGUMENT|UNAUTHENTICATED/;

test.each(Object.entries(rightRequests))("the double takes a right request: %s", async (_, request) => {
  const { text } = await answered(request);
  expect(text).not.toMatch(unknown);
});

test.each(mutations)("the double refuses a request for %s (%s), and makes nothing of it", async (...mutation) => {
  const { status, text, made } = await answered(mutated(mutation));
  expect(status).toBeGreaterThanOrEqual(400);
  expect(text).toMatch(unknown);
  expect(made).toBe(0);
});
