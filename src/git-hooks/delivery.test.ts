import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, it } from "node:test";
import { Secret } from "../sealing/secret.ts";
import { isSigned, readDelivery } from "./delivery.ts";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const github = {
  repository: { clone_url: "https://github.com/a/b.git" },
  ref: "refs/heads/main",
  after: COMMIT,
};
const gitlab = {
  project: { git_http_url: "https://gitlab.com/a/b.git" },
  ref: "refs/heads/main",
  after: COMMIT,
};
const PUSH = { "x-github-event": "push", "x-github-delivery": "d1" };

describe("a delivery", () => {
  it("of GitHub is a push of a branch", () => {
    assert.deepEqual(readDelivery("provider_a", PUSH, github), {
      repoUrls: ["https://github.com/a/b.git"],
      push: { branch: "main", commit: COMMIT },
      id: "d1",
    });
  });
  it("of GitLab is known by the id that stays the same when it is tried again", () => {
    const headers = { "x-gitlab-event": "Push Hook", "x-gitlab-event-uuid": "u1", "idempotency-key": "k1" };
    for (const provider of ["provider_b", "provider_b_self_hosted"] as const) {
      const delivery = readDelivery(provider, headers, gitlab);
      assert.deepEqual(delivery?.push, { branch: "main", commit: COMMIT });
      assert.equal(delivery.id, "k1");
    }
  });

  const nothing: Record<string, [headers: Record<string, string>, body: object]> = {
    "a ping": [{ "x-github-event": "ping" }, { ...github, zen: "Keep it logically awesome." }],
    "a tag": [PUSH, { ...github, ref: "refs/tags/v1" }],
    "a branch that is deleted": [PUSH, { ...github, after: "0".repeat(40) }],
    "a commit that is none": [PUSH, { ...github, after: "main" }],
    "a push without a reference": [PUSH, { ...github, ref: undefined }],
  };
  for (const [name, [headers, body]] of Object.entries(nothing)) {
    it(`of ${name} pushes nothing`, () => {
      assert.equal(readDelivery("provider_a", headers, body)?.push, null);
    });
  }

  it("without a repository is none", () => {
    for (const body of [
      null,
      [],
      "text",
      {},
      { repository: null },
      { repository: { clone_url: 1 } },
      gitlab,
    ]) {
      assert.equal(readDelivery("provider_a", PUSH, body), null);
    }
  });
});

describe("the signature of a delivery", () => {
  const secret = new Secret("a secret of some length");
  const raw = Buffer.from(JSON.stringify(github));
  const sign = (key: string, body: Uint8Array) =>
    `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;

  it("of GitHub is the HMAC of the very bytes", () => {
    const header = { "x-hub-signature-256": sign("a secret of some length", raw) };
    assert.equal(isSigned("provider_a", header, raw, secret), true);
    assert.equal(isSigned("provider_a", header, Buffer.concat([raw, Buffer.from(" ")]), secret), false);
    assert.equal(isSigned("provider_a", { "x-hub-signature-256": sign("another", raw) }, raw, secret), false);
    assert.equal(isSigned("provider_a", {}, raw, secret), false);
    assert.equal(isSigned("provider_a", { "x-gitlab-token": "a secret of some length" }, raw, secret), false);
  });
  it("of GitLab is the token", () => {
    assert.equal(isSigned("provider_b", { "x-gitlab-token": "a secret of some length" }, raw, secret), true);
    for (const token of ["", "a secret of some lengtH", "a"]) {
      assert.equal(isSigned("provider_b", { "x-gitlab-token": token }, raw, secret), false);
    }
  });
});
