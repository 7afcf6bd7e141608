import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { givenIdOf, missingPermissions, reasonAgainstAbandon, describeAccount } from "./account-words.ts";

const LACKING = {
  status: "CONNECTED",
  lastCheckError: {
    code: "PERMISSIONS_MISSING",
    message:
      "The role may not acm:RequestCertificate, s3:PutObject. Update the stack; acm:RequestCertificate is needed.",
  },
} as const;

describe("the words of a cloud account", () => {
  it("call it connected only if nothing is missing", () => {
    assert.deepEqual(describeAccount({ status: "CONNECTED", lastCheckError: null }), {
      words: "Connected",
      tone: "good",
      next: null,
    });
    assert.equal(describeAccount(LACKING).tone, "todo");
    const refused = { code: "REPORT_REFUSED", message: "Another account asked." };
    assert.equal(describeAccount({ status: "CONNECTED", lastCheckError: refused }).tone, "todo");
  });

  it("say what to do before it is connected, and when it is lost", () => {
    assert.match(
      describeAccount({ status: "AWAITING_CONNECTION", lastCheckError: null }).next ?? "",
      /Open it/,
    );
    assert.equal(describeAccount({ status: "DISCONNECTED", lastCheckError: null }).tone, "bad");
  });

  it("let what is in an account be abandoned only if deleting it would not work", () => {
    assert.match(reasonAgainstAbandon({ status: "CONNECTED", lastCheckError: null }) ?? "", /Delete it/);
    assert.equal(reasonAgainstAbandon(LACKING), null);
    assert.equal(reasonAgainstAbandon({ status: "DISCONNECTED", lastCheckError: null }), null);
  });

  it("list each missing permission once", () => {
    assert.deepEqual(missingPermissions(LACKING), ["acm:RequestCertificate", "s3:PutObject"]);
    assert.deepEqual(
      missingPermissions({ lastCheckError: { code: "ROLE_GONE", message: "sts:AssumeRole" } }),
      [],
    );
  });
});

it("makes an id of a name", () => {
  for (const [name, id] of [
    ["Acme production", "acme-production"],
    ["  Größe & Söhne! ", "große-sohne"],
    ["--_", ""],
    ["株式会社", ""],
  ] as const)
    assert.match(givenIdOf(name), /^([a-z0-9][a-z0-9_-]*)?$/, id);
  assert.equal(givenIdOf("Acme production"), "acme-production");
});
