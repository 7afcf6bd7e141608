import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { after, before, describe, it } from "node:test";
import {
  configOf,
  createIacProject,
  ended,
  push,
  urlOf,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";
import { rawRequest, sendRaw } from "../helpers/raw-http.ts";
import { connectAccount } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";

describe("git hooks and bodies", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
  });
  after(() => instance.dispose());

  it("a connection stays usable when a request is refused before its body has arrived", async () => {
    const { hostname, port } = new URL(instance.url);
    // Read first: the body must follow the refusal soon.
    const { id } = (await instance.admin.get("/v1/users")).body.users[0];
    const socket = connect(Number(port), hostname);
    let answers = "";
    socket.setEncoding("utf8").on("data", (text: string) => (answers += text));
    socket.on("error", () => undefined);
    const has = (status: string) =>
      until(async () => {
        assert.ok(!socket.destroyed || answers.includes(status), "the connection was closed");
        return answers.includes(status);
      }, `${status} is answered`);
    const body = "a".repeat(100_000);
    const head = {
      connection: "keep-alive",
      authorization: "Bearer nobody's",
      "content-length": String(body.length),
    };
    socket.write(rawRequest("POST /v1/users", head));
    await has("HTTP/1.1 401");
    // It is held for longer than an answered stranger is borne.
    const next = rawRequest(`GET /v1/users/${id}`, {
      authorization: `Bearer ${ADMIN_KEY}`,
      prefer: "wait=2",
    });
    socket.write(`${body}${Buffer.from(next).toString()}`);
    await has("HTTP/1.1 200");
    socket.destroy();
  });

  describe("S10: a captured push", () => {
    let secret: string;
    before(async () => {
      await connectAccount(instance.admin, "main");
      const made = await instance.admin.post("/v1/git-integrations", {
        provider: "provider_a",
        token: "any",
      });
      secret = (await instance.admin.post(`/v1/git-integrations/${made.body.id}/hook-secret`)).body.secret;
      await commit("first");
      await createIacProject(instance.admin, "kept");
    });

    const commit = (text: string) =>
      push(
        instance,
        "kept",
        withConfig(
          configOf([{ id: "site", type: "static", outputDirectory: "public" }], {
            source: { branch: "main", trigger: "push" },
          }),
          { "public/index.html": text },
        ),
      );
    const bodyOf = (at: string) =>
      JSON.stringify({ repository: { clone_url: urlOf("kept") }, ref: "refs/heads/main", after: at });
    const deliver = async (body: string, id: string): Promise<readonly string[]> => {
      const digest = createHmac("sha256", secret).update(body).digest("hex");
      const answer = await fetch(`${instance.url}/v1/git-hooks/provider_a`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-github-event": "push",
          "x-github-delivery": id,
          "x-hub-signature-256": `sha256=${digest}`,
        },
        body,
      });
      const text = await answer.text();
      assert.equal(answer.status, 200, text);
      return JSON.parse(text).deploymentIds;
    };

    it("S10: is not deployed when the branch has moved on", async () => {
      const kept = bodyOf(await commit("two"));
      assert.equal((await deliver(kept, "1")).length, 1);
      const next = bodyOf(await commit("three"));
      assert.equal((await deliver(next, "2")).length, 1);
      assert.deepEqual(await deliver(kept, "3"), [], "under a new id");
      assert.deepEqual(await deliver(`${kept} `, "4"), [], "signed anew, an older commit all the same");
    });

    it("S10: does not undo a rollback to an earlier deployment", async () => {
      const [before = ""] = await deliver(bodyOf(await commit("four")), "5");
      await ended(instance.admin, before);
      const kept = bodyOf(await commit("five"));
      const [newest = ""] = await deliver(kept, "6");
      await ended(instance.admin, newest);
      const rolledBack = await instance.admin.post(`/v1/deployments/${before}/rollback`);
      assert.equal(rolledBack.status, 201, JSON.stringify(rolledBack.body));
      await ended(instance.admin, rolledBack.body.deployment.id);
      assert.deepEqual(
        await deliver(kept, "7"),
        [],
        "the branch still is there, but this was received before",
      );
    });
  });

  describe("A9: a body", () => {
    const BODY = JSON.stringify({ givenId: "plain" });
    const send = (headers: Record<string, string>, body: string | Uint8Array = BODY) =>
      sendRaw(
        instance.url,
        rawRequest(
          "POST /v1/aws-accounts",
          { authorization: `Bearer ${ADMIN_KEY}`, "content-length": String(body.length), ...headers },
          body,
        ),
      );

    const refused: readonly [string, Record<string, string>, RegExp][] = [
      ["in latin1", { "content-type": "application/json; charset=latin1" }, /UTF-8/],
      ["in UTF-16, quoted", { "content-type": 'application/json; charset="utf-16le"' }, /UTF-8/],
      ["in two charsets", { "content-type": "application/json; charset=utf-8; charset=latin1" }, /UTF-8/],
      ["in br", { "content-type": "application/json", "content-encoding": "br" }, /Content-Encoding/],
      [
        "coded twice",
        { "content-type": "application/json", "content-encoding": "identity, gzip" },
        /Content-Encoding/,
      ],
    ];
    for (const [what, headers, sentence] of refused) {
      it(`A9: ${what} is refused with 415, which says what to send`, async () => {
        const answer = await send(headers);
        assert.equal(answer.status, 415, answer.text);
        const problem = JSON.parse(answer.text);
        assert.equal(problem.code, "UNSUPPORTED_MEDIA_TYPE");
        assert.match(problem.detail, sentence);
      });
    }

    it("A9: in gzip is refused with 415", async () => {
      const answer = await send(
        { "content-type": "application/json", "content-encoding": "gzip" },
        gzipSync(BODY),
      );
      assert.equal(answer.status, 415, answer.text);
    });

    it("A9: in UTF-8 is accepted, in any spelling of the charset", async () => {
      for (const [index, type] of [
        "application/json",
        "application/json; charset=utf-8",
        'application/json;charset="UTF-8"',
        "application/json; charset=utf8",
      ].entries()) {
        const body = JSON.stringify({ givenId: `plain-${index}` });
        const answer = await send({ "content-type": type, "content-encoding": "identity" }, body);
        assert.equal(answer.status, 201, answer.text);
      }
    });
  });
});
