import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { describe, test } from "node:test";
import { createCertificateAuthority, createRoot } from "../certificates/certificate-authority.ts";
import { isUrgent, readWindow, renewalIdOf, renewAt } from "./renewal.ts";

const DAY = 86_400_000;
const validity = { issuedAt: 0, expiresAt: 90 * DAY };

describe("a renewal", () => {
  test("comes after two thirds of the validity, or at its own place in the CA's window", () => {
    assert.equal(renewAt(validity, null, 0.7), 60 * DAY);
    const suggestion = { window: { start: 50 * DAY, end: 54 * DAY }, explanationUrl: null };
    assert.deepEqual(
      [0, 0.25, 1].map((share) => renewAt(validity, suggestion, share)),
      [50 * DAY, 51 * DAY, 54 * DAY],
    );
  });

  test("may change the CA when less than a third of the validity remains", () => {
    assert.equal(isUrgent(validity, 60 * DAY), false);
    assert.equal(isUrgent(validity, 60 * DAY + 1), true);
    assert.equal(isUrgent(validity, 91 * DAY), true);
  });

  test("takes no window that is not one", () => {
    const read = (start: unknown, end: unknown) => readWindow({ suggestedWindow: { start, end } });
    assert.deepEqual(read("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")?.window, {
      start: Date.UTC(2026, 0, 1),
      end: Date.UTC(2026, 0, 2),
    });
    assert.equal(read("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"), null);
    for (const value of [null, "text", {}, { suggestedWindow: null }, { suggestedWindow: { start: "x" } }])
      assert.equal(readWindow(value), null);
  });
});

describe("the identifier of a certificate", () => {
  test("is that of the example of RFC 9773, appendix A", () => {
    const pem = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----`;
    assert.equal(renewalIdOf(pem), "aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE");
  });

  test("has the serial number as a positive integer, whatever its first bit", () => {
    const ca = createCertificateAuthority(createRoot(new Date()));
    for (let tries = 0; tries < 20; tries += 1) {
      const { certificatePem } = ca.issue(["a.example"], new Date(), new Date(Date.now() + DAY));
      const [, serial = ""] = (renewalIdOf(certificatePem) ?? "").split(".");
      const bytes = Buffer.from(serial, "base64url");
      assert.ok((bytes[0] ?? 0xff) < 0x80);
      assert.equal(
        BigInt(`0x${bytes.toString("hex")}`),
        BigInt(`0x${new X509Certificate(certificatePem).serialNumber}`),
      );
    }
  });
});
