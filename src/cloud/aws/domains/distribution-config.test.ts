import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newDistributionConfig, withUpdate } from "./distribution-config.ts";

const CUSTOMISED: ReturnType<typeof newDistributionConfig> = {
  ...newDistributionConfig("t0ken", { kind: "host", hostname: "origin.example.com" }),
  WebACLId: "arn:aws:wafv2:us-east-1:123456789012:global/webacl/mine/1",
  PriceClass: "PriceClass_100",
  Comment: "renamed by the customer",
  ViewerCertificate: {
    ACMCertificateArn: "arn:old",
    SSLSupportMethod: "sni-only",
    MinimumProtocolVersion: "TLSv1.3_2025",
  },
};

const UPDATE = {
  aliases: ["B.example.com", "a.example.com"],
  certificateId: "arn:new",
  enabled: true,
  etag: "E1",
};

describe("an update of a distribution's configuration", () => {
  test("changes aliases, certificate and enabled, and keeps the customer's settings", () => {
    const { Aliases, ViewerCertificate, Enabled, ...kept } = withUpdate(CUSTOMISED, {
      ...UPDATE,
      enabled: false,
    });
    assert.deepEqual(Aliases, { Quantity: 2, Items: ["a.example.com", "b.example.com"] });
    assert.equal(Enabled, false);
    assert.deepEqual(ViewerCertificate, {
      CloudFrontDefaultCertificate: false,
      ACMCertificateArn: "arn:new",
      SSLSupportMethod: "sni-only",
      MinimumProtocolVersion: "TLSv1.3_2025",
    });
    const { Aliases: _aliases, ViewerCertificate: _certificate, Enabled: _enabled, ...before } = CUSTOMISED;
    assert.deepEqual(kept, before);
  });

  test("without a certificate uses CloudFront's own, and no empty list of aliases", () => {
    const { Aliases, ViewerCertificate } = withUpdate(CUSTOMISED, {
      ...UPDATE,
      aliases: [],
      certificateId: null,
    });
    assert.deepEqual(Aliases, { Quantity: 0 });
    assert.deepEqual(ViewerCertificate, { CloudFrontDefaultCertificate: true });
  });

  test("with the first certificate sets a current protocol version", () => {
    const fresh = newDistributionConfig("t0ken", { kind: "none" });
    const { ViewerCertificate } = withUpdate(fresh, UPDATE);
    assert.equal(ViewerCertificate?.MinimumProtocolVersion, "TLSv1.2_2021");
  });
});
