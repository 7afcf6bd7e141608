import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import {
  createCertificateAuthority,
  createRoot,
} from "../../../sandbox/src/certificates/certificate-authority.ts";
import { readConfig } from "./config.ts";
import { LETS_ENCRYPT } from "./host.ts";
import { problemsIn } from "./testing.ts";

describe("the configuration of an own server", () => {
  let folder: string;
  let caFile: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), "slipway-config-"));
    caFile = path.join(folder, "ca.pem");
    writeFileSync(caFile, createCertificateAuthority(createRoot(new Date())).certificatePem);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const RSA_KEY = generateKeyPairSync("rsa", { modulusLength: 2_048 })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString();
  const REQUIRED = {
    SLIPWAY_CLOUD: "host",
    SLIPWAY_EDGE_HOSTNAME: "Edge.example.com.",
    SLIPWAY_EDGE_ADDRESSES: "192.0.2.10, 2001:db8::10",
  };

  function read(env: Record<string, string>) {
    return readConfig({ SLIPWAY_DATA_DIR: path.join(folder, "data"), ...REQUIRED, ...env });
  }

  const problemsOf = (env: Record<string, string>) => problemsIn(() => read(env));

  describe("an own server", () => {
    it("needs its host name and its addresses, and has the usual ports and Let's Encrypt", () => {
      assert.deepEqual(read({}).ownServer, {
        hostname: "edge.example.com",
        addresses: ["192.0.2.10", "2001:db8::10"],
        httpPort: 80,
        httpsPort: 443,
        openBao: null,
        dnsPort: 53,
        acme: {
          directory: LETS_ENCRYPT,
          fallbackDirectory: null,
          caPem: null,
          email: null,
          eab: null,
          profile: null,
        },
      });
      const said = problemsOf({ SLIPWAY_EDGE_HOSTNAME: "", SLIPWAY_EDGE_ADDRESSES: "" });
      assert.match(said[0] ?? "", /^SLIPWAY_CLOUD is "host": set SLIPWAY_EDGE_HOSTNAME/);
      assert.match(said[1] ?? "", /^SLIPWAY_CLOUD is "host": set SLIPWAY_EDGE_ADDRESSES/);
      assert.equal(said.length, 2);
    });

    it("has everything of another CA", () => {
      const hmac = path.join(folder, "hmac");
      writeFileSync(hmac, "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W\n");
      const { acme, ...ports } =
        read({
          SLIPWAY_ACME_DIRECTORY: "https://ca.example/directory",
          SLIPWAY_ACME_FALLBACK_DIRECTORY: LETS_ENCRYPT,
          SLIPWAY_ACME_CA_FILE: caFile,
          SLIPWAY_ACME_EMAIL: "ops@example.com",
          SLIPWAY_ACME_EAB_KID: "kid-1",
          SLIPWAY_ACME_EAB_HMAC_FILE: hmac,
          SLIPWAY_ACME_PROFILE: "tlsserver",
          SLIPWAY_EDGE_HTTP_PORT: "8080",
          SLIPWAY_EDGE_HTTPS_PORT: "8443",
          SLIPWAY_EDGE_DNS_PORT: "5353",
        }).ownServer ?? assert.fail();
      assert.deepEqual([ports.httpPort, ports.httpsPort, ports.dnsPort], [8080, 8443, 5353]);
      assert.match(acme.caPem ?? "", /BEGIN CERTIFICATE/);
      assert.equal(acme.eab?.kid, "kid-1");
      assert.equal(acme.eab.hmac.length, 64);
      assert.deepEqual(
        [acme.directory, acme.fallbackDirectory, acme.email, acme.profile],
        ["https://ca.example/directory", LETS_ENCRYPT, "ops@example.com", "tlsserver"],
      );
    });

    it("is ignored with another cloud", () => {
      assert.equal(read({ SLIPWAY_CLOUD: "sandbox", SLIPWAY_EDGE_HOSTNAME: "not a name" }).ownServer, null);
    });

    for (const [env, said] of [
      [
        { SLIPWAY_EDGE_HOSTNAME: "192.0.2.1" },
        /^SLIPWAY_EDGE_HOSTNAME is "192.0.2.1"; it must be a host name/,
      ],
      [{ SLIPWAY_EDGE_HOSTNAME: "*.example.com" }, /^SLIPWAY_EDGE_HOSTNAME is/],
      [{ SLIPWAY_EDGE_ADDRESSES: "edge.example.com" }, /^SLIPWAY_EDGE_ADDRESSES has "edge.example.com"/],
      [{ SLIPWAY_EDGE_HTTP_PORT: "65536" }, /^SLIPWAY_EDGE_HTTP_PORT is "65536"/],
      [{ SLIPWAY_ACME_DIRECTORY: "http://ca.example/" }, /^SLIPWAY_ACME_DIRECTORY must be .* https:\/\//],
      [{ SLIPWAY_ACME_EAB_KID: "kid" }, /^SLIPWAY_ACME_EAB_KID is set without SLIPWAY_ACME_EAB_HMAC/],
      [
        { SLIPWAY_ACME_EAB_HMAC: "a".repeat(20) },
        /^SLIPWAY_ACME_EAB_HMAC is set without SLIPWAY_ACME_EAB_KID/,
      ],
      [{ SLIPWAY_ACME_EAB_KID: "kid", SLIPWAY_ACME_EAB_HMAC: "no, sir" }, /^SLIPWAY_ACME_EAB_HMAC must be/],
      [{ SLIPWAY_ACME_CA_FILE: "/missing.pem" }, /^SLIPWAY_ACME_CA_FILE is "\/missing.pem"/],
      [{ SLIPWAY_ACME_EMAIL: "ops" }, /^SLIPWAY_ACME_EMAIL is "ops"/],
      [{ SLIPWAY_ACME_PROFILE: "a b" }, /^SLIPWAY_ACME_PROFILE is "a b"/],
      [{ SLIPWAY_PUBLIC_URL: "http://slipway.example" }, /^SLIPWAY_PUBLIC_URL begins with http:\/\//],
      [
        {
          SLIPWAY_DOMAIN_CONNECT_PROVIDER_ID: "slipway.example.com",
          SLIPWAY_DOMAIN_CONNECT_KEY: RSA_KEY,
        },
        /^SLIPWAY_DOMAIN_CONNECT_PROVIDER_ID is set and SLIPWAY_CLOUD is "host"/,
      ],
      [{ SLIPWAY_VAULT_ADDRESS: "https://bao.example" }, /^SLIPWAY_VAULT_ADDRESS is set: set either/],
      [
        { SLIPWAY_VAULT_ADDRESS: "http://bao.example", SLIPWAY_VAULT_TOKEN_FILE: "/token" },
        /^SLIPWAY_VAULT_ADDRESS begins with http:\/\//,
      ],
      [
        {
          SLIPWAY_VAULT_ADDRESS: "https://bao.example",
          SLIPWAY_VAULT_ROLE_ID: "role",
          SLIPWAY_VAULT_SECRET_ID: "no, sir",
          SLIPWAY_VAULT_MOUNT: "../sys",
        },
        /^SLIPWAY_VAULT_MOUNT is "\.\.\/sys"/,
      ],
      [{ SLIPWAY_SANDBOX_ISOLATION: "none" }, /^SLIPWAY_SANDBOX_ISOLATION is "none"/],
      [
        { SLIPWAY_ROLE: "api", DATABASE_URL: "postgres://db.example/slipway" },
        /^SLIPWAY_ROLE is "api" with an own server's edge, which all processes share/,
      ],
    ] as const) {
      it(`refuses ${Object.keys(env).join(" and ")} (${said.source})`, () => {
        const problems = problemsOf(env);
        assert.equal(problems.length, 1, problems.join("\n"));
        assert.match(problems[0] ?? "", said);
        assert.ok(!problems.join().includes("no, sir"));
      });
    }

    it("may have a public address in clear text on this machine", () => {
      assert.equal(read({ SLIPWAY_PUBLIC_URL: "http://127.0.0.1:4000" }).publicUrl, "http://127.0.0.1:4000");
    });
  });
});
