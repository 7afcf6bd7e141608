import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { GitProvider } from "../../git/git.ts";
import { Secret } from "../../sealing/secret.ts";
import { createTurns } from "../../lib/pace/turns.ts";
import { isSigned, looksSigned, placesOf, readDelivery as readTexts } from "./delivery.ts";
import { createTextScan } from "./scan-texts.ts";

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

function readDelivery(provider: GitProvider, headers: Record<string, string>, body: unknown) {
  const scan = createTextScan(placesOf(provider));
  scan.push(Buffer.from(JSON.stringify(body)));
  return readTexts(provider, headers, scan.found);
}

const PUSH = { "x-github-event": "push", "x-github-delivery": "d1" };

describe("a delivery", () => {
  it("of GitHub is a push of a branch", () => {
    assert.deepEqual(readDelivery("provider_a", PUSH, github), {
      repoUrls: ["https://github.com/a/b.git"],
      push: { branch: "main", commit: COMMIT },
      pullRequest: null,
      id: "d1",
    });
  });
  it("of GitHub, as recorded, is about a pull request", () => {
    const recorded = readFileSync("test/helpers/git/recorded/github-pull-request.json", "utf8");
    const headers = { "x-github-event": "pull_request", "x-github-delivery": "d2" };
    assert.deepEqual(readDelivery("provider_a", headers, JSON.parse(recorded)), {
      repoUrls: [
        "https://github.com/Codertocat/Hello-World.git",
        "https://github.com/Codertocat/Hello-World",
        "https://api.github.com/repos/Codertocat/Hello-World",
      ],
      push: null,
      pullRequest: 2,
      id: "d2",
    });
  });
  it("of GitHub is about a pull request", () => {
    const headers = { ...PUSH, "x-github-event": "pull_request" };
    const of = (html_url: unknown, event = "pull_request") =>
      readDelivery(
        "provider_a",
        { ...headers, "x-github-event": event },
        { action: "closed", number: 2, pull_request: { html_url, number: 2 }, ...github },
      );
    const delivery = of("https://github.com/a/b/pull/2");
    assert.deepEqual([delivery?.pullRequest, delivery?.push], [2, null]);
    for (const url of ["https://github.com/a/b/pull/0", "https://github.com/a/b/pulls", 2, null, undefined])
      assert.equal(of(url)?.pullRequest, null, String(url));
    assert.equal(of("https://github.com/a/b/pull/2", "pull_request_review")?.pullRequest, null);
  });
  it("of GitLab is about a merge request, of a whole GitLab too", () => {
    const object_attributes = { iid: 7, action: "merge", url: "https://gitlab.com/a/b/-/merge_requests/7" };
    const of = (event: string, object_kind: string) =>
      readDelivery("provider_b", { "x-gitlab-event": event }, { ...gitlab, object_kind, object_attributes })
        ?.pullRequest;
    assert.equal(of("Merge Request Hook", "merge_request"), 7);
    assert.equal(of("System Hook", "merge_request"), 7);
    assert.equal(of("System Hook", "note"), null);
    assert.equal(of("Note Hook", "note"), null);
  });
  it("of GitLab is identified by the id that stays the same in retries", () => {
    const headers = { "x-gitlab-event": "Push Hook", "x-gitlab-event-uuid": "u1", "idempotency-key": "k1" };
    for (const provider of ["provider_b", "provider_b_self_hosted"] as const) {
      const delivery = readDelivery(provider, headers, gitlab);
      assert.deepEqual(delivery?.push, { branch: "main", commit: COMMIT });
      assert.equal(delivery.id, "k1");
    }
  });

  // V19
  it("of a whole GitLab is a push if its body says so", () => {
    const headers = { "x-gitlab-event": "System Hook" };
    const read = (event_name: string) => readDelivery("provider_b", headers, { ...gitlab, event_name })?.push;
    assert.deepEqual(read("push"), { branch: "main", commit: COMMIT });
    assert.equal(read("repository_update"), null);
    const asGithub = readDelivery(
      "provider_a",
      { "x-github-event": "System Hook" },
      { ...github, event_name: "push" },
    );
    assert.equal(asGithub?.push, null);
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

  it("without a repository is ignored", () => {
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

  const nextTurn = createTurns();
  const check = (provider: GitProvider, headers: Record<string, string>, ...body: readonly Uint8Array[]) =>
    isSigned(provider, headers, body, secret, nextTurn);

  it("of GitHub is the HMAC of the exact bytes, in any number of pieces", async () => {
    const header = { "x-hub-signature-256": sign("a secret of some length", raw) };
    assert.equal(await check("provider_a", header, raw), true);
    assert.equal(await check("provider_a", header, raw.subarray(0, 9), raw.subarray(9)), true);
    assert.equal(await check("provider_a", header, raw, Buffer.from(" ")), false);
    assert.equal(await check("provider_a", { "x-hub-signature-256": sign("another", raw) }, raw), false);
    assert.equal(await check("provider_a", {}, raw), false);
    assert.equal(await check("provider_a", { "x-gitlab-token": "a secret of some length" }, raw), false);
  });
  it("of GitLab is the token", async () => {
    assert.equal(await check("provider_b", { "x-gitlab-token": "a secret of some length" }, raw), true);
    for (const token of ["", "a secret of some lengtH", "a"]) {
      assert.equal(await check("provider_b", { "x-gitlab-token": token }, raw), false);
    }
  });
  it("S4: is checked for its form before the body is read", () => {
    assert.equal(looksSigned("provider_a", { "x-hub-signature-256": sign("any", raw) }), true);
    for (const signature of ["", "sha256=", `sha1=${"0".repeat(40)}`, sign("any", raw).toUpperCase()]) {
      assert.equal(looksSigned("provider_a", { "x-hub-signature-256": signature }), false, signature);
    }
    assert.equal(looksSigned("provider_a", { "x-gitlab-token": "k".repeat(43) }), false);
    assert.equal(looksSigned("provider_b", { "x-gitlab-token": "k".repeat(43) }), true);
    for (const token of ["", "k".repeat(42), "k".repeat(44), `${"k".repeat(42)} `]) {
      assert.equal(looksSigned("provider_b_self_hosted", { "x-gitlab-token": token }), false, token);
    }
  });
});
