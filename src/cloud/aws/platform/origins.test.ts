import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { DistributionConfig } from "@aws-sdk/client-cloudfront";
import { newDistributionConfig } from "../domains/distribution-config.ts";
import { withTarget } from "./origins.ts";

const SERVICE_ID = "svc_1";
const FRESH = newDistributionConfig("t0ken", { kind: "none", serviceId: SERVICE_ID });
const FILES = {
  kind: "files",
  domain: "files.s3.us-west-2.amazonaws.com",
  path: "/commits/a/b",
  access: "EACCESS",
  functionArn: "arn:function",
} as const;
const BALANCER = { kind: "balancer", domain: "internal.elb.amazonaws.com", vpcOriginId: "vo_1" } as const;

describe("a distribution pointed to a release", () => {
  test("gets the origin, and keeps names, certificate and all that the customer set", () => {
    const present = {
      ...FRESH,
      WebACLId: "arn:mine",
      Aliases: { Quantity: 1, Items: ["shop.example.com"] },
      ViewerCertificate: { ACMCertificateArn: "arn:certificate" },
    };
    const { Origins, DefaultCacheBehavior, ...kept } = withTarget(present, SERVICE_ID, BALANCER, null);
    const { Origins: _origins, DefaultCacheBehavior: behavior, ...before } = present;
    assert.deepEqual(kept, before);
    assert.deepEqual(Origins?.Items, [
      {
        Id: "slipway-svc_1",
        DomainName: BALANCER.domain,
        CustomHeaders: {
          Quantity: 1,
          Items: [{ HeaderName: "x-slipway-service", HeaderValue: SERVICE_ID }],
        },
        VpcOriginConfig: { VpcOriginId: "vo_1" },
      },
    ]);
    assert.equal(DefaultCacheBehavior?.CachePolicyId, behavior?.CachePolicyId);
    assert.equal(DefaultCacheBehavior?.TargetOriginId, "slipway-svc_1");
  });

  test("sets folder, access and function for files, and removes them for a program", () => {
    const files = withTarget(FRESH, SERVICE_ID, FILES, FILES.functionArn);
    const [origin] = files.Origins?.Items ?? [];
    assert.equal(origin?.OriginPath, FILES.path);
    assert.equal(origin.OriginAccessControlId, FILES.access);
    assert.equal(
      files.DefaultCacheBehavior?.FunctionAssociations?.Items?.[0]?.FunctionARN,
      FILES.functionArn,
    );
    assert.equal(files.DefaultCacheBehavior.OriginRequestPolicyId, undefined);
    const program = withTarget(files, SERVICE_ID, BALANCER, null);
    assert.equal(program.DefaultCacheBehavior?.FunctionAssociations, undefined);
    assert.match(program.DefaultCacheBehavior?.OriginRequestPolicyId ?? "", /^216adef6-/);
  });

  test("answers missing files with the site's page until it serves a program, and keeps the customer's pages", () => {
    const pagesOf = (config: DistributionConfig) =>
      config.CustomErrorResponses?.Items?.map(({ ErrorCode, ResponseCode, ResponsePagePath }) => [
        ErrorCode,
        ResponseCode,
        ResponsePagePath,
      ]);
    const down = { ErrorCode: 503, ResponseCode: "503", ResponsePagePath: "/down.html" };
    const own = { ErrorCode: 404, ResponseCode: "200", ResponsePagePath: "/index.html" };
    for (const [items, ofFiles, ofProgram] of [
      [[], [[404, "404", "/404.html"]], undefined],
      [
        [down],
        [
          [503, "503", "/down.html"],
          [404, "404", "/404.html"],
        ],
        [[503, "503", "/down.html"]],
      ],
      [[own], [[404, "200", "/index.html"]], [[404, "200", "/index.html"]]],
    ] as const) {
      const CustomErrorResponses = { Quantity: items.length, Items: [...items] };
      const present = items.length === 0 ? FRESH : { ...FRESH, CustomErrorResponses };
      const files = withTarget(present, SERVICE_ID, FILES, FILES.functionArn);
      assert.deepEqual(pagesOf(files), ofFiles);
      assert.deepEqual(pagesOf(withTarget(files, SERVICE_ID, FILES, FILES.functionArn)), ofFiles);
      assert.deepEqual(pagesOf(withTarget(files, SERVICE_ID, BALANCER, null)), ofProgram);
    }
  });

  test("does not change the origins that the customer added", () => {
    const own = { Id: "mine", DomainName: "mine.example.com" };
    const present = { ...FRESH, Origins: { Quantity: 2, Items: [own, ...(FRESH.Origins?.Items ?? [])] } };
    const { Origins } = withTarget(present, SERVICE_ID, BALANCER, null);
    assert.deepEqual(Origins?.Items?.[0], own);
    assert.equal(Origins.Quantity, 2);
  });
});
