import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { parse } from "yaml";
import { APIS } from "../calls/apis.ts";
import { stackNameOf } from "../../adapter-rules.ts";
import { makeStack, renderTemplate } from "./template.ts";

const TEMPLATE = renderTemplate({
  accountId: "123456789012",
  callbackUrl: "https://slipway.example.com/cloud-callbacks",
});

describe("the template of a connection's stack", () => {
  test("contains our account and our address, and no placeholder", () => {
    assert.match(TEMPLATE, /iam::123456789012:root/);
    assert.match(
      TEMPLATE,
      /CallbackUrl: !Sub "https:\/\/slipway\.example\.com\/cloud-callbacks\/\$\{ServiceId\}"/,
    );
    assert.doesNotMatch(TEMPLATE, /__SLIPWAY/);
  });

  test("requires one parameter; without the others, nothing is kept of version 1 and no record is set", () => {
    const { Parameters } = parse(TEMPLATE, { logLevel: "silent" }) as {
      Parameters: Record<string, { Default?: string }>;
    };
    const defaults = Object.entries(Parameters).map(([name, { Default = null }]) => [name, Default]);
    assert.deepEqual(Object.fromEntries(defaults), {
      ServiceId: null,
      Version1: "drop",
      DnsZones: "",
      DnsNames: "*",
      DnsRemoval: "deny",
    });
  });

  test("is what its file says, with less indentation", () => {
    const source = readFileSync(new URL("connection-v2.yaml", import.meta.url), "utf8")
      .replaceAll("__SLIPWAY_ACCOUNT_ID__", "123456789012")
      .replaceAll("__SLIPWAY_CALLBACK_URL__", "https://slipway.example.com/cloud-callbacks");
    // Code in Python, whose own indentation is less as well.
    const read = (text: string): unknown =>
      parse(
        text,
        (key, value: unknown) => (key === "ZipFile" ? String(value).replaceAll(/^ +/gm, "") : value),
        {
          logLevel: "silent",
        },
      );
    assert.deepEqual(read(TEMPLATE), read(source));
    assert.ok(TEMPLATE.length < source.length);
  });

  test("is small enough for a call of CloudFormation", () => {
    // With room for a long address of Slipway.
    assert.ok(Buffer.byteLength(TEMPLATE) < 51_200 - 250, String(Buffer.byteLength(TEMPLATE)));
  });

  test("allows every action that the adapter uses, and no wildcard", () => {
    const policy = TEMPLATE.slice(TEMPLATE.indexOf("Policies:"), TEMPLATE.indexOf("ReportRole:"));
    const lists = policy.match(/(?<=\bAction:\s*)(?:\[[^\]]*\]|\S+)/g) ?? [];
    const allowed = lists.flatMap((list) => list.match(/[^\s[\],]+/g) ?? []);
    for (const api of Object.keys(APIS)) assert.ok(allowed.includes(api), `${api} is missing`);
    const needed = new Set<string>([
      ...Object.keys(APIS),
      // What tagging at creation takes.
      "acm:AddTagsToCertificate",
      "cloudfront:TagResource",
      "ssm:AddTagsToResource",
      "secretsmanager:TagResource",
      "elasticache:AddTagsToResource",
      // A stack with a policy from the start.
      "cloudformation:SetStackPolicy",
      // CloudFormation's role for the stacks of environments and services.
      "iam:PassRole",
    ]);
    assert.deepEqual(
      allowed.filter((action) => !needed.has(action)),
      [],
    );
  });
});

test("the quick-create link fills in template, stack name and connection", () => {
  const { consoleUrl } = makeStack("https://bucket.s3.amazonaws.com/connection-v2.yaml", "aws_0123");
  const [place, query = ""] = consoleUrl.split("#/stacks/quickcreate?");
  assert.equal(place, "https://console.aws.amazon.com/cloudformation/home?region=us-east-1");
  assert.deepEqual(Object.fromEntries(new URLSearchParams(query)), {
    templateURL: "https://bucket.s3.amazonaws.com/connection-v2.yaml",
    stackName: stackNameOf("aws_0123"),
    param_ServiceId: "aws_0123",
  });
});
