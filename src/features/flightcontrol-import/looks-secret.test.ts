import assert from "node:assert/strict";
import { it } from "node:test";
import { containsSecret, looksSecret } from "./looks-secret.ts";

/** Made for this test, so that no scanner takes them for real ones. */
const TOKEN = (prefix: string, length = 24) =>
  `${prefix}${"a1B2c3D4e5F6g7H8i9J0".repeat(3).slice(0, length)}`;

it("values with the form of a secret are secrets under any name", () => {
  for (const value of [
    "postgres://app:hunter2@db.example:5432/app",
    "redis://:hunter2@cache.example:6379",
    "amqps://user:pa:ss@mq.example",
    TOKEN("sk_live_"),
    TOKEN("sk-proj-"),
    TOKEN("ghp_", 36),
    TOKEN("github_pat_", 40),
    TOKEN("glpat-"),
    TOKEN("xoxb-"),
    "AKIAABCDEFGHIJKLMNOP",
    TOKEN("AIza", 35),
    `${TOKEN("eyJ", 20)}.${TOKEN("eyJ", 20)}.abc`,
    "-----BEGIN RSA PRIVATE KEY-----\nabc",
    "0123456789abcdef0123456789abcdef",
    TOKEN("", 40),
  ])
    assert.ok(looksSecret("VALUE", value), value);
});

it("names of secrets are enough", () => {
  for (const name of [
    "PASSWORD",
    "DB_PASSWD",
    "SESSION_SECRET",
    "SESSION_SECRET_KEY",
    "API_KEY",
    "STRIPE_APIKEY",
    "GITHUB_TOKEN",
    "JWT_SIGNING_KEY",
    "SENTRY_DSN",
    "secretKeyBase",
    "AWS_SECRET_ACCESS_KEY",
    "SMTP_PASS",
  ])
    assert.ok(looksSecret(name, "short"), name);
});

it("other values are not secrets", () => {
  for (const [name, value] of [
    ["NODE_ENV", "production"],
    ["API_URL", "https://api.shop.example/v1?a=b"],
    ["TOKEN_URL", "https://auth.shop.example/token"],
    ["ACCESS_TOKEN_TTL", "3600"],
    ["PASSWORD_LENGTH", "12"],
    ["SECRET_NAME", "acme/production/secret"],
    ["REQUIRE_AUTH", "true"],
    ["SESSION_SECRET", ""],
    ["AUTH", "false"],
    ["PORT", "3000"],
    ["CLIENT_ID", "8d5928f4-f01f-4f10-8ac5-979d8989c8f3"],
    ["STRIPE_PUBLISHABLE_KEY", "a-publishable-key"],
    ["NEXT_PUBLIC_API_KEY_NAME", "x"],
    ["BUCKET", "acme-production-uploads-eu-west-1"],
    ["REGISTRY", "123456789012.dkr.ecr.eu-west-1.amazonaws.com"],
    ["EMAIL", "no-reply@shop.example"],
    ["ORIGIN", "https://user@shop.example"],
    ["DATABASE_URL", "postgres://app:$DB_PASSWORD@db.example/app"],
  ] as const)
    assert.ok(!looksSecret(name, value), `${name}=${value}`);
});

it("commands with a secret are found", () => {
  for (const command of [
    "DATABASE_URL=postgres://app:hunter2@db.example/app npm start",
    "API_KEY=abc123 npm start",
    "npm run deploy -- --token abc123",
    "env API_KEY=abc123 npm start",
    "npm ci && export API_KEY=abc123; npm start",
    "tool --password='hunter22' run",
    `curl -H "Authorization: Bearer ${TOKEN("ghp_", 36)}" https://a.example`,
    "curl -H 'Authorization: Bearer hunter22' https://a.example",
    "curl -H 'authorization: hunter22' https://a.example",
    'curl -H "X-Api-Key: hunter22" https://a.example',
    `curl -d '{"token":"hunter22"}' https://a.example`,
    "curl -fsS -u admin:hunter22 https://a.example/cron",
  ])
    assert.ok(containsSecret(command), command);
  for (const command of [
    "npm ci && npm run build",
    "API_KEY=$API_KEY npm start",
    'tool --token "$TOKEN" --password $PASSWORD',
    "node server.js --port 3000 --token-name a",
    "npx prisma migrate deploy",
    'curl -H "Authorization: Bearer $CRON_TOKEN" -H "X-Api-Key: $KEY" https://a.example/cron?a=b',
    `curl -d '{"name":"hunter22"}' -H 'Content-Type: application/json' -u "$USER:$PASSWORD" https://a.example`,
    "docker run -u 1000:1000 acme/auth-token:latest",
    "NODE_OPTIONS=--max-old-space-size=4096 node a.js",
  ])
    assert.ok(!containsSecret(command), command);
});

it("long texts take little time", () => {
  const began = process.cpuUsage();
  for (const part of [
    "a.",
    "a ",
    "eyJ-",
    "a://",
    "a=",
    "SG.a",
    "--a ",
    "a-",
    "x",
    "curl -u a ",
    'a": "',
    "Authorization: a ",
  ])
    looksSecret("VALUE", part.repeat(32_768 / part.length));
  const { user } = process.cpuUsage(began);
  assert.ok(user < 5_000_000, `${user} µs of CPU: a pattern takes quadratic time`);
});
