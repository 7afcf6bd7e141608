import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { SignatureError } from "./errors.ts";
import { sign, unwrap } from "./webhooks.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const ID = "evt_01kahy1c7k2h6p9a3d8f5n4qtz";
const BODY = JSON.stringify({ type: "domain.attached", data: { name: "bücher.example" } });
const NOW = new Date();

describe("a delivery of a webhook", () => {
  it("is signed as other implementations verify it, and verified as they sign", async () => {
    const headers = await sign(BODY, SECRET, { id: ID });
    assert.deepEqual(new Webhook(SECRET).verify(BODY, headers), JSON.parse(BODY));
    const theirs = {
      "webhook-id": ID,
      "webhook-timestamp": String(Math.floor(NOW.getTime() / 1_000)),
      "webhook-signature": new Webhook(SECRET).sign(ID, NOW, BODY),
    };
    assert.deepEqual(await unwrap(BODY, theirs, SECRET), JSON.parse(BODY));
  });

  it("is taken as bytes and as text, with headers of fetch and of Node, in any case", async () => {
    const headers = await sign(BODY, SECRET, { id: ID });
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    for (const given of [headers, new Headers(headers), upper])
      assert.deepEqual(await unwrap(Buffer.from(BODY), given, SECRET), JSON.parse(BODY));
  });

  it("may be signed with one of several secrets, and have several signatures", async () => {
    const headers = await sign(BODY, SECRET, { id: ID });
    const other = await sign(BODY, OTHER, { id: ID });
    await unwrap(BODY, headers, [OTHER, SECRET]);
    const both = `v1a,AAAA v1,not-base64! ${other["webhook-signature"]} ${headers["webhook-signature"]}`;
    await unwrap(BODY, { ...headers, "webhook-signature": both }, SECRET);
  });

  const REFUSED: readonly [string, (headers: Record<string, string>) => Parameters<typeof unwrap>][] = [
    ["another body", (headers) => [`${BODY} `, headers, SECRET]],
    ["another secret", (headers) => [BODY, headers, OTHER]],
    ["no secret", (headers) => [BODY, headers, []]],
    ["another id", (headers) => [BODY, { ...headers, "webhook-id": "evt_2" }, SECRET]],
    ["no signature", (headers) => [BODY, { ...headers, "webhook-signature": "" }, SECRET]],
    [
      "a signature of another kind",
      (headers) => [BODY, { ...headers, "webhook-signature": "v2,AAAA" }, SECRET],
    ],
    ["no time", (headers) => [BODY, { ...headers, "webhook-timestamp": "soon" }, SECRET]],
    ["six minutes ago", (headers) => [BODY, headers, SECRET, { now: new Date(NOW.getTime() + 360_000) }]],
    ["six minutes ahead", (headers) => [BODY, headers, SECRET, { now: new Date(NOW.getTime() - 360_000) }]],
  ];
  for (const [what, given] of REFUSED) {
    it(`is refused with ${what}`, async () => {
      const headers = await sign(BODY, SECRET, { id: ID, now: NOW });
      await unwrap(BODY, headers, SECRET);
      await assert.rejects(unwrap(...given(headers)), SignatureError);
    });
  }

  it("must not be parsed before, and the secret must be one", async () => {
    const headers = await sign(BODY, SECRET, { id: ID });
    const parsed = JSON.parse(BODY) as string;
    await assert.rejects(unwrap(parsed, headers, SECRET), /already parsed.*express\.raw/);
    await assert.rejects(unwrap(BODY, headers, "whsec_!"), /begins with whsec_/);
  });
});
