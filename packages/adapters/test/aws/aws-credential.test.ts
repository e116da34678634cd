import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { awsCredential } from "@liveplane/adapters/aws-cloud";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => vi.unstubAllEnvs());

const account = "111122223333";
const arn = `arn:aws:iam::${account}:role/liveplane`;

/** AWS's token service as AWS's own client sees it. Keeps what it was asked. */
async function tokenService() {
  const asked: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (part) => {
      text += part;
    });
    request.on("end", () => {
      asked.push(new URLSearchParams(text));
      const keys = `<AccessKeyId>ASIAEXAMPLE</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>session</SessionToken><Expiration>2030-01-01T00:00:00Z</Expiration>`;
      response.setHeader("content-type", "text/xml");
      response.end(
        `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>${keys}</Credentials></AssumeRoleResult></AssumeRoleResponse>`,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  vi.stubEnv("AWS_ENDPOINT_URL_STS", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAOWN");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "own");
  return { asked, [Symbol.asyncDispose]: async () => void (await new Promise((done) => server.close(done))) };
}

test("a role is assumed with its external ID and session tags", async () => {
  await using service = await tokenService();
  const credentials = await awsCredential(() => ({
    arn,
    externalId: "x1",
    sessionTags: { environment: "production" },
  }));
  expect(await credentials(account)).toMatchObject({ accessKeyId: "ASIAEXAMPLE", sessionToken: "session" });
  const [asked] = service.asked;
  expect(Object.fromEntries(asked ?? [])).toMatchObject({
    Action: "AssumeRole",
    RoleArn: arn,
    ExternalId: "x1",
    "Tags.member.1.Key": "environment",
    "Tags.member.1.Value": "production",
  });
});

test("a role without session tags sends none, because its trust policy may not allow them", async () => {
  await using service = await tokenService();
  await (await awsCredential(() => ({ arn })))(account);
  expect([...(service.asked[0]?.keys() ?? [])].filter((name) => name.startsWith("Tags"))).toEqual([]);
});
