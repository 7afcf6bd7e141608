import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runInNewContext } from "node:vm";
import {
  type CreateFunctionCommand,
  type DistributionConfig,
  type GetFunctionCommand,
  type PublishFunctionCommand,
} from "@aws-sdk/client-cloudfront";
import { ACCOUNT } from "../platform/stacks/templates/testing-templates.ts";
import type { Call } from "../calls/calls.ts";
import { newDistributionConfig } from "./distribution-config.ts";
import {
  viewerFunctionFor,
  viewerFunctionOf,
  withViewerFunction,
  withViewerState,
} from "./redirect-functions.ts";
import { nameIn, writeIndexFunction } from "./viewer-functions.ts";

const ID = "E2QWRUHAPOMQZL";
const FUNCTIONS = "arn:aws:cloudfront::123456789012:function/";
const INDEX_ARN = `${FUNCTIONS}slipway-svc-1`;
const redirects = { "www.example.com": "example.com" };

/** CloudFront's functions by name, with that of a static site. */
function createFunctions(isApp: boolean) {
  const codes = new Map([[nameIn(INDEX_ARN), writeIndexFunction(isApp)]]);
  const call = (async (_account: unknown, api: string, command: unknown) => {
    const { input } = command as GetFunctionCommand | CreateFunctionCommand | PublishFunctionCommand;
    const { Name = "" } = input;
    switch (api) {
      case "cloudfront:GetFunction":
        return { FunctionCode: Buffer.from(codes.get(Name) ?? assert.fail(`no function ${Name}`)) };
      case "cloudfront:CreateFunction":
        codes.set(Name, Buffer.from((input as CreateFunctionCommand["input"]).FunctionCode ?? "").toString());
        return { ETag: "1" };
      case "cloudfront:PublishFunction":
        return { FunctionSummary: { FunctionMetadata: { FunctionARN: `${FUNCTIONS}${Name}` } } };
      default:
        return assert.fail(api);
    }
  }) as Call;
  /** The file that a distribution asks for. */
  const fileOf = (config: DistributionConfig, uri: string): string => {
    const code = codes.get(nameIn(viewerFunctionOf(config) ?? "")) ?? "";
    const request = { uri, headers: { host: { value: "example.com" } }, rawQueryString: () => undefined };
    return runInNewContext(`${code}; handler(event)`, { event: { request } }).uri;
  };
  return { codes, call, fileOf };
}

const FRESH = newDistributionConfig("t0ken", { kind: "none", serviceId: "svc_1" });

describe("the function of redirects of a static site", () => {
  for (const [isApp, file] of [
    [true, "/index.html"],
    [false, "/orders.html"],
  ] as const)
    it(`finds ${file} for a page, as the site's own function does`, async () => {
      const { call, fileOf } = createFunctions(isApp);
      const site = withViewerFunction(FRESH, INDEX_ARN);
      const redirecting = await withViewerState(call, ACCOUNT, ID, site, { redirects });
      assert.notEqual(viewerFunctionOf(redirecting), INDEX_ARN);
      for (const config of [site, redirecting]) assert.equal(fileOf(config, "/orders"), file);
      const plain = await withViewerState(call, ACCOUNT, ID, redirecting, { redirects: {} });
      assert.equal(viewerFunctionOf(plain), INDEX_ARN);
    });

  it("follows a release that makes the site a single-page app, or an ordinary one again", async () => {
    const { codes, call, fileOf } = createFunctions(false);
    const site = withViewerFunction(FRESH, INDEX_ARN);
    let config = await withViewerState(call, ACCOUNT, ID, site, { redirects });
    const before = viewerFunctionOf(config);
    for (const [isApp, file] of [
      [true, "/index.html"],
      [false, "/orders.html"],
    ] as const) {
      codes.set(nameIn(INDEX_ARN), writeIndexFunction(isApp));
      config = withViewerFunction(config, await viewerFunctionFor(call, ACCOUNT, ID, config, INDEX_ARN));
      assert.equal(fileOf(config, "/orders"), file);
    }
    assert.equal(viewerFunctionOf(config), before);
  });
});
