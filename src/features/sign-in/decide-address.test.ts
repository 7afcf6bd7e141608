import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decideAddress } from "./decide-address.ts";

const EMAIL = "boss@corp.example";
const at = (issuer: string, verifiedEmail: string | null) => ({ issuer, verifiedEmail });

describe("decideAddress", () => {
  for (const [what, of, linked, others] of [
    ["an admin's user", [], "link", "refuse"],
    ["a user with an unverified address", [at("b", null)], "take", "take"],
    ["a user whose provider verified another address", [at("b", "mallory@corp.example")], "take", "take"],
    ["a user whose other provider verified it", [at("b", EMAIL)], "link", "refuse"],
    ["a user who had it at this provider", [at("a", EMAIL)], "take", "take"],
    ["a user who is another person at this provider", [at("b", EMAIL), at("a", null)], "refuse", "refuse"],
  ] as const)
    it(`${what}: ${linked} with linking, ${others} without`, () => {
      const decide = (linksByEmail: boolean) =>
        decideAddress(of, { email: EMAIL, issuer: "a", linksByEmail });
      assert.deepEqual([decide(true), decide(false)], [linked, others]);
    });
});
