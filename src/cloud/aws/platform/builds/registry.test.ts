import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { parseAllowedHosts } from "../../../../egress/address-rules.ts";
import { createSafeFetch } from "../../../../egress/safe-fetch.ts";
import { findDigest, parseImageName } from "./registry.ts";

const DIGEST = `sha256:${"a".repeat(64)}`;

test("an image without a host is Docker Hub's, and one without a tag is the latest", () => {
  const cases: readonly (readonly [image: string, ...parts: (string | null)[]])[] = [
    ["nginx", "nginx", "docker.io", "library/nginx", "latest", null],
    ["acme/api:1.4", "acme/api", "docker.io", "acme/api", "1.4", null],
    ["docker.io/nginx:1", "docker.io/nginx", "docker.io", "library/nginx", "1", null],
    ["ghcr.io/acme/api/web", "ghcr.io/acme/api/web", "ghcr.io", "acme/api/web", "latest", null],
    ["localhost/api", "localhost/api", "localhost", "api", "latest", null],
    ["host:5000/api:2", "host:5000/api", "host:5000", "api", "2", null],
    [`host:5000/api@${DIGEST}`, "host:5000/api", "host:5000", "api", "latest", DIGEST],
    [`ghcr.io/acme/api:1@${DIGEST}`, "ghcr.io/acme/api", "ghcr.io", "acme/api", "1", DIGEST],
  ];
  for (const [image, ...parts] of cases) {
    const { name, registry, repository, tag, digest } = parseImageName(image);
    assert.deepEqual([name, registry, repository, tag, digest], parts, image);
  }
});

describe("a registry", () => {
  type Answer = (request: IncomingMessage, response: ServerResponse, url: string) => void;

  async function ask(answer: Answer, allowsLoopback = true) {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? "-"}`);
      const { port } = server.address() as AddressInfo;
      answer(request, response, `http://127.0.0.1:${port}`);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const registries = createSafeFetch({ allowedHosts: parseAllowedHosts([]), allowsLoopback });
    try {
      const found = await findDigest(registries, parseImageName(`127.0.0.1:${port}/acme/api:1`));
      return { found, seen };
    } finally {
      server.close();
    }
  }

  /** As ghcr.io and Docker Hub answer. */
  const withToken =
    (token: (response: ServerResponse) => void): Answer =>
    ({ url = "", headers }, response, at) => {
      if (url.startsWith("/token")) return token(response);
      const status = headers.authorization === "Bearer let.me-in" ? 200 : 401;
      const challenge = `Bearer realm="${at}/token",service="registry",scope="repository:acme/api:pull"`;
      response.writeHead(status, { "www-authenticate": challenge, "docker-content-digest": DIGEST }).end();
    };
  const answers =
    (status: number, headers: Record<string, string> = {}): Answer =>
    (_request, response) =>
      void response.writeHead(status, headers).end();
  const codeOf = async (answer: Answer) => {
    const { found } = await ask(answer);
    return typeof found === "string" ? found : found.code;
  };

  test("gives the digest of a tag, with a token that anyone gets if it asks for one", async () => {
    assert.equal(await codeOf(answers(200, { "docker-content-digest": DIGEST })), DIGEST);
    for (const field of ["token", "access_token"]) {
      const { found, seen } = await ask(
        withToken((response) => void response.end(JSON.stringify({ [field]: "let.me-in" }))),
      );
      assert.equal(found, DIGEST);
      assert.deepEqual(seen, [
        "HEAD /v2/acme/api/manifests/1 -",
        "GET /token?service=registry&scope=repository%3Aacme%2Fapi%3Apull -",
        "HEAD /v2/acme/api/manifests/1 Bearer let.me-in",
      ]);
    }
  });

  test("that gives no token, or whose token opens nothing, has a private image", async () => {
    for (const answer of [
      withToken((response) => void response.writeHead(403).end()),
      withToken((response) => void response.end("not JSON")),
      withToken((response) => void response.end(JSON.stringify({ token: "a\r\nb" }))),
      withToken((response) => void response.end(JSON.stringify({ token: "another" }))),
      answers(401, { "www-authenticate": "Basic realm=x" }),
      answers(401, { "www-authenticate": 'Bearer realm="no address"' }),
      answers(403),
    ])
      assert.equal(await codeOf(answer), "IMAGE_NOT_READABLE");
  });

  test("without the image, or without a digest, is a failure in words", async () => {
    assert.equal(await codeOf(answers(404)), "IMAGE_NOT_FOUND");
    for (const answer of [
      answers(200),
      answers(200, { "docker-content-digest": "sha256:1" }),
      answers(400),
      answers(307, { location: "https://elsewhere.example" }),
    ])
      assert.equal(await codeOf(answer), "IMAGE_REGISTRY_FAILED");
  });

  test("whose host cannot be one is not asked", async () => {
    const registries = createSafeFetch({ allowedHosts: parseAllowedHosts([]) });
    for (const host of ["999.1.1.1.1", "host:99999", ".."]) {
      const found = await findDigest(registries, parseImageName(`${host}/acme/api:1`));
      assert.equal(typeof found === "string" ? found : found.code, "IMAGE_REGISTRY_FAILED", host);
    }
  });

  test("that fails or limits us is asked again", async () => {
    for (const status of [429, 500, 503])
      await assert.rejects(ask(answers(status)), { kind: "retryable", code: "THROTTLED" });
    const dropped: Answer = (_request, response) => void response.destroy();
    await assert.rejects(ask(dropped), { kind: "retryable", code: "THROTTLED" });
  });

  test("inside our own network is never asked, nor is a place for tokens there", async () => {
    const { found, seen } = await ask(answers(200, { "docker-content-digest": DIGEST }), false);
    assert.deepEqual([typeof found === "string" ? found : found.code, seen], ["IMAGE_REGISTRY_FAILED", []]);
    const inside = 'Bearer realm="https://169.254.169.254/token"';
    assert.equal(await codeOf(answers(401, { "www-authenticate": inside })), "IMAGE_REGISTRY_FAILED");
  });
});
