import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { describe, test, type TestContext } from "node:test";
import { parseAllowedHosts } from "../egress/address-rules.ts";
import type { Branch, GitAccess } from "./git.ts";
import { makeGuardedClient } from "./http-client.ts";
import { repositoryRefusal } from "./answers.ts";
import { parseRepositoryUrl } from "./repository-url.ts";
import { listBranchesAt } from "./smart-http.ts";
import { TEST_CERTIFICATE } from "../../test/helpers/git/certificate.ts";
import {
  type AdvertisedRef,
  advertisement,
  answerGit,
  capabilitiesV2,
} from "../../test/helpers/git/fake-git-host.ts";
import { startLocalServer } from "../../test/helpers/git/local-server.ts";
import { CANARY_TOKEN, holdsToken, rejectedWith } from "../../test/helpers/git/rejections.ts";

const MAIN = "a".repeat(40);
const TOPIC = "b".repeat(40);
const REFS: readonly AdvertisedRef[] = [
  { name: "HEAD", oid: MAIN, symrefTarget: "refs/heads/main" },
  { name: "refs/heads/feature/ünï", oid: TOPIC },
  { name: "refs/heads/main", oid: MAIN },
  { name: "refs/pull/1/head", oid: TOPIC },
  { name: "refs/tags/main", oid: TOPIC },
];

type Asked = { method: string; url: string; authorization: string | undefined; gitProtocol: unknown };

async function listFrom(
  t: TestContext,
  listener: RequestListener,
  options: { token?: string | null; totalTimeoutMs?: number } = {},
): Promise<{ list: () => Promise<readonly Branch[]>; asked: readonly Asked[] }> {
  const asked: Asked[] = [];
  const server = await startLocalServer("https", (request, response) => {
    const { method = "", url = "", headers } = request;
    asked.push({ method, url, authorization: headers.authorization, gitProtocol: headers["git-protocol"] });
    listener(request, response);
  });
  t.after(() => server.close());
  const fetch = makeGuardedClient({
    allowedHosts: parseAllowedHosts(["127.0.0.1"]),
    trustedCa: TEST_CERTIFICATE,
    ...(options.totalTimeoutMs === undefined ? {} : { totalTimeoutMs: options.totalTimeoutMs }),
  });
  const { token = CANARY_TOKEN } = options;
  const repository = parseRepositoryUrl(`${server.url}/owner/name`);
  const access: GitAccess = { provider: "provider_b_self_hosted", host: server.host, token };
  const list = () =>
    listBranchesAt(fetch, {
      gitUrl: `${repository.normalizedUrl}.git`,
      credentials: token === null ? null : { username: "oauth2", token },
      refusalOf: (answer) => repositoryRefusal(answer, repository, access),
    });
  return { list, asked };
}

const answer =
  (status: number, body = "", headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };

const ADVERTISEMENT = { "content-type": "application/x-git-upload-pack-advertisement" };

describe("listBranchesAt", () => {
  for (const protocol of [1, 2] as const) {
    test(`lists the branches, and neither HEAD nor tags, by protocol ${protocol}`, async (t) => {
      const { list } = await listFrom(t, (request, response) => answerGit(request, response, REFS, protocol));
      assert.deepEqual(await list(), [
        { name: "feature/ünï", commit: TOPIC },
        { name: "main", commit: MAIN },
      ]);
    });

    test(`lists nothing for a repository without commits, by protocol ${protocol}`, async (t) => {
      const { list } = await listFrom(t, (request, response) => answerGit(request, response, [], protocol));
      assert.deepEqual(await list(), []);
    });
  }

  test("lists nothing for an older server's empty advertisement without capabilities", async (t) => {
    const { list } = await listFrom(t, answer(200, "001e# service=git-upload-pack\n0000", ADVERTISEMENT));
    assert.deepEqual(await list(), []);
  });

  test("sends the token as Basic authorization with each request, and never in an address", async (t) => {
    const { list, asked } = await listFrom(t, (request, response) => answerGit(request, response, REFS, 2));
    await list();
    const authorization = `Basic ${Buffer.from(`oauth2:${CANARY_TOKEN}`).toString("base64")}`;
    assert.deepEqual(asked, [
      {
        method: "GET",
        url: "/owner/name.git/info/refs?service=git-upload-pack",
        authorization,
        gitProtocol: "version=2",
      },
      { method: "POST", url: "/owner/name.git/git-upload-pack", authorization, gitProtocol: "version=2" },
    ]);
    assert.ok(holdsToken(authorization), "the check for tokens would miss this one");
  });

  test("sends no authorization when there is no token", async (t) => {
    const { list, asked } = await listFrom(t, (request, response) => answerGit(request, response, REFS, 1), {
      token: null,
    });
    await list();
    assert.deepEqual(
      asked.map(({ authorization }) => authorization),
      [undefined],
    );
  });

  const statuses = [
    [401, {}, "TOKEN_REFUSED", /mistyped, expired or revoked/],
    [403, {}, "REPOSITORY_DENIED", /denies access/],
    [403, { "x-ratelimit-remaining": "0" }, "HOST_UNAVAILABLE", /rate/],
    [404, {}, "REPOSITORY_NOT_FOUND", /no repository/],
    [429, {}, "HOST_UNAVAILABLE", /rate/],
    [500, {}, "HOST_UNAVAILABLE", /status 500/],
    [502, { "content-type": "text/html" }, "HOST_UNAVAILABLE", /status 502/],
    [301, { location: "https://example.com/" }, "HOST_REFUSED", /redirects/],
  ] as const;
  for (const [status, headers, code, message] of statuses) {
    test(`takes a status ${status} ${JSON.stringify(headers)} for ${code}, without the host's words`, async (t) => {
      // The host repeats the token, as an echoing proxy might.
      const { list } = await listFrom(t, (request, response) => {
        response
          .writeHead(status, headers)
          .end(`echo ${request.headers.authorization ?? ""} ${CANARY_TOKEN}`);
      });
      await assert.rejects(list(), rejectedWith(code, message));
    });
  }

  test("treats a 401 without a token as a private or missing repository", async (t) => {
    const { list } = await listFrom(t, answer(401), { token: null });
    await assert.rejects(list(), rejectedWith("REPOSITORY_DENIED", /Add a git integration/));
  });

  test("refuses a web page", async (t) => {
    const { list } = await listFrom(t, answer(200, "<!doctype html>", { "content-type": "text/html" }));
    await assert.rejects(list(), rejectedWith("REPOSITORY_NOT_FOUND", /web page/));
  });

  test("gives up on a host that hangs", async (t) => {
    const { list } = await listFrom(t, () => {}, { totalTimeoutMs: 150 });
    await assert.rejects(list(), rejectedWith("HOST_UNAVAILABLE", /in time/));
  });

  const good = advertisement(REFS);
  const damaged: readonly (readonly [what: string, body: string])[] = [
    ["nothing", ""],
    ["a web page under git's own type", "<!doctype html>0000"],
    ["half a list", good.slice(0, good.length / 2)],
    ["a list without its last flush", good.slice(0, -4)],
    ["a list with a malformed packet in the middle", good.replace("003f", "zzzz").replace("003d", "zzzz")],
    ["a packet longer than the rest", `${good.slice(0, -4)}ffff0000`],
    ["a packet of impossible length", `${good.slice(0, -4)}00030000`],
    ["an object id that is none", good.replaceAll(MAIN, `${MAIN.slice(1)}-`)],
    [
      "the token where a reference should be",
      `001e# service=git-upload-pack\n00000029${CANARY_TOKEN}12345 0000`,
    ],
  ];
  for (const [what, body] of damaged) {
    test(`refuses ${what} instead of taking it for a shorter list`, async (t) => {
      assert.notEqual(body, good);
      const { list } = await listFrom(t, answer(200, body, ADVERTISEMENT));
      await assert.rejects(list(), rejectedWith("HOST_UNAVAILABLE"));
    });
  }

  test("refuses an incomplete list of protocol 2", async (t) => {
    const { list } = await listFrom(t, (request, response) => {
      if (request.method === "GET") response.writeHead(200, ADVERTISEMENT).end(capabilitiesV2);
      else {
        response.writeHead(200, { "content-type": "application/x-git-upload-pack-result" });
        request.resume().on("end", () => response.end(`003d${MAIN} refs/heads/main\n`));
      }
    });
    await assert.rejects(list(), rejectedWith("HOST_UNAVAILABLE"));
  });
});
