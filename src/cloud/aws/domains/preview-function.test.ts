import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runInNewContext } from "node:vm";
import { hashBypass } from "../../../lib/preview-gate.ts";
import { accessKeyOf, type PreviewAccess } from "../../preview-access.ts";
import { type Routes, routesKeyOf } from "../../routing.ts";
import {
  type Answers,
  previewFunctionNameOf,
  previewKeysIn,
  readPreviewFunction,
  writePreviewFunction,
} from "./preview-function.ts";
import { previewKeysOf } from "./preview-routes.ts";
import { type Visit, visitPreview } from "./testing-preview-function.ts";
import { functionPrefixOf, hasAccess, keysIn } from "./viewer-functions.ts";

/** As long as CloudFront's ids are. */
const ID = "E2QWRUHAPOMQZL";
const OPEN: PreviewAccess = { gate: null };
const PROTECTED: PreviewAccess = {
  gate: {
    key: "k".repeat(43),
    signInUrl: "https://slipway.example/console/open-preview",
    bypassHash: hashBypass("right"),
  },
};
const answers: Answers = {
  "api-pr-1": { kind: "web", serviceId: "svc_api" },
  "site-pr-1": { kind: "files", serviceId: "svc_site" },
  "app-pr-1": { kind: "app", serviceId: "svc_app" },
  "docs-pr-1": { kind: "host" },
  "new-pr-1": { kind: "nothing", serviceId: "svc_new" },
};
const open = writePreviewFunction({ access: OPEN, answers });
const visit = (label: string, more: Omit<Visit, "host"> = {}, code = open) =>
  visitPreview(code, { host: `${label}.preview.example.com`, ...more });

describe("the function of the distribution that previews share", () => {
  const origins: readonly (readonly [label: string, id: string, hostHeader: string | null])[] = [
    ["api-pr-1", "slipway-svc_api", "api-pr-1.preview.example.com"],
    ["API-PR-1", "slipway-svc_api", "api-pr-1.preview.example.com"],
    ["site-pr-1", "slipway-svc_site", null],
    ["app-pr-1", "slipway-svc_app", null],
    ["docs-pr-1", "slipway-host-docs-pr-1", null],
  ];
  for (const [label, id, hostHeader] of origins)
    it(`sends ${label} to the origin ${id}`, () => {
      const { answer, origin } = visit(label);
      assert.equal(answer, null);
      assert.deepEqual(origin, { id, hostHeader });
    });

  for (const label of ["api-pr-2", "api", "", "constructor", "__proto__", "hasOwnProperty", "d111abcdef8"])
    it(`answers 404 for ${label === "" ? "no label" : label}`, () => {
      const { answer, origin } = visit(label);
      assert.deepEqual([answer?.statusCode, origin], [404, null]);
      assert.match(answer?.body ?? "", /^There is no preview at this address\./);
      assert.equal(answer?.headers["x-robots-tag"]?.value, "noindex");
      assert.equal(answer.headers["cache-control"]?.value, "no-store");
    });

  it("answers 503 for a service without a release", () => {
    const { answer, origin } = visit("new-pr-1");
    assert.deepEqual([answer?.statusCode, origin], [503, null]);
    assert.equal(answer?.headers["x-robots-tag"]?.value, "noindex");
  });

  const asked = {
    headers: { "x-slipway-service": "svc_other", "x-mine": "1" },
    query: { "list-type": "2" },
    cookies: { session: "1" },
  };

  it("takes the header by which the load balancer chooses from visitors, and leaves the rest to a program", () => {
    for (const label of ["api-pr-1", "docs-pr-1"]) {
      const { sent } = visit(label, { ...asked, uri: "/a/" });
      assert.deepEqual(Object.keys(sent.headers).toSorted(), ["host", "x-mine"]);
      assert.deepEqual([sent.uri, Object.keys(sent.querystring)], ["/a/", ["list-type"]]);
      assert.deepEqual(Object.keys(sent.cookies), ["session"]);
    }
  });

  const files: readonly (readonly [label: string, uri: string, file: string])[] = [
    ["site-pr-1", "/", "/index.html"],
    ["site-pr-1", "/docs/", "/docs/index.html"],
    ["site-pr-1", "/page", "/page.html"],
    ["site-pr-1", "/a.css", "/a.css"],
    ["app-pr-1", "/orders/1", "/index.html"],
    ["app-pr-1", "/a.css", "/a.css"],
    ["app-pr-1", "/.well-known/thing", "/.well-known/thing"],
  ];
  for (const [label, uri, file] of files)
    it(`asks S3 for ${file} only, for ${uri} of ${label}`, () => {
      const { sent } = visit(label, { ...asked, uri });
      assert.deepEqual([sent.uri, sent.querystring, sent.cookies], [file, {}, {}]);
    });

  it("asks for the pass of a protected preview first, so that it does not say which names exist", () => {
    const code = writePreviewFunction({ access: PROTECTED, answers });
    for (const label of ["api-pr-1", "new-pr-1", "nothing-pr-1"]) {
      const { answer, origin } = visit(label, {}, code);
      assert.deepEqual([answer?.statusCode, origin], [401, null]);
    }
    const headers = { "x-slipway-bypass": "right" };
    assert.equal(visit("api-pr-1", { headers }, code).origin?.id, "slipway-svc_api");
    assert.equal(visit("nothing-pr-1", { headers }, code).answer?.statusCode, 404);
  });

  it("says in all answers that none may be indexed, also without an access", () => {
    for (const access of [null, OPEN, PROTECTED]) {
      const code = writePreviewFunction({ access, answers }).replace(/^import .*\n/, "");
      const event = { context: { eventType: "viewer-response" }, response: { headers: {} } };
      const answer = runInNewContext(`${code}; handler(event)`, { event, require: () => ({}) });
      assert.equal(answer.headers["x-robots-tag"].value, "noindex");
    }
  });

  it("can be read again, and says by its name what it does", () => {
    const routes: Routes = { "api-pr-1": { serviceId: "svc_api" } };
    const names = new Set<string>();
    for (const access of [null, OPEN, PROTECTED])
      for (const some of [{}, answers])
        for (const routesKey of [null, routesKeyOf(routes)]) {
          const wanted = { access, answers: some };
          assert.deepEqual(readPreviewFunction(writePreviewFunction(wanted)), wanted);
          const name = previewFunctionNameOf(ID, routesKey, wanted);
          assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
          assert.equal(previewFunctionNameOf(ID, routesKey, wanted), name);
          names.add(name);
          const arn = `arn:aws:cloudfront::123456789012:function/${name}`;
          const accessKey = access === null ? null : accessKeyOf(access);
          assert.deepEqual(previewKeysOf(ID, arn), { routes: routesKey, access: accessKey });
          assert.equal(previewKeysOf("EOTHER", arn), null);
          assert.equal(hasAccess(arn), true, "it runs at the answers too");
          assert.equal(keysIn(ID, arn), null, "it is not a function of redirects");
        }
    assert.equal(names.size, 12);
    for (const end of ["none", "none-f", `${"a".repeat(22)}-a${"b".repeat(11)}`, `p${"a".repeat(38)}`])
      assert.equal(previewKeysIn(end), null);
    assert.equal(previewKeysOf(ID, `arn:aws:cloudfront::1:function/${functionPrefixOf(ID)}none`), null);
    assert.equal(previewKeysOf(ID, null), null);
    assert.throws(() => readPreviewFunction("function handler(event) { return event.request; }"));
  });

  it("has room for the services of many previews in the 10 KB that CloudFront takes", () => {
    const most = (access: PreviewAccess): number => {
      const many: Record<string, Answers[string]> = {};
      for (let n = 0; ; n += 1) {
        many[`web-pr-${1_000 + n}`] = { kind: "web", serviceId: `svc_${"0".repeat(26)}` };
        const code = writePreviewFunction({ access, answers: many });
        if (Buffer.byteLength(code) > 10_240) return n;
      }
    };
    const [protectedOnes, openOnes] = [most(PROTECTED), most(OPEN)];
    assert.ok(protectedOnes >= 60, `${protectedOnes} of a protected template`);
    assert.ok(openOnes >= 99, `${openOnes} of an open template`);
  });
});
