/** Route 53 when it is slow, full or forbidden: on moto its faults and sizes, on ministack the rights of the stack. */
import assert from "node:assert/strict";
import { randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { createAws } from "../../src/cloud/aws/adapter.ts";
import { APIS } from "../../src/cloud/aws/calls/apis.ts";
import { renderTemplate } from "../../src/cloud/aws/stack/template.ts";
import type { CloudAccount, CloudZones, ZoneRecord } from "../../src/cloud/cloud.ts";
import { refuses } from "../contract/cloud/cloud-suite.ts";
import { type Cli, cliOf, createStack, updateStack } from "./ministack-customer.ts";
import { MOTO_URL, NEEDS_MOTO } from "./moto-url.ts";
import { newDomain, type Party, type World, withWorld } from "./world.ts";

const CHANGE = "route53:ChangeResourceRecordSets";
const cname = (name: string): ZoneRecord => ({ type: "CNAME", name, value: "d1.cloudfront.net" });

describe("route 53 on moto", { skip: MOTO_URL === null ? NEEDS_MOTO : false, concurrency: 3 }, () => {
  type Zone = Party & { readonly id: string; readonly name: string; readonly zones: CloudZones };
  function play(what: string, story: (world: World, zone: Zone) => Promise<void>): void {
    test(what, () =>
      withWorld({ motoUrl: MOTO_URL ?? "", seed: 1 }, async (world) => {
        const party = await world.connect();
        const name = newDomain();
        const { zones } = world.cloud;
        await story(world, { ...party, name, zones, id: await party.customer.createZone({ name }) });
      }),
    );
  }

  play(
    "a creation whose answer was lost is refused when it is repeated, and is there",
    async (world, zone) => {
      world.emulator.faults.add({ api: CHANGE, kind: "lost-response", count: 1 });
      const { account, id, name, zones } = zone;
      const created = zones.create(account, id, [cname(`www.${name}`)]);
      await refuses(created, "invalid", "RECORD_CONFLICT");
      const found = await zones.look(account, id, [`www.${name}`]);
      assert.deepEqual(found, [[{ type: "CNAME", values: ["d1.cloudfront.net"] }]]);
    },
  );

  for (const code of ["Throttling", "ThrottlingException", "PriorRequestNotComplete"])
    play(`${code} passes: the call is repeated, and left for later if it lasts`, async (world, zone) => {
      const { account, id, name, zones } = zone;
      const fault = { api: CHANGE, kind: { code, status: 400 } } as const;
      world.emulator.faults.add({ ...fault, count: 2 });
      await zones.create(account, id, [cname(`www.${name}`)]);
      world.emulator.faults.add(fault);
      await refuses(zones.create(account, id, [cname(`api.${name}`)]), "retryable", "THROTTLED");
      assert.deepEqual(await zones.look(account, id, [`api.${name}`]), [[]]);
    });

  play("all operations of an account share one rate", async ({ emulator, cloud, connect }, zone) => {
    const { account, id, name, zones } = zone;
    const other = await connect();
    const calls = Array.from({ length: 12 }, (_, n) => zones.look(account, id, [`www${n}.${name}`]));
    await Promise.all([...calls, zones.find(account, name), cloud.zones.find(other.account, name)]);
    const { perSecond, burst } = APIS[CHANGE];
    const own = emulator.calls.filter(
      (one) => one.accountId === account.accountId && one.api.startsWith("route53:"),
    );
    assert.equal(own.length, 14);
    // In any span, at most a burst plus what the rate allowed; one second more for a busy machine.
    for (const [from, first] of own.entries())
      for (const [count, last] of own.slice(from).entries())
        assert.ok(count + 1 <= burst + ((last.atMs - first.atMs + 1_000) / 1_000) * perSecond);
  });

  play("a name is one call away in a zone of 3,000 records", async ({ callsOf }, zone) => {
    const { account, customer, id, name, zones } = zone;
    const records = Array.from({ length: 3_000 }, (_, n) => n).map(
      (n) => ({ name: `n${n}.${name}`, type: "TXT", value: `${n}` }) as const,
    );
    for (let from = 0; from < records.length; from += 1_000)
      await customer.setZoneRecords(id, records.slice(from, from + 1_000));
    assert.deepEqual(await zones.look(account, id, [`n1500.${name}`]), [
      [{ type: "TXT", values: ['"1500"'] }],
    ]);
    assert.deepEqual(await zones.look(account, id, [`n1500x.${name}`]), [[]]);
    assert.equal(callsOf(account, "route53:ListResourceRecordSets").length, 2);
    await zones.create(account, id, [cname(`www.${name}`)]);
  });

  play("a zone that may not be read is left out beside a readable one", async ({ emulator }, zone) => {
    const { account, name, zones } = zone;
    emulator.trust.deny(account.roleArn, "route53:GetHostedZone");
    const error = await refuses(zones.find(account, name), "denied", "ACCESS_DENIED");
    assert.match(error.message, /route53:GetHostedZone/);
    assert.deepEqual(await zones.find(account, `none.${name}`), []);
  });
});

const MINISTACK_URL = process.env["SLIPWAY_TEST_MINISTACK"] ?? null;

describe("route 53 on ministack", { skip: MINISTACK_URL === null ? NEEDS_MOTO : false }, () => {
  const url = MINISTACK_URL ?? "";
  const accountId = String(randomInt(1e11, 9e11));
  const connectionId = `aws_${randomBytes(13).toString("hex")}`;
  const python = process.env["SLIPWAY_TEST_PYTHON"] ?? "";
  const cli: Cli = cliOf({ python, url, accountId });
  /** The stack reports here. */
  const slipway = createServer((_request, response) => response.writeHead(204).end());
  const stackName = "slipway-zones";
  let template: string;
  let account: CloudAccount;
  let mine: string;
  let theirs: string;
  const { zones } = createAws({
    templateUrl: "https://bucket.s3.amazonaws.com/t.yaml",
    endpoint: url,
  }).cloud;

  async function makeZone(name: string): Promise<string> {
    const reference = ["--caller-reference", randomBytes(8).toString("hex")];
    const { HostedZone } = await cli("route53", "create-hosted-zone", "--name", name, ...reference);
    return (HostedZone as { Id: string }).Id.replace("/hostedzone/", "");
  }
  const allow = (removal: "allow" | "deny") =>
    updateStack(cli, {
      stackName,
      template,
      version1: "drop",
      more: [
        `ParameterKey=DnsZones,ParameterValue=arn:aws:route53:::hostedzone/${mine}`,
        "ParameterKey=DnsNames,ParameterValue=*.app.example.com",
        `ParameterKey=DnsRemoval,ParameterValue=${removal}`,
      ],
    });

  before(async () => {
    slipway.listen(0, "127.0.0.1");
    await once(slipway, "listening");
    const { port } = slipway.address() as AddressInfo;
    // The account of the test's own key.
    template = renderTemplate({ accountId: "000000000000", callbackUrl: `http://127.0.0.1:${port}` });
    const { roleArn } = await createStack(cli, { stackName, template, connectionId });
    account = { connectionId, accountId, roleArn };
    mine = await makeZone("example.com");
    theirs = await makeZone("example.net");
  });
  after(() => slipway.close());

  test("a stack as it is made allows nothing", async () => {
    const error = await refuses(zones.find(account, "example.com"), "denied", "ACCESS_DENIED");
    assert.match(error.message, /route53:ListHostedZonesByName/);
  });

  test("records are created in the chosen zone at the chosen names, and deleted if that is allowed too", async () => {
    const wanted = [cname("www.app.example.com"), cname("*.app.example.com")];
    await allow("deny");
    const [found, ...others] = await zones.find(account, "example.com");
    assert.deepEqual([found?.id, others], [mine, []]);
    await refuses(zones.find(account, "example.net"), "denied", "ACCESS_DENIED");
    await zones.create(account, mine, wanted);
    await refuses(zones.create(account, mine, [cname("www.example.com")]), "denied", "ACCESS_DENIED");
    await refuses(zones.create(account, theirs, [cname("www.example.net")]), "denied", "ACCESS_DENIED");
    await refuses(zones.delete(account, mine, wanted), "denied", "ACCESS_DENIED");
    await allow("allow");
    await zones.delete(account, mine, wanted);
    assert.deepEqual(await zones.look(account, mine, ["www.app.example.com"]), [[]]);
  });
});
