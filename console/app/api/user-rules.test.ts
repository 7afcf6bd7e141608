import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { User } from "../../../sdk/src/generated/types.ts";
import {
  expiryIn,
  isExpired,
  reasonAgainstLosing,
  formatBrowser,
  formatRole,
  describeRole,
  formatProjects,
  formatScopes,
  formatSignIn,
} from "./user-rules.ts";

const ADMIN: User = {
  id: "user_1",
  kind: "person",
  email: "ann@example.com",
  name: "Ann",
  role: "admin",
  gitLogin: null,
  lastSeenAt: null,
  signInMethods: [],
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
};

describe("users", () => {
  it("keep one admin", () => {
    const viewer: User = { ...ADMIN, id: "user_2", role: "viewer" };
    assert.match(reasonAgainstLosing(ADMIN, [ADMIN, viewer]) ?? "", /needs an admin/);
    assert.equal(reasonAgainstLosing(ADMIN, [ADMIN, { ...ADMIN, id: "user_3" }]), null);
    assert.equal(reasonAgainstLosing(viewer, [ADMIN, viewer]), null);
  });

  it("have a role in words", () => {
    assert.equal(formatRole("developer"), "Developer");
    assert.match(describeRole("viewer"), /^Sees .*\.$/);
  });
});

describe("what lets a user in", () => {
  const issuer = "https://sso.acme.example";
  it("is shown by the names that people know", () => {
    const signInMethods = [
      { kind: "identity-provider", issuer, label: "Acme SSO" },
      { kind: "api-key", issuer: null, label: null },
      { kind: "workload", issuer: "https://token.actions.githubusercontent.com", label: null },
    ] as const;
    assert.equal(formatSignIn({ signInMethods }), "Acme SSO, API key, Jobs of GitHub Actions");
  });

  it("is the issuer of a provider that is configured no more, and may be nothing yet", () => {
    const signInMethods = [{ kind: "identity-provider", issuer, label: null }] as const;
    assert.equal(formatSignIn({ signInMethods }), issuer);
    assert.equal(formatSignIn(ADMIN), null);
  });
});

describe("the way in which a user signed in", () => {
  it("is a key with what it may do", () => {
    assert.equal(formatScopes({ scopes: null }), "All that its user may do");
    assert.equal(formatScopes({ scopes: ["read", "deploy"] }), "reads, deploys");
  });

  it("is limited to projects, or is not", () => {
    assert.equal(formatProjects(null, new Map()), "All");
    assert.equal(
      formatProjects(["proj_1", "proj_2"], new Map([["proj_1", "Shop"]])),
      "Shop, a deleted project",
    );
  });

  it("is a key that ends, or does not", () => {
    const now = Date.UTC(2026, 0, 1);
    const month = expiryIn("30", now) ?? "";
    assert.equal(month, "2026-01-31T00:00:00.000Z");
    assert.equal(expiryIn("", now), undefined);
    assert.equal(isExpired({ expiresAt: null }, now), false);
    assert.equal(isExpired({ expiresAt: month }, now), false);
    assert.equal(isExpired({ expiresAt: month }, Date.parse(month)), true);
  });

  it("is a browser that its person knows", () => {
    const chrome =
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";
    assert.equal(formatBrowser(chrome), "Chrome on Linux");
    assert.equal(
      formatBrowser("Mozilla/5.0 (iPhone; CPU iPhone OS 19) Version/19 Safari/604.1"),
      "Safari on iOS",
    );
    assert.equal(formatBrowser("curl/8.0"), "curl");
    assert.equal(formatBrowser(null), "Unknown browser");
  });
});
