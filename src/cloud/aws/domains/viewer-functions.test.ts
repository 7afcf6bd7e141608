import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runInNewContext } from "node:vm";
import { accessKeyOf, type PreviewAccess } from "../../preview-access.ts";
import { REDIRECTS_MAX_BYTES, redirectsKeyOf, writeRedirects } from "../../redirects.ts";
import {
  functionNameOf,
  hasAccess,
  keysIn,
  readViewerFunction,
  writeViewerFunction,
} from "./viewer-functions.ts";

const INDEX_ARN = "arn:aws:cloudfront::123456789012:function/slipway-01kahy1c7b9v4e2k6t5m8x3wrs";
const PROTECTED: PreviewAccess = {
  gate: {
    key: "k".repeat(43),
    signInUrl: "https://slipway.example/console/open",
    bypassHash: "0".repeat(64),
  },
};
const redirects = { "www.example.com": "example.com" };

type Answer = { readonly uri?: string; readonly statusCode?: number; readonly headers?: Headers };
type Headers = Readonly<Record<string, { readonly value: string }>>;

/** As CloudFront runs it. @param query as CloudFront gives it: undefined if the address has no question mark */
function ask(code: string, host: string, uri: string, query?: string): Answer {
  const request = { uri, headers: { host: { value: host } }, rawQueryString: () => query };
  return runInNewContext(`${code}; handler(event)`, { event: { request } });
}

describe("the function of a distribution's redirects", () => {
  const plain = writeViewerFunction({ redirects, access: null, indexArn: null, isApp: false });
  const site = writeViewerFunction({ redirects, access: null, indexArn: INDEX_ARN, isApp: false });

  for (const [uri, query, location] of [
    ["/", undefined, "https://example.com/"],
    ["/", "", "https://example.com/?"],
    ["/a//b/%2e%2E/c%20d", "x=1&x=%C3%A4+&&=;", "https://example.com/a//b/%2e%2E/c%20d?x=1&x=%C3%A4+&&=;"],
  ] as const) {
    test(`keeps ${uri} and ${query ?? "no query"} as they came`, () => {
      for (const code of [plain, site]) {
        const { statusCode, headers } = ask(code, "WWW.example.com", uri, query);
        assert.deepEqual([statusCode, headers?.["location"]?.value], [308, location]);
        assert.equal(headers?.["cache-control"]?.value, "no-store");
      }
    });
  }

  test("lets all other names pass, and finds the pages of a static site", () => {
    for (const host of ["example.com", "other.example.com", "__proto__", "constructor"])
      assert.equal(ask(plain, host, "/docs/").uri, "/docs/");
    assert.equal(ask(site, "example.com", "/docs/").uri, "/docs/index.html");
    assert.equal(ask(site, "example.com", "/page").uri, "/page.html");
    assert.equal(ask(site, "example.com", "/a.css").uri, "/a.css");
    // V10
    const wellKnown = "/.well-known/apple-app-site-association";
    assert.equal(ask(site, "example.com", wellKnown).uri, wellKnown);
    assert.equal(ask(site, "example.com", "/a/.well-known/b").uri, "/a/.well-known/b.html");
  });

  test("can be read again, and says by its name what it does", () => {
    const of = [{}, redirects].flatMap((some) =>
      [
        { indexArn: null, isApp: false },
        { indexArn: INDEX_ARN, isApp: false },
        { indexArn: INDEX_ARN, isApp: true },
      ].flatMap((site) =>
        [null, { gate: null }, PROTECTED].map((access) => ({ redirects: some, ...site, access })),
      ),
    );
    for (const wanted of of) {
      assert.deepEqual(readViewerFunction(writeViewerFunction(wanted)), wanted);
      const name = functionNameOf("E2QWRUHAPOMQZL", wanted);
      assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
      const arn = `arn:aws:cloudfront::123456789012:function/${name}`;
      assert.deepEqual(keysIn("E2QWRUHAPOMQZL", arn), {
        redirects: redirectsKeyOf(wanted.redirects),
        access: wanted.access === null ? null : accessKeyOf(wanted.access),
      });
      assert.equal(hasAccess(arn), wanted.access !== null);
    }
    assert.equal(new Set(of.map((one) => functionNameOf("E2QWRUHAPOMQZL", one))).size, of.length);
    assert.equal(keysIn("E2QWRUHAPOMQZL", INDEX_ARN), null);
    assert.equal(keysIn("E2QWRUHAPOMQZL", null), null);
    assert.equal(hasAccess(INDEX_ARN), false);
    assert.throws(() => readViewerFunction("function handler(event) { return event.request; }"));
  });

  test("has at most the 10 KB that CloudFront takes, with as many redirects as are allowed", () => {
    const name = (n: number) => `n${n}.example.com`;
    const most: Record<string, string> = {};
    for (let n = 0; ; n += 1) {
      const more = { ...most, [name(n)]: "example.com" };
      if (Buffer.byteLength(writeRedirects(more)) > REDIRECTS_MAX_BYTES) break;
      Object.assign(most, more);
    }
    const code = writeViewerFunction({ redirects: most, access: null, indexArn: INDEX_ARN, isApp: true });
    assert.ok(Buffer.byteLength(code) <= 10_240, `${Buffer.byteLength(code)} bytes`);
    assert.ok(Object.keys(most).length >= 100);
  });
});
