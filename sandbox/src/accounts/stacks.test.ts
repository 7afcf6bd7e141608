import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { describe, test, type TestContext } from "node:test";
import { CloudError } from "../../../src/cloud/cloud.ts";
import {
  FIXTURE_SECRET,
  startFixture,
  waitFor,
  type SandboxFixture,
} from "../../../test/helpers/sandbox/sandbox-fixture.ts";
import { instantTuning } from "../tuning.ts";

async function start(
  t: TestContext,
  options: Parameters<typeof startFixture>[0] = {},
): Promise<SandboxFixture> {
  const fixture = await startFixture(options);
  t.after(() => fixture.stop());
  return fixture;
}

async function startSlipway(
  t: TestContext,
  answer: (body: string) => number,
): Promise<(connectionId: string) => string> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => response.writeHead(answer(body)).end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return (connectionId) => `http://127.0.0.1:${address.port}/${connectionId}`;
}

describe("stacks", { concurrency: true }, () => {
  test("report account and role until Slipway accepts the report", async (t) => {
    const bodies: string[] = [];
    const callbackUrl = await startSlipway(t, (body) => (bodies.push(body) < 3 ? 500 : 204));
    const fixture = await start(t, { callbackUrl });
    const account = await fixture.connect();
    await waitFor(() =>
      fixture.server.stackStatus(account.connectionId) === "CREATE_COMPLETE" ? true : null,
    );
    assert.equal(bodies.length, 3);
    for (const body of bodies) {
      assert.deepEqual(JSON.parse(body), { accountId: account.accountId, roleArn: account.roleArn });
    }
    assert.match(account.accountId, /^\d{12}$/);
    assert.match(account.roleArn, /^arn:aws:iam::\d{12}:role\/[\w+=,.@-]{1,64}$/);
  });

  test("stop reporting once they are deleted", async (t) => {
    let count = 0;
    const callbackUrl = await startSlipway(t, () => ((count += 1), 500));
    const fixture = await start(t, { callbackUrl });
    const account = await fixture.connect();
    await waitFor(() => (count > 0 ? true : null));
    const deleted = await fixture.fetch("DELETE", `/sandbox/stacks/${account.connectionId}`);
    assert.equal(deleted.status, 204);
    assert.equal(fixture.server.stackStatus(account.connectionId), "DELETED");
    const seen = count;
    // Another stack's reports come in the meantime; at most one report was running at the deletion.
    await fixture.connect();
    await waitFor(() => (count >= seen + 3 ? true : null));
    assert.equal(fixture.server.stackStatus(account.connectionId), "DELETED");
  });

  test("keep the account's number and content when they are deleted and created again", async (t) => {
    const fixture = await start(t);
    const account = await fixture.connect();
    await fixture.cloud.certificates.request(account, { names: ["a.example"], token: "t" });
    const at = `/sandbox/stacks/${account.connectionId}`;
    assert.equal((await fixture.fetch("DELETE", at)).status, 204);
    assert.equal((await fixture.fetch("DELETE", at)).status, 404);
    const call = fixture.cloud.certificates.request(account, { names: ["a.example"], token: "t" });
    await assert.rejects(call, (error) => error instanceof CloudError && error.kind === "denied");
    assert.equal((await fixture.accountState(account)).certificates.length, 1);
    const again = await fixture.fetch("POST", "/sandbox/stacks", { ServiceId: account.connectionId });
    assert.equal(again.status, 201);
    const { accountId } = (await again.json()) as { accountId: string };
    assert.equal(accountId, account.accountId);
    const twice = await fixture.fetch("POST", "/sandbox/stacks", { ServiceId: account.connectionId });
    assert.equal(twice.status, 409);
    await fixture.cloud.certificates.request(account, { names: ["a.example"], token: "t" });
    assert.equal((await fixture.accountState(account)).certificates.length, 1);
  });
});

describe("the console page", { concurrency: true }, () => {
  const codeOf = (fixture: SandboxFixture, serviceId: string): string =>
    new URL(fixture.cloud.stackFor(serviceId).consoleUrl).searchParams.get("code") ?? "";
  const post = (
    fixture: SandboxFixture,
    serviceId: string,
    headers: Record<string, string> = {},
    code = codeOf(fixture, serviceId),
  ) =>
    fetch(`${fixture.server.url}/sandbox/console/stacks`, {
      method: "POST",
      body: new URLSearchParams({ ServiceId: serviceId, code }),
      headers: { authorization: `Bearer ${FIXTURE_SECRET}`, ...headers },
      redirect: "manual",
    });

  test("creates a stack with one button, from the connection's link", async (t) => {
    const fixture = await start(t);
    const { consoleUrl, template } = fixture.cloud.stackFor("aws_from_the_console");
    const page = await fetch(consoleUrl);
    assert.equal(page.status, 200);
    assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'/);
    const text = await page.text();
    assert.match(text, /<html lang="en">/);
    assert.match(text, /aws_from_the_console/);
    const action = /<form method="post" action="([^"]+)">/.exec(text)?.[1];
    const target = new URL(action ?? "", consoleUrl);
    assert.equal(target.pathname, "/sandbox/console/stacks");

    const answer = await post(fixture, "aws_from_the_console", {
      origin: fixture.server.url,
      "sec-fetch-site": "same-origin",
    });
    assert.equal(answer.status, 303);
    const result = new URL(answer.headers.get("location") ?? "", target);
    await waitFor(async () => (/CREATE_COMPLETE/.test(await (await fetch(result)).text()) ? true : null));
    // Pressed twice, it is the same stack.
    assert.equal((await post(fixture, "aws_from_the_console")).status, 303);
    assert.equal((await fetch(template.url)).status, 200);
    const style = await fetch(`${fixture.server.url}/sandbox/console/style.css`);
    assert.match(style.headers.get("content-type") ?? "", /text\/css/);
  });

  test("S3: requires the code that only the connection's link has", async (t) => {
    const fixture = await start(t);
    const [id, another] = ["aws_known_to_viewers", "aws_another"];
    for (const code of ["", "wrong", codeOf(fixture, another)]) {
      const refused = await post(fixture, id, {}, code);
      assert.equal(refused.status, 403, code);
      assert.match(await refused.text(), /not the code of the connection/);
    }
    assert.equal(fixture.server.stackStatus(id), null);
    const asked = await fetch(`${fixture.server.url}/sandbox/console/stacks/new?param_ServiceId=${id}`);
    const text = await asked.text();
    assert.match(text, /<input id="code" name="code" required/);
    assert.ok(!text.includes(codeOf(fixture, id)));
    assert.equal((await post(fixture, id)).status, 303);
  });

  test("refuses a form from another site, and accepts one from Slipway's own address", async (t) => {
    const fixture = await start(t, { publicUrl: "https://slipway.example/" });
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site", origin: "https://slipway.example" },
    ]) {
      assert.equal((await post(fixture, "aws_1", headers as Record<string, string>)).status, 403);
    }
    assert.equal(fixture.server.stackStatus("aws_1"), null);
    assert.equal((await post(fixture, "aws_1", { origin: "https://slipway.example" })).status, 303);
  });

  test("escapes everything from the link, and refuses an invalid connection id", async (t) => {
    const fixture = await start(t, { tuning: instantTuning });
    const evil = `"><script>alert('x')</script>`;
    const page = `${fixture.server.url}/sandbox/console/stacks/new`;
    const query = new URLSearchParams({ param_ServiceId: "aws_1", stackName: evil, templateURL: evil });
    const text = await (await fetch(`${page}?${query.toString()}`)).text();
    assert.ok(!text.includes("<script"));
    assert.ok(text.includes("&lt;script&gt;alert(&#39;x&#39;)"));
    const bad = await fetch(`${page}?param_ServiceId=${encodeURIComponent(evil)}`);
    assert.equal(bad.status, 400);
    assert.ok(!(await bad.text()).includes("<script"));
    assert.equal((await fetch(page)).status, 400);
    assert.equal((await post(fixture, "a/../b")).status, 400);
    assert.equal((await fetch(`${fixture.server.url}/sandbox/console/stacks/none`)).status, 404);
  });
});
