/** The gate of a protected preview decides the same at the edge and in CloudFront's functions: one table for all. */
import assert from "node:assert/strict";
import * as crypto from "node:crypto";
import { describe, it } from "node:test";
import { runInNewContext } from "node:vm";
import { answerAtGate } from "../../edge/src/gate.ts";
import { writePreviewFunction } from "../../src/cloud/aws/domains/preview-function.ts";
import { writeViewerFunction } from "../../src/cloud/aws/domains/viewer-functions.ts";
import {
  COOKIE_SECONDS,
  enterPathOf,
  type Gate,
  hashBypass,
  signForHost,
  writeGateCookie,
} from "../../src/lib/preview-gate.ts";

const NOW = 1_800_000_000;
const HOST = "d1.example.net";
const gate: Gate = {
  key: crypto.randomBytes(32).toString("base64url"),
  signInUrl: "https://slipway.example/console/open-preview",
  bypassHash: hashBypass("right"),
};
const OTHER_KEY = crypto.randomBytes(32).toString("base64url");
const STATE = "abcdefghijklmnopqrst_-";
const PASS = "__Host-slipway-preview";
const KNOWN = "__Host-slipway-preview-state";

type Asked = {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: Readonly<Record<string, string>>;
  readonly gate?: Gate;
};
/** `null`: the visitor passes. */
type Seen = {
  readonly status: number;
  readonly location: string | null;
  readonly cookies: Readonly<Record<string, string>>;
  readonly text: string;
} | null;

const BROWSER = { "sec-fetch-mode": "navigate" };

function askEdge({ method = "GET", url = "/", headers = {}, cookies = {}, gate: of = gate }: Asked): Seen {
  const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
  const all = { ...headers, ...(cookie.length > 0 ? { cookie: `a=b; ${cookie.join("; ")}` } : {}) };
  const answer = answerAtGate(of, { method, url, headers: all, host: HOST, origin: `https://${HOST}` }, NOW);
  if (answer === null) return null;
  const set = [answer.headers["set-cookie"] ?? []].flat();
  return {
    status: answer.status,
    location: (answer.headers["location"] ?? null) as string | null,
    cookies: Object.fromEntries(
      set.map((one) => {
        const [pair = "", ...attributes] = one.split("; ");
        assert.deepEqual(attributes.toSorted(), [
          "HttpOnly",
          attributes.find((each) => each.startsWith("Max-Age=")),
          "Path=/",
          "SameSite=Lax",
          "Secure",
        ]);
        const at = pair.indexOf("=");
        return [pair.slice(0, at), pair.slice(at + 1)];
      }),
    ),
    text: answer.status === 401 ? answer.text : "",
  };
}

type FunctionAnswer = {
  readonly statusCode?: number;
  readonly headers: Record<string, { readonly value: string }>;
  readonly cookies?: Record<string, { readonly value: string; readonly attributes: string }>;
  readonly body?: string;
};

const valued = (of: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [name, { value }]));

/** As CloudFront calls it. Its answer to a passing visitor is the request for the origin. */
function runFunction(
  { method = "GET", url = "/", headers = {}, cookies = {}, gate: of = gate }: Asked,
  write: (gate: Gate) => string,
) {
  const [uri = "", query] = url.split("?", 2);
  const request = {
    method,
    uri,
    querystring: valued(Object.fromEntries(new URLSearchParams(query))),
    headers: { ...valued(headers), host: { value: HOST } },
    cookies: valued({ a: "b", ...cookies }),
    rawQueryString: () => query,
  };
  const event = { request, context: { eventType: "viewer-request", requestId: crypto.randomUUID() } };
  class FixedDate extends Date {
    static override now = () => NOW * 1_000;
  }
  const cf = { selectRequestOriginById: () => undefined };
  const globals = { event, cf, require: () => crypto, Buffer, Date: FixedDate };
  return runInNewContext(`${write(of)}; handler(event)`, globals) as FunctionAnswer;
}

/** The function of a preview with a distribution of its own. */
function writeOwn(of: Gate): string {
  const redirects = { [HOST]: "never.example" };
  const code = writeViewerFunction({ redirects, access: { gate: of }, indexArn: null, isApp: false });
  return code.replace("Object.prototype.hasOwnProperty.call(redirects, host)", "false");
}

/** That of previews with names below a domain. */
function writeShared(of: Gate): string {
  const answers = { d1: { kind: "web", serviceId: "svc_1" } } as const;
  return writePreviewFunction({ access: { gate: of }, answers }).replace(/^import .*\n/, "");
}

const askOwn = (asked: Asked) => askFunction(asked, writeOwn);
const askShared = (asked: Asked) => askFunction(asked, writeShared);

function askFunction(asked: Asked, write: (gate: Gate) => string): Seen {
  const answer = runFunction(asked, write);
  if (answer.statusCode === undefined) {
    assert.deepEqual(Object.keys(answer.cookies ?? {}), ["a"], "the program gets no cookie of the gate");
    assert.equal(answer.headers["x-slipway-bypass"], undefined);
    assert.equal(answer.headers["x-slipway-set-cookie"], undefined);
    return null;
  }
  assert.equal(answer.headers["x-robots-tag"]?.value, "noindex");
  assert.equal(answer.headers["cache-control"]?.value, "no-store");
  for (const { attributes } of Object.values(answer.cookies ?? {}))
    assert.match(attributes, /^Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/);
  return {
    status: answer.statusCode,
    location: answer.headers["location"]?.value ?? null,
    cookies: Object.fromEntries(
      Object.entries(answer.cookies ?? {}).map(([name, { value }]) => [name, value]),
    ),
    text: answer.body?.trimEnd() ?? "",
  };
}

const ticket = (more: { key?: string; host?: string; to?: string; state?: string; now?: number } = {}) =>
  enterPathOf(more.key ?? gate.key, { host: HOST, to: "/cart?a=1&b=%20", state: STATE, now: NOW, ...more });
const pass = (more: { key?: string; host?: string; now?: number } = {}) => ({
  [PASS]: writeGateCookie(more.key ?? gate.key, more.host ?? HOST, more.now ?? NOW),
});
const known = { [KNOWN]: STATE };
const late = String(NOW + 1);

type Outcome = "passes" | "console" | "enters" | "cookie" | "refused";
const CASES: readonly (readonly [name: string, asked: Asked, outcome: Outcome])[] = [
  ["a browser without a cookie", { headers: BROWSER, url: "/a?x=%C3%A4&y=1+2" }, "console"],
  ["a browser that says only what it accepts", { headers: { accept: "text/html,*/*" } }, "console"],
  ["a HEAD of a browser", { method: "HEAD", headers: BROWSER }, "console"],
  ["a tab while another is on its way", { headers: BROWSER, cookies: known }, "console"],
  ["a state of another form", { headers: BROWSER, cookies: { [KNOWN]: "short" } }, "console"],
  ["a program", { headers: { accept: "*/*" } }, "refused"],
  ["a request without any header", {}, "refused"],
  ["a form", { method: "POST", headers: BROWSER }, "refused"],
  ["a script of a page", { headers: { "sec-fetch-mode": "cors", accept: "text/html" } }, "refused"],
  ["a WebSocket", { headers: { upgrade: "websocket", "sec-fetch-mode": "websocket" } }, "refused"],
  ["a right cookie", { cookies: pass() }, "passes"],
  ["a right cookie of a program that posts", { method: "POST", cookies: pass() }, "passes"],
  ["a cookie that just expired", { cookies: pass({ now: NOW - COOKIE_SECONDS }) }, "refused"],
  ["a cookie of another host", { cookies: pass({ host: "d2.example.net" }) }, "refused"],
  ["a cookie of another template", { cookies: pass({ key: OTHER_KEY }) }, "refused"],
  [
    "a cookie with a later end",
    { cookies: { [PASS]: pass()[PASS]?.replace(/^\d+/, (at) => `${Number(at) + 1}`) ?? "" } },
    "refused",
  ],
  [
    "a ticket as a cookie",
    { cookies: { [PASS]: `${late}.${signForHost(gate.key, "ticket", HOST, late)}` } },
    "refused",
  ],
  ["a cookie of nothing", { cookies: { [PASS]: "." } }, "refused"],
  ["a cookie without a signature", { cookies: { [PASS]: late } }, "refused"],
  ["a ticket", { url: ticket(), cookies: known, headers: BROWSER }, "enters"],
  [
    "a ticket to a path with another host's look",
    { url: ticket({ to: "//evil.example/" }), cookies: known },
    "enters",
  ],
  ["a ticket in another browser", { url: ticket(), headers: BROWSER }, "refused"],
  ["a ticket with another state", { url: ticket(), cookies: { [KNOWN]: STATE.toUpperCase() } }, "refused"],
  [
    "a ticket without a state",
    { url: ticket({ state: "" }), cookies: { [KNOWN]: "" }, headers: BROWSER },
    "refused",
  ],
  ["a ticket that just expired", { url: ticket({ now: NOW - 60 }), cookies: known }, "refused"],
  ["a ticket of another host", { url: ticket({ host: "d2.example.net" }), cookies: known }, "refused"],
  ["a ticket of another template", { url: ticket({ key: OTHER_KEY }), cookies: known }, "refused"],
  ["a forged ticket", { url: `${ticket()}x`, cookies: known }, "refused"],
  ["no ticket", { url: "/.well-known/slipway/enter", cookies: { ...known, ...pass() } }, "refused"],
  ["the bypass", { headers: { "x-slipway-bypass": "right" } }, "passes"],
  ["the bypass of a browser", { headers: { ...BROWSER, "x-slipway-bypass": "right" } }, "passes"],
  ["a wrong bypass", { headers: { ...BROWSER, "x-slipway-bypass": "wrong" } }, "refused"],
  ["an empty bypass", { headers: { "x-slipway-bypass": "" } }, "refused"],
  [
    "the bypass where there is none",
    { headers: { "x-slipway-bypass": "right" }, gate: { ...gate, bypassHash: null } },
    "refused",
  ],
  [
    "the bypass that asks for the cookie",
    { url: "/a?b", headers: { "x-slipway-bypass": "right", "x-slipway-set-cookie": "1" } },
    "cookie",
  ],
  [
    "the same with the cookie",
    { cookies: pass(), headers: { "x-slipway-bypass": "right", "x-slipway-set-cookie": "1" } },
    "passes",
  ],
  ["the question for a cookie without the bypass", { headers: { "x-slipway-set-cookie": "1" } }, "refused"],
];

function assertOutcome(seen: Seen, asked: Asked, outcome: Outcome): void {
  const { url = "/", cookies: given = {} } = asked;
  if (outcome === "passes") return assert.equal(seen, null);
  assert.ok(seen !== null, "does not pass");
  const { status, location, cookies, text } = seen;
  if (outcome === "refused") {
    assert.deepEqual([status, location, cookies], [401, null, {}]);
    assert.match(text, /^This (?:preview is protected|link has expired)|^The secret in x-slipway-bypass/);
  } else if (outcome === "console") {
    const to = new URL(location ?? "");
    assert.deepEqual([status, to.origin + to.pathname], [302, gate.signInUrl]);
    assert.equal(to.searchParams.get("url"), `https://${HOST}${url}`);
    const state = cookies[KNOWN] ?? "";
    assert.match(state, /^[\w-]{22}$/);
    assert.equal(to.searchParams.get("state"), state);
    if (given[KNOWN] === STATE) assert.equal(state, STATE);
    else assert.notEqual(state, given[KNOWN]);
  } else {
    const isTicket = outcome === "enters";
    assert.equal(status, isTicket ? 302 : 307);
    const [, text64 = ""] = /ticket=([^.]*)/.exec(url) ?? [];
    const to = isTicket ? Buffer.from(text64, "base64url").toString().split("\n")[2] : url;
    assert.equal(location, `https://${HOST}${to}`);
    assert.deepEqual(cookies, { ...pass(), ...(isTicket ? { [KNOWN]: "" } : {}) });
  }
}

describe("the gate of a preview", () => {
  for (const [name, asked, outcome] of CASES) {
    it(`${outcome === "passes" ? "lets through" : "stops"} ${name}`, () => {
      for (const ask of [askEdge, askOwn, askShared]) assertOutcome(ask(asked), asked, outcome);
    });
  }

  it("makes another state each time", () => {
    for (const ask of [askEdge, askOwn, askShared]) {
      const states = Array.from({ length: 20 }, () => ask({ headers: BROWSER })?.cookies[KNOWN]);
      assert.equal(new Set(states).size, 20);
    }
  });

  it("says in answers of a program that none may be indexed", () => {
    const code = writeViewerFunction({ redirects: {}, access: { gate: null }, indexArn: null, isApp: false });
    const event = {
      context: { eventType: "viewer-response" },
      request: { headers: {} },
      response: { statusCode: 200, headers: { "x-robots-tag": { value: "all" } } },
    };
    const answer = runInNewContext(`${code}; handler(event)`, { event }) as FunctionAnswer;
    assert.equal(answer.headers["x-robots-tag"]?.value, "noindex");
  });

  it("leaves room in the function for redirects", () => {
    const code = writeViewerFunction({
      redirects: {},
      access: { gate },
      indexArn: "arn:aws:cloudfront::1:function/a",
      isApp: true,
    });
    assert.ok(Buffer.byteLength(code) < 6_000, `${Buffer.byteLength(code)} bytes`);
  });
});
