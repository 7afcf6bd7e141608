import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { CLOUD_ERROR_CODES, type CloudErrorCode } from "../../../cloud/cloud.ts";
import { PROPAGATION_ERROR_CODES } from "../../../dns/dns.ts";
import { attachmentError, codeOfCloudError } from "./attachment-error.ts";
import { ATTACHMENT_ERROR_CODES } from "../custom-domain.ts";
import { WARNING_CODES } from "../warnings.ts";

const AT = new Date("2026-01-01T00:00:00Z");

describe("what a client sees of a failure", () => {
  for (const code of ATTACHMENT_ERROR_CODES) {
    it(`of ${code} says in sentences what happened and what to do`, () => {
      const error = attachmentError(code, AT);
      assert.equal(error.occurredAt, "2026-01-01T00:00:00.000Z");
      for (const text of [error.message, error.action]) assert.match(text, /^[A-Z].*[.]$/);
    });
  }

  it("A16: for what is not retryable, always says what to do before a retry", () => {
    const causes = [null, ...CLOUD_ERROR_CODES];
    for (const code of ATTACHMENT_ERROR_CODES) {
      for (const cause of causes) {
        const { retryable, action } = attachmentError(code, AT, cause);
        const isWarned = action.startsWith("Retrying without another change fails again.");
        assert.equal(isWarned, !retryable, `${code}, ${cause}: ${action}`);
        if (!retryable) assert.match(action, /Before you retry/);
      }
    }
  });

  it("is more exact if the provider's refusal is", () => {
    const told = (cause: CloudErrorCode) => attachmentError("Cloud:CDN:Error:NOT_READY", AT, cause).message;
    assert.match(told("TOO_MANY_DISTRIBUTIONS"), /quota/);
    assert.doesNotMatch(told("INVALID_REQUEST"), /quota/);
    assert.match(
      attachmentError("Cloud:CERT:Error:DOMAIN_NOT_ALLOWED", AT, "FIRST_NAME_TOO_LONG").message,
      /64 characters/,
    );
  });

  it("is nothing while it may pass", () => {
    for (const code of CLOUD_ERROR_CODES) {
      assert.equal(codeOfCloudError({ kind: "retryable", code }), null);
      assert.equal(codeOfCloudError({ kind: "gone", code }), null);
      assert.notEqual(codeOfCloudError({ kind: "limit", code }), null);
      assert.notEqual(codeOfCloudError({ kind: "invalid", code }), null);
      assert.equal(codeOfCloudError({ kind: "denied", code }), "Cloud:ACCOUNT:Error:ACCESS_DENIED");
    }
  });

  it("is in docs/reference/custom-domains.md, each code of it", async () => {
    const page = await readFile(
      new URL("../../../../docs/reference/custom-domains.md", import.meta.url),
      "utf8",
    );
    for (const code of [...ATTACHMENT_ERROR_CODES, ...WARNING_CODES, ...PROPAGATION_ERROR_CODES])
      assert.ok(page.includes(`\`${code}\``), `${code} is missing`);
  });
});
