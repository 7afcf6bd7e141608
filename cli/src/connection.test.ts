import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CommandError } from "./failure.ts";
import { checkUrl, chooseConnection } from "./connection.ts";
import type { Credentials, Environment } from "./credentials.ts";
import type { FoundLink } from "./link-file.ts";

const HOME = "https://home.example.com";
const WORK = "https://work.example.com";
const STORED: Credentials = {
  current: "home",
  profiles: { home: { url: HOME, token: "home-key" }, work: { url: `${WORK}/slipway`, token: "work-key" } },
};
const linkTo = (url: string): FoundLink => ({ file: "link", link: { url, projectId: "proj_1" } });

describe("the server and its key", () => {
  const cases: Record<
    string,
    readonly [
      asked: { url?: string; profile?: string },
      env: Environment,
      link: FoundLink | null,
      chosen: readonly [url: string, token: string] | string,
    ]
  > = {
    "are those of the current profile": [{}, {}, null, [HOME, "home-key"]],
    "are those of the profile that is asked for": [
      { profile: "work" },
      {},
      null,
      [`${WORK}/slipway`, "work-key"],
    ],
    "are those of the environment before any profile": [
      {},
      { SLIPWAY_URL: WORK, SLIPWAY_TOKEN: "env-key" },
      null,
      [WORK, "env-key"],
    ],
    "are a profile's, if it is asked for, before the environment's": [
      { profile: "home" },
      { SLIPWAY_URL: WORK, SLIPWAY_TOKEN: "env-key" },
      null,
      [HOME, "home-key"],
    ],
    "are a trust's in a job of CI, which has no key": [
      {},
      { SLIPWAY_URL: WORK, SLIPWAY_WORKLOAD_TRUST: "trust_1" },
      null,
      [WORK, ""],
    ],
    "are not a trust's where only a link names the server": [
      {},
      { SLIPWAY_WORKLOAD_TRUST: "trust_1" },
      linkTo("https://new.example.com"),
      "NOT_LOGGED_IN",
    ],
    "of --url: a key that is stored for it": [{ url: WORK }, {}, null, [WORK, "work-key"]],
    "of --url: the environment's key": [
      { url: "https://new.example.com" },
      { SLIPWAY_TOKEN: "env-key" },
      null,
      ["https://new.example.com", "env-key"],
    ],
    "of --url: not the environment's key for another server": [
      { url: "https://new.example.com" },
      { SLIPWAY_TOKEN: "env-key", SLIPWAY_URL: WORK },
      null,
      "NOT_LOGGED_IN",
    ],
    "of --url: the stored key, if the environment's is for another server": [
      { url: HOME },
      { SLIPWAY_TOKEN: "env-key", SLIPWAY_URL: WORK },
      null,
      [HOME, "home-key"],
    ],
    "of --url: not a profile's key for another server": [
      { url: WORK, profile: "home" },
      {},
      null,
      "NOT_LOGGED_IN",
    ],
    "are those of the environment, whatever form its address is typed in": [
      {},
      { SLIPWAY_URL: " Work.example.com/slipway/\n", SLIPWAY_TOKEN: "env-key\r\n" },
      null,
      [`${WORK}/slipway`, "env-key"],
    ],
    "are the environment's key for an address without a scheme, which --url repeats with one": [
      { url: "http://127.0.0.1:4000" },
      { SLIPWAY_URL: "127.0.0.1:4000", SLIPWAY_TOKEN: "env-key" },
      null,
      ["http://127.0.0.1:4000", "env-key"],
    ],
    "are a trust's in a job whose address has no scheme": [
      {},
      { SLIPWAY_URL: "work.example.com", SLIPWAY_WORKLOAD_TRUST: " trust_1 " },
      null,
      [WORK, ""],
    ],
    "are a stored key's where the environment's variables are blank": [
      {},
      { SLIPWAY_URL: " ", SLIPWAY_TOKEN: "" },
      null,
      [HOME, "home-key"],
    ],
    "are refused for an address of the environment that is none, also beside --url": [
      { url: WORK },
      { SLIPWAY_URL: "https://", SLIPWAY_TOKEN: "env-key" },
      null,
      "USAGE",
    ],
    "are refused for a key in typographic quotes": [
      {},
      { SLIPWAY_URL: WORK, SLIPWAY_TOKEN: "\u201cenv-key\u201d" },
      null,
      "INVALID_KEY",
    ],
    "are refused for two keys in one": [
      {},
      { SLIPWAY_URL: WORK, SLIPWAY_TOKEN: "one\ntwo" },
      null,
      "INVALID_KEY",
    ],
    "are not those of a member of every object": [{ profile: "constructor" }, {}, null, "USAGE"],
    "of a link: the key that is stored for it": [{}, {}, linkTo(WORK), [WORK, "work-key"]],
    "of a link to a stranger: no key": [{}, {}, linkTo("https://evil.example.com"), "NOT_LOGGED_IN"],
    "of a link to a stranger: not the environment's key either": [
      {},
      { SLIPWAY_TOKEN: "env-key" },
      linkTo("https://evil.example.com"),
      "NOT_LOGGED_IN",
    ],
    "of a link to a known server: the environment's key": [
      {},
      { SLIPWAY_TOKEN: "env-key" },
      linkTo(WORK),
      [WORK, "env-key"],
    ],
    "are not those of a profile that is unknown": [{ profile: "none" }, {}, null, "USAGE"],
    "are another server, if the port differs": [{ url: `${HOME}:8443` }, {}, null, "NOT_LOGGED_IN"],
    "are another server, if the scheme differs": [
      { url: HOME.replace("https", "http") },
      {},
      null,
      "NOT_LOGGED_IN",
    ],
  };
  for (const [name, [asked, env, link, expected]] of Object.entries(cases)) {
    it(name, () => {
      const choose = () => chooseConnection({ url: asked.url, profile: asked.profile }, env, link, STORED);
      if (typeof expected === "string") {
        assert.throws(choose, (error) => error instanceof CommandError && error.code === expected);
        return;
      }
      const { url, token } = choose();
      assert.deepEqual([url, token], expected);
    });
  }

  it("are missing without a profile", () => {
    const none: Credentials = { current: null, profiles: {} };
    assert.throws(
      () => chooseConnection({ url: undefined, profile: undefined }, {}, null, none),
      /No server is configured/,
    );
  });

  it("name the fault of a key, and not the key", () => {
    const choose = () =>
      chooseConnection(
        { url: undefined, profile: undefined },
        { SLIPWAY_URL: WORK, SLIPWAY_TOKEN: "\u201csecret-key\u201d" },
        null,
        STORED,
      );
    assert.throws(choose, (error) => {
      assert.ok(error instanceof CommandError);
      assert.equal(error.exitCode, 4);
      assert.match(error.message, /SLIPWAY_TOKEN is not an API key: its character 1 is U[+]201C/);
      return !`${error.message}${error.hint}`.includes("secret-key");
    });
  });

  it("may be typed without a scheme", () => {
    assert.equal(checkUrl(" localhost ", "--url"), "http://localhost");
    assert.equal(checkUrl("localhost.example.com", "--url"), "https://localhost.example.com");
    assert.equal(checkUrl("slipway.example.com/", "--url"), "https://slipway.example.com");
    assert.equal(checkUrl("localhost:4000", "--url"), "http://localhost:4000");
    assert.equal(checkUrl("http://127.0.0.1:4000/base/", "--url"), "http://127.0.0.1:4000/base");
    for (const text of [
      "ftp://example.com",
      "https://a:b@example.com",
      "https://:b@example.com",
      "https://example.com?x=1",
      "https://",
    ])
      assert.throws(() => checkUrl(text, "--url"), CommandError, text);
  });
});
