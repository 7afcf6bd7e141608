import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { newApiKey } from "../../lib/api-key.ts";
import { type Config, readConfig } from "./config.ts";
import { problemsIn } from "./testing.ts";

describe("the configuration", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), "slipway-config-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function read(env: Record<string, string>): Config {
    return readConfig({ SLIPWAY_DATA_DIR: path.join(folder, "data"), ...env });
  }

  const problemsOf = (env: Record<string, string>) => problemsIn(() => read(env));

  const POSTGRES = { DATABASE_URL: "postgres://app:hidden-word@db.example/slipway" };
  /** Made anew for each run. */
  const RSA_KEY = generateKeyPairSync("rsa", { modulusLength: 2_048 })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString();
  const SHARED_SANDBOX = {
    SLIPWAY_SANDBOX_URL: "http://127.0.0.1:4100/",
    SLIPWAY_SANDBOX_SECRET: "0123456789abcdef",
  };

  it("gives share pages the console's accent, unless the operator has a colour", () => {
    const { color } = read({}).share;
    const css = readFileSync("console/app/ui/tokens.css", "utf8");
    assert.equal(/--accent: light-dark\((#[0-9a-f]{6}),/.exec(css)?.[1], color);
    assert.equal(read({ SLIPWAY_SHARE_COLOR: "#7A1FA2" }).share.color, "#7a1fa2");
  });

  describe("a secret in a file", () => {
    it("is read as it stands there, without the newline at its end", () => {
      const file = path.join(folder, "database-url");
      writeFileSync(file, `${POSTGRES.DATABASE_URL}\n`);
      assert.equal(read({ DATABASE_URL_FILE: file }).databaseUrl, POSTGRES.DATABASE_URL);
      writeFileSync(file, "a-key-of-24-characters-or-more\r\n");
      assert.equal(read({ SLIPWAY_API_KEY_FILE: file }).apiKey, "a-key-of-24-characters-or-more");
      writeFileSync(file, "0123456789abcdef");
      assert.equal(read({ SLIPWAY_SANDBOX_SECRET_FILE: file }).sandbox.secret, "0123456789abcdef");
    });

    it("counts as unset if the variable is empty", () => {
      assert.equal(read({ DATABASE_URL_FILE: "" }).databaseUrl, null);
    });
  });

  describe("tracing", () => {
    const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.example:4318/" };

    it("is off without a collector, and if it is turned off", () => {
      assert.equal(read({}).tracing, null);
      assert.equal(read({ ...COLLECTOR, OTEL_SDK_DISABLED: "true" }).tracing, null);
    });

    it("keeps one in a hundred traces by default", () => {
      const url = "http://collector.example:4318/v1/traces";
      assert.deepEqual(read(COLLECTOR).tracing, { url, ratio: 0.01, serviceName: "slipway" });
      const chosen = { ...COLLECTOR, OTEL_TRACES_SAMPLER_ARG: "0.5", OTEL_SERVICE_NAME: "harbor" };
      assert.deepEqual(read(chosen).tracing, { url, ratio: 0.5, serviceName: "harbor" });
    });

    for (const ratio of ["1.5", "-1", "many", "."]) {
      it(`refuses ${ratio} as a ratio`, () => {
        const said = problemsOf({ ...COLLECTOR, OTEL_TRACES_SAMPLER_ARG: ratio });
        assert.match(said.join(), /^OTEL_TRACES_SAMPLER_ARG is/);
      });
    }
  });

  describe("identity providers", () => {
    const CORP = {
      SLIPWAY_OIDC_CORP_ISSUER: "https://sso.example/realms/acme/",
      SLIPWAY_OIDC_CORP_CLIENT_ID: "slipway",
      SLIPWAY_OIDC_CORP_ROLES: "platform=admin, cn=dev=developer@org_b,*=viewer",
    };

    it("are read by their names, with secrets from files", () => {
      const file = path.join(folder, "client-secret");
      writeFileSync(file, "of the client\n");
      const HOME = { SLIPWAY_OIDC_A1_ISSUER: "http://127.0.0.1:9000", SLIPWAY_OIDC_A1_CLIENT_ID: "x" };
      const more = {
        SLIPWAY_OIDC_A1_ROLES: "*=viewer",
        SLIPWAY_OIDC_A1_LINK_BY_EMAIL: "on",
        SLIPWAY_OIDC_A1_ORGANIZATION: "org_c",
      };
      const { oidc } = read({ ...CORP, SLIPWAY_OIDC_CORP_CLIENT_SECRET_FILE: file, ...HOME, ...more });
      assert.deepEqual(
        oidc.map(({ name, linksByEmail, organizationId }) => [name, linksByEmail, organizationId]),
        [
          ["a1", true, "org_c"],
          ["corp", false, null],
        ],
      );
      const { rules, ...corp } = oidc[1] ?? assert.fail();
      assert.deepEqual(rules, [
        { group: "platform", role: "admin", organizationId: null },
        { group: "cn=dev", role: "developer", organizationId: "org_b" },
        { group: "*", role: "viewer", organizationId: null },
      ]);
      assert.deepEqual(
        [corp.issuer, corp.clientSecret, corp.scopes, corp.groupsClaim, corp.label],
        ["https://sso.example/realms/acme/", "of the client", "openid profile email", "groups", "corp"],
      );
    });

    it("have rules for groups with commas and quotes", () => {
      const roles = '"Ops, Berlin"=admin, "say ""hi"", you"=viewer@org_b ,a"b=developer';
      const { oidc } = read({ ...CORP, SLIPWAY_OIDC_CORP_ROLES: roles });
      assert.deepEqual(
        oidc[0]?.rules.map(({ group, role, organizationId }) => [group, role, organizationId]),
        [
          ["Ops, Berlin", "admin", null],
          ['say "hi", you', "viewer", "org_b"],
          ['a"b', "developer", null],
        ],
      );
    });

    const wrong: readonly (readonly [Record<string, string>, RegExp])[] = [
      [
        { SLIPWAY_OIDC_CORP_ISSUER: "" },
        /^SLIPWAY_OIDC_CORP_ISSUER and SLIPWAY_OIDC_CORP_CLIENT_ID must both be set/,
      ],
      [{ SLIPWAY_OIDC_CORP_ISSUER: "http://sso.example" }, /^SLIPWAY_OIDC_CORP_ISSUER must begin with https/],
      [{ SLIPWAY_OIDC_CORP_ROLES: "" }, /^SLIPWAY_OIDC_CORP_ROLES must say which groups/],
      [{ SLIPWAY_OIDC_CORP_ROLES: "platform=owner" }, /^SLIPWAY_OIDC_CORP_ROLES has "platform=owner"/],
      [{ SLIPWAY_OIDC_CORP_ORGANIZATION: "acme" }, /^SLIPWAY_OIDC_CORP_ORGANIZATION must be the id/],
      [{ SLIPWAY_OIDC_CORP_LINK_BY_EMAIL: "yes" }, /^SLIPWAY_OIDC_CORP_LINK_BY_EMAIL is "yes"/],
      [{ SLIPWAY_OIDC_CORP_CLIENT: "x" }, /^SLIPWAY_OIDC_CORP_CLIENT is not known/],
    ];
    for (const [part, said] of wrong) {
      it(`are refused with ${JSON.stringify(part)}`, () => {
        const problems = problemsOf({ ...CORP, ...part });
        assert.equal(problems.length, 1, problems.join());
        assert.match(problems.join(), said);
      });
    }
  });

  describe("P7: the key of AWS KMS", () => {
    for (const keyId of [
      "arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab",
      "arn:aws-us-gov:kms:us-gov-west-1:123456789012:alias/slipway/keys",
      "1234abcd-12ab-34cd-56ef-1234567890ab",
      "mrk-1234abcd12ab34cd56ef1234567890ab",
      "alias/slipway",
    ]) {
      it(`P7: may be ${keyId}`, () => assert.equal(read({ SLIPWAY_KMS_KEY_ID: keyId }).kmsKeyId, keyId));
    }
    for (const keyId of ["slipway", "arn:aws:s3:::bucket", "alias/", "alias/a\nb"]) {
      it(`P7: is not ${JSON.stringify(keyId)}`, () =>
        assert.deepEqual(problemsOf({ SLIPWAY_KMS_KEY_ID: keyId }), [
          "SLIPWAY_KMS_KEY_ID must be the ARN or the id of a key of AWS KMS, or an alias that begins with alias/.",
        ]));
    }
  });

  describe("Domain Connect", () => {
    const OURS = {
      SLIPWAY_DOMAIN_CONNECT_PROVIDER_ID: "slipway.example.com",
      SLIPWAY_DOMAIN_CONNECT_KEY: RSA_KEY,
    };
    const CASES = [
      [{ ...OURS, SLIPWAY_DOMAIN_CONNECT_PROVIDER_ID: "" }, /PROVIDER_ID must be a domain/],
      [{ ...OURS, SLIPWAY_DOMAIN_CONNECT_PROVIDER_ID: "https://x.example" }, /PROVIDER_ID must be a domain/],
      [{ ...OURS, SLIPWAY_DOMAIN_CONNECT_KEY: "" }, /set without SLIPWAY_DOMAIN_CONNECT_KEY/],
      [{ ...OURS, SLIPWAY_DOMAIN_CONNECT_KEY: "hidden-word" }, /KEY is not a private key in PEM/],
      [{ ...OURS, SLIPWAY_DOMAIN_CONNECT_KEY_HOST: "a.b" }, /KEY_HOST must be one label/],
    ] as const;
    for (const [env, problem] of CASES) {
      it(`is refused: ${problem.source}`, () => {
        const problems = problemsOf(env).join(" ");
        assert.match(problems, problem);
        assert.doesNotMatch(problems, /hidden-word|PRIVATE KEY/);
      });
    }

    it("reads its key from a file", () => {
      const file = path.join(folder, "domain-connect.pem");
      writeFileSync(file, RSA_KEY);
      const { SLIPWAY_DOMAIN_CONNECT_KEY: _key, ...others } = OURS;
      const { domainConnect } = read({ ...others, SLIPWAY_DOMAIN_CONNECT_KEY_FILE: file });
      assert.equal(domainConnect?.providerId, OURS.SLIPWAY_DOMAIN_CONNECT_PROVIDER_ID);
    });
  });

  describe("without any variable", () => {
    it("the service runs in one process on loopback, with the sandbox and the embedded database", () => {
      const config = read({});
      assert.deepEqual(
        { ...config, dataDir: "", sealingKeysDir: "", sandbox: { ...config.sandbox, commandPath: null } },
        {
          host: "127.0.0.1",
          port: 4000,
          publicUrl: null,
          tls: null,
          databaseUrl: null,
          databaseDirectUrl: null,
          databasePoolSize: 10,
          maxWaiting: 100,
          auditKeptDays: 400,
          dataDir: "",
          role: "all",
          cloud: "sandbox",
          aws: null,
          ownServer: null,
          apiKey: null,
          dnsServers: null,
          sealingKeysDir: "",
          kmsKeyId: null,
          validationWindowMs: 72 * 3_600_000,
          buildLimitMs: 30 * 60_000,
          domainConnect: null,
          oidc: [],
          session: { idleMs: 12 * 3_600_000, maxMs: 168 * 3_600_000 },
          releaseLimitMs: 60 * 60_000,
          rateLimitPerMinute: 12_000,
          held: { perKey: 500, perOrganization: 2_000 },
          gitAllowedHosts: [],
          webhookAllowedHosts: [],
          smtp: null,
          trustedProxies: [],
          edgeSecret: null,
          serving: { hstsSeconds: null, drainMs: 30_000, trustedProxies: [], logsAccess: false },
          sandbox: {
            dnsPort: 8053,
            edgePort: 8443,
            url: null,
            secret: null,
            instant: false,
            commandPath: null,
            isolation: "auto",
            allowedOrigins: [],
            readable: [],
          },
          share: { name: "Slipway", color: "#0b6479", logoUrl: null, frameAncestors: [] },
          tracing: null,
          logFormat: "auto",
          logLevel: "info",
        },
      );
      assert.equal(config.dataDir, path.join(folder, "data"));
      assert.equal(config.sealingKeysDir, path.join(folder, "data", "keys"));
    });

    it("an empty variable counts as unset", () => {
      assert.equal(read({ PORT: "", DATABASE_URL: " ", SLIPWAY_LOG: "" }).port, 4000);
    });
  });

  describe("a variable is taken", () => {
    const rows: readonly [string, Record<string, string>, (config: Config) => unknown, unknown][] = [
      [
        "SLIPWAY_SMTP_URL",
        {
          SLIPWAY_SMTP_URL: "smtps://u:p%40@smtp.acme.example",
          SLIPWAY_SMTP_FROM: "Slipway <s@acme.example>",
        },
        ({ smtp }) => smtp,
        { url: "smtps://u:p%40@smtp.acme.example", from: "Slipway <s@acme.example>" },
      ],
      ["HOST", { HOST: "0.0.0.0" }, ({ host }) => host, "0.0.0.0"],
      ["PORT", { PORT: "65535" }, ({ port }) => port, 65_535],
      ["PORT 0, any free one", { PORT: "0" }, ({ port }) => port, 0],
      [
        "SLIPWAY_PUBLIC_URL without its slash",
        { SLIPWAY_PUBLIC_URL: "https://slipway.example/" },
        ({ publicUrl }) => publicUrl,
        "https://slipway.example",
      ],
      [
        "SLIPWAY_TLS_CERT and SLIPWAY_TLS_KEY",
        { SLIPWAY_TLS_CERT: "/tls/cert.pem", SLIPWAY_TLS_KEY: "/tls/key.pem" },
        ({ tls }) => tls,
        { certFile: "/tls/cert.pem", keyFile: "/tls/key.pem" },
      ],
      [
        "http:// with AWS, reachable only from this machine",
        {
          SLIPWAY_CLOUD: "aws",
          SLIPWAY_AWS_ACCOUNT_ID: "012345678901",
          SLIPWAY_PUBLIC_URL: "http://127.0.0.1:4000",
        },
        ({ publicUrl }) => publicUrl,
        "http://127.0.0.1:4000",
      ],
      ["DATABASE_URL", POSTGRES, ({ databaseUrl }) => databaseUrl, POSTGRES.DATABASE_URL],
      [
        "DATABASE_URL",
        { DATABASE_URL: "postgres://app@a:5432,b:5433/slipway?target_session_attrs=primary" },
        ({ databaseUrl }) => databaseUrl,
        "postgres://app@a:5432,b:5433/slipway?target_session_attrs=primary",
      ],
      [
        "SLIPWAY_DATABASE_DIRECT_URL",
        { ...POSTGRES, SLIPWAY_DATABASE_DIRECT_URL: "postgres://app@direct/slipway" },
        ({ databaseDirectUrl }) => databaseDirectUrl,
        "postgres://app@direct/slipway",
      ],
      ["SLIPWAY_DATABASE_POOL", { SLIPWAY_DATABASE_POOL: "2" }, (config) => config.databasePoolSize, 2],
      ["SLIPWAY_MAX_WAITING", { SLIPWAY_MAX_WAITING: "50" }, (config) => config.maxWaiting, 50],
      ["SLIPWAY_AUDIT_DAYS", { SLIPWAY_AUDIT_DAYS: "90" }, (config) => config.auditKeptDays, 90],
      ["SLIPWAY_AUDIT_DAYS of 0", { SLIPWAY_AUDIT_DAYS: "0" }, (config) => config.auditKeptDays, null],
      ["SLIPWAY_SEALING_KEYS", { SLIPWAY_SEALING_KEYS: "/keys" }, (config) => config.sealingKeysDir, "/keys"],
      ["SLIPWAY_ROLE", { SLIPWAY_ROLE: "api", ...POSTGRES, ...SHARED_SANDBOX }, ({ role }) => role, "api"],
      [
        "SLIPWAY_API_KEY of 24 characters",
        { SLIPWAY_API_KEY: "k".repeat(24) },
        ({ apiKey }) => apiKey,
        "k".repeat(24),
      ],
      [
        "SLIPWAY_DNS_SERVERS",
        { SLIPWAY_DNS_SERVERS: "192.0.2.1, 192.0.2.2:5353,[2001:db8::1]:53,[2001:db8::2]" },
        ({ dnsServers }) => dnsServers,
        [
          { host: "192.0.2.1", port: 53 },
          { host: "192.0.2.2", port: 5353 },
          { host: "2001:db8::1", port: 53 },
          { host: "2001:db8::2", port: 53 },
        ],
      ],
      ["hours", { SLIPWAY_VALIDATION_WINDOW: "1h" }, (config) => config.validationWindowMs, 3_600_000],
      ["minutes", { SLIPWAY_VALIDATION_WINDOW: "5m" }, (config) => config.validationWindowMs, 300_000],
      ["seconds", { SLIPWAY_VALIDATION_WINDOW: "7s" }, (config) => config.validationWindowMs, 7_000],
      ["a build's limit", { SLIPWAY_BUILD_LIMIT: "2h" }, (config) => config.buildLimitMs, 7_200_000],
      ["a release's limit", { SLIPWAY_RELEASE_LIMIT: "90m" }, (config) => config.releaseLimitMs, 5_400_000],
      [
        "SLIPWAY_RATE_LIMIT_PER_MINUTE",
        { SLIPWAY_RATE_LIMIT_PER_MINUTE: "600" },
        (config) => config.rateLimitPerMinute,
        600,
      ],
      [
        "SLIPWAY_RATE_LIMIT_PER_MINUTE of 0",
        { SLIPWAY_RATE_LIMIT_PER_MINUTE: "0" },
        (config) => config.rateLimitPerMinute,
        null,
      ],
      [
        "SLIPWAY_HELD_PER_KEY and SLIPWAY_HELD_PER_ORGANIZATION",
        { SLIPWAY_HELD_PER_KEY: "20", SLIPWAY_HELD_PER_ORGANIZATION: "40" },
        (config) => config.held,
        { perKey: 20, perOrganization: 40 },
      ],
      [
        "SLIPWAY_GIT_ALLOWED_HOSTS",
        { SLIPWAY_GIT_ALLOWED_HOSTS: "gitlab.corp.example, 10.0.0.0/8," },
        (config) => config.gitAllowedHosts,
        ["gitlab.corp.example", "10.0.0.0/8"],
      ],
      [
        "SLIPWAY_DOMAIN_CONNECT_PROVIDER_ID, _KEY and _ALLOWED_HOSTS",
        {
          SLIPWAY_DOMAIN_CONNECT_PROVIDER_ID: "slipway.example.com",
          SLIPWAY_DOMAIN_CONNECT_KEY: RSA_KEY,
          SLIPWAY_DOMAIN_CONNECT_ALLOWED_HOSTS: "dns.corp.example",
        },
        ({ domainConnect }) => ({ ...domainConnect, key: domainConnect?.key.asymmetricKeyType }),
        {
          providerId: "slipway.example.com",
          key: "rsa",
          keyHost: "_dck1",
          allowedHosts: ["dns.corp.example"],
        },
      ],
      [
        "SLIPWAY_TRUSTED_PROXIES",
        { SLIPWAY_TRUSTED_PROXIES: "192.0.2.1, 10.0.0.0/8,2001:db8::/48" },
        (config) => config.trustedProxies,
        ["192.0.2.1", "10.0.0.0/8", "2001:db8::/48"],
      ],
      ["SLIPWAY_SANDBOX_DNS_PORT", { SLIPWAY_SANDBOX_DNS_PORT: "0" }, ({ sandbox }) => sandbox.dnsPort, 0],
      [
        "SLIPWAY_SANDBOX_EDGE_PORT",
        { SLIPWAY_SANDBOX_EDGE_PORT: "443" },
        ({ sandbox }) => sandbox.edgePort,
        443,
      ],
      [
        "SLIPWAY_SANDBOX_URL with its secret",
        SHARED_SANDBOX,
        ({ sandbox: { url, secret } }) => ({ url, secret }),
        { url: "http://127.0.0.1:4100", secret: "0123456789abcdef" },
      ],
      ["SLIPWAY_SANDBOX_PACE", { SLIPWAY_SANDBOX_PACE: "instant" }, ({ sandbox }) => sandbox.instant, true],
      ["SLIPWAY_LOG", { SLIPWAY_LOG: "silent" }, ({ logLevel }) => logLevel, "silent"],
      [
        "SLIPWAY_CLOUD with its account",
        { SLIPWAY_CLOUD: "aws", SLIPWAY_AWS_ACCOUNT_ID: "012345678901" },
        ({ cloud, aws }) => ({ cloud, aws }),
        { cloud: "aws", aws: { accountId: "012345678901", templateUrl: null } },
      ],
    ];
    for (const [what, env, pick, expected] of rows) {
      it(what, () => assert.deepEqual(pick(read(env)), expected));
    }
  });

  describe("a variable is refused", () => {
    const rows: readonly [string, Record<string, string>, RegExp][] = [
      [
        "a port that is not a number",
        { PORT: "http" },
        /^PORT is "http"; it must be a whole number from 0 to 65535/,
      ],
      ["a port beyond the last", { PORT: "65536" }, /^PORT is "65536"/],
      ["a negative port", { PORT: "-1" }, /^PORT is "-1"/],
      ["a port in another notation", { PORT: "0x50" }, /^PORT/],
      [
        "a public URL without a scheme",
        { SLIPWAY_PUBLIC_URL: "slipway.example" },
        /^SLIPWAY_PUBLIC_URL must be/,
      ],
      [
        "another scheme",
        { SLIPWAY_PUBLIC_URL: "ftp://slipway.example" },
        /begins with http:\/\/ or https:\/\//,
      ],
      [
        "clear text with AWS",
        {
          SLIPWAY_CLOUD: "aws",
          SLIPWAY_AWS_ACCOUNT_ID: "012345678901",
          SLIPWAY_PUBLIC_URL: "http://slipway.example",
        },
        /^SLIPWAY_PUBLIC_URL begins with http:\/\/ and SLIPWAY_CLOUD is "aws"/,
      ],
      [
        "a certificate without its key",
        { SLIPWAY_TLS_CERT: "/tls/cert.pem" },
        /^SLIPWAY_TLS_CERT is set without SLIPWAY_TLS_KEY/,
      ],
      [
        "a key without its certificate",
        { SLIPWAY_TLS_KEY: "/tls/key.pem" },
        /^SLIPWAY_TLS_KEY is set without SLIPWAY_TLS_CERT/,
      ],
      [
        "a # in the password of a database",
        { DATABASE_URL: "postgres://app:hidden#word@db/x" },
        /^DATABASE_URL has a # in its user name or password.* Encode # as %23/,
      ],
      [
        "a database that is not PostgreSQL",
        { DATABASE_URL: "mysql://db/x" },
        /^DATABASE_URL must be .* postgres:\/\//,
      ],
      ["a pool of one", { SLIPWAY_DATABASE_POOL: "1" }, /^SLIPWAY_DATABASE_POOL is "1"/],
      [
        "an unknown role",
        { SLIPWAY_ROLE: "both" },
        /^SLIPWAY_ROLE is "both"; it must be one of all, api, worker/,
      ],
      ["an unknown cloud", { SLIPWAY_CLOUD: "azure" }, /^SLIPWAY_CLOUD is "azure"/],
      ["AWS without an account", { SLIPWAY_CLOUD: "aws" }, /SLIPWAY_AWS_ACCOUNT_ID/],
      [
        "a key that is too short",
        { SLIPWAY_API_KEY: "k".repeat(23) },
        /^SLIPWAY_API_KEY must have at least 24/,
      ],
      [
        "a mistyped key",
        { SLIPWAY_API_KEY: newApiKey().replace(/.$/, (last) => (last === "A" ? "B" : "A")) },
        /^SLIPWAY_API_KEY has the prefix of a key from Slipway, but its checksum is wrong/,
      ],
      [
        "a key with a space",
        { SLIPWAY_API_KEY: `${"k".repeat(24)} x` },
        /^SLIPWAY_API_KEY must be printable/,
      ],
      [
        "a name as DNS server",
        { SLIPWAY_DNS_SERVERS: "dns.example:53" },
        /^SLIPWAY_DNS_SERVERS has "dns\.example:53"/,
      ],
      [
        "an address that is none",
        { SLIPWAY_DNS_SERVERS: "999.1.1.1" },
        /^SLIPWAY_DNS_SERVERS has "999\.1\.1\.1"/,
      ],
      ["a DNS port beyond the last", { SLIPWAY_DNS_SERVERS: "192.0.2.1:70000" }, /^SLIPWAY_DNS_SERVERS/],
      ["a window without a unit", { SLIPWAY_VALIDATION_WINDOW: "72" }, /^SLIPWAY_VALIDATION_WINDOW is "72"/],
      ["a window of nothing", { SLIPWAY_VALIDATION_WINDOW: "0h" }, /^SLIPWAY_VALIDATION_WINDOW is "0h"/],
      [
        "a limit beyond a day",
        { SLIPWAY_RELEASE_LIMIT: "25h" },
        /^SLIPWAY_RELEASE_LIMIT is "25h".*24h at most/,
      ],
      ["a negative rate", { SLIPWAY_RATE_LIMIT_PER_MINUTE: "-5" }, /^SLIPWAY_RATE_LIMIT_PER_MINUTE/],
      ...["proxy.example", "10.0.0.0/33", "0.0.0.0/0", "::/0", "10.0.0.0/255.0.0.0", "true"].map(
        (proxies): [string, Record<string, string>, RegExp] => [
          `${proxies} as a trusted proxy`,
          { SLIPWAY_TRUSTED_PROXIES: proxies },
          /^SLIPWAY_TRUSTED_PROXIES has "/,
        ],
      ),
      ["a hold of fewer than one stream", { SLIPWAY_HELD_PER_KEY: "9" }, /^SLIPWAY_HELD_PER_KEY is "9"/],
      ["a DNS port of words", { SLIPWAY_SANDBOX_DNS_PORT: "dns" }, /^SLIPWAY_SANDBOX_DNS_PORT/],
      ["an edge port of words", { SLIPWAY_SANDBOX_EDGE_PORT: "tls" }, /^SLIPWAY_SANDBOX_EDGE_PORT/],
      [
        "a sandbox without a scheme",
        { ...SHARED_SANDBOX, SLIPWAY_SANDBOX_URL: "localhost:4100" },
        /^SLIPWAY_SANDBOX_URL must be/,
      ],
      [
        "a sandbox elsewhere without a secret",
        { SLIPWAY_SANDBOX_URL: SHARED_SANDBOX.SLIPWAY_SANDBOX_URL },
        /^SLIPWAY_SANDBOX_URL is set without SLIPWAY_SANDBOX_SECRET/,
      ],
      [
        "a secret that is too short",
        { SLIPWAY_SANDBOX_SECRET: "short" },
        /^SLIPWAY_SANDBOX_SECRET must have at least 16/,
      ],
      [
        "a mail server without a sender",
        { SLIPWAY_SMTP_URL: "smtp://smtp.acme.example" },
        /needs SLIPWAY_SMTP_FROM/,
      ],
      [
        "a sender without a mail server",
        { SLIPWAY_SMTP_FROM: "slipway@acme.example" },
        /^SLIPWAY_SMTP_FROM needs SLIPWAY_SMTP_URL/,
      ],
      [
        "a sender in two lines",
        { SLIPWAY_SMTP_URL: "smtp://smtp.acme.example", SLIPWAY_SMTP_FROM: "a\nb <s@acme.example>" },
        /needs SLIPWAY_SMTP_FROM/,
      ],
      [
        "a mail server by HTTP",
        { SLIPWAY_SMTP_URL: "https://smtp.acme.example" },
        /^SLIPWAY_SMTP_URL must be an address/,
      ],
      ["a colour by its name", { SLIPWAY_SHARE_COLOR: "teal" }, /^SLIPWAY_SHARE_COLOR must be/],
      [
        "a colour on which white text is hard to read",
        { SLIPWAY_SHARE_COLOR: "#777777" },
        /^SLIPWAY_SHARE_COLOR is #777777.* its contrast is 4[.]5, and must be 4[.]5/,
      ],
      [
        "a name of a page",
        { SLIPWAY_SHARE_NAME: "n".repeat(61) },
        /^SLIPWAY_SHARE_NAME must have at most 60/,
      ],
      [
        "a logo in clear text",
        { SLIPWAY_SHARE_LOGO_URL: "http://acme.example/l.svg" },
        /^SLIPWAY_SHARE_LOGO_URL/,
      ],
      ...["http://acme.example", "https://acme.example/path", "https://*.acme.example", "acme.example"].map(
        (origin): [string, Record<string, string>, RegExp] => [
          `${origin} as who may frame a page`,
          { SLIPWAY_SHARE_FRAME_ANCESTORS: `https://ok.example,${origin}` },
          /^SLIPWAY_SHARE_FRAME_ANCESTORS has "/,
        ],
      ),
      ["an unknown pace", { SLIPWAY_SANDBOX_PACE: "fast" }, /^SLIPWAY_SANDBOX_PACE is "fast"/],
      ["an unknown log level", { SLIPWAY_LOG: "loud" }, /^SLIPWAY_LOG is "loud"/],
      [
        "a worker on the embedded database",
        { SLIPWAY_ROLE: "worker", ...SHARED_SANDBOX },
        /the embedded database serves one process only/,
      ],
      ["an API that shares no sandbox", { SLIPWAY_ROLE: "api", ...POSTGRES }, /set SLIPWAY_SANDBOX_URL/],
    ];
    for (const [what, env, sentence] of rows) {
      it(`for ${what}`, () => {
        const problems = problemsOf(env);
        assert.equal(problems.length, 1, problems.join("\n"));
        assert.match(problems[0] ?? "", sentence);
      });
    }

    it("for a data folder that is a file", () => {
      const file = path.join(folder, "file");
      writeFileSync(file, "");
      assert.match(problemsOf({ SLIPWAY_DATA_DIR: file }).join(), /^SLIPWAY_DATA_DIR/);
      assert.match(problemsOf({ SLIPWAY_DATA_DIR: path.join(file, "data") }).join(), /^SLIPWAY_DATA_DIR/);
    });

    const asRoot = { skip: process.getuid?.() === 0 && "root may write everywhere" };
    it("for a data folder without write permission", asRoot, () => {
      const closed = mkdtempSync(path.join(folder, "closed-"));
      chmodSync(closed, 0o500);
      assert.match(problemsOf({ SLIPWAY_DATA_DIR: closed }).join(), /^SLIPWAY_DATA_DIR/);
    });

    it("for a secret both in a variable and in a file", () => {
      const env = { ...POSTGRES, DATABASE_URL_FILE: path.join(folder, "no-such-file") };
      assert.match(problemsOf(env).join(), /^DATABASE_URL and DATABASE_URL_FILE are both set/);
    });

    it("for a file of a secret that cannot be read", () => {
      const said = problemsOf({ SLIPWAY_API_KEY_FILE: path.join(folder, "no-such-file") });
      assert.equal(said.length, 1);
      assert.match(said[0] ?? "", /^SLIPWAY_API_KEY_FILE .*no-such-file.*cannot be read: ENOENT/);
    });

    it("with all the others that are wrong, at once", () => {
      const problems = problemsOf({
        PORT: "many",
        DATABASE_URL: "http://db.example/slipway",
        SLIPWAY_ROLE: "worker",
        SLIPWAY_API_KEY: "short",
        SLIPWAY_DNS_SERVERS: "a,b",
        SLIPWAY_VALIDATION_WINDOW: "long",
        SLIPWAY_LOG: "loud",
      });
      const told = problems.map((problem) => /^[A-Z_]+/.exec(problem)?.[0] ?? "");
      assert.deepEqual(told.toSorted(), [
        "DATABASE_URL",
        "PORT",
        "SLIPWAY_API_KEY",
        "SLIPWAY_DNS_SERVERS",
        "SLIPWAY_DNS_SERVERS",
        "SLIPWAY_LOG",
        "SLIPWAY_ROLE",
        "SLIPWAY_ROLE",
        "SLIPWAY_VALIDATION_WINDOW",
      ]);
    });

    it("without showing what may be secret", () => {
      const said = problemsOf({
        DATABASE_URL: "http://app:hidden-word@db.example/slipway",
        SLIPWAY_API_KEY: "hidden word",
        SLIPWAY_SANDBOX_SECRET: "hidden word",
      }).join("\n");
      assert.doesNotMatch(said, /hidden/);
    });
  });
});
