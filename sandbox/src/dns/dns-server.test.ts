import assert from "node:assert/strict";
import { once } from "node:events";
import { createSocket } from "node:dgram";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import * as dnsPacket from "dns-packet";
import { startFixture, type SandboxFixture } from "../../../test/helpers/sandbox/sandbox-fixture.ts";

/** The package also returns `rcode` and `opcode` as words, which its types omit. */
type Reply = dnsPacket.DecodedPacket & { readonly rcode: string };

describe("the sandbox's DNS server", { concurrency: true }, () => {
  let fixture: SandboxFixture;
  before(async () => {
    fixture = await startFixture();
  });
  after(() => fixture.stop());

  async function sendUdp(message: Buffer): Promise<Buffer> {
    const socket = createSocket("udp4");
    try {
      socket.send(message, fixture.server.dnsAddress.port, "127.0.0.1");
      const [answer] = (await once(socket, "message")) as [Buffer];
      return answer;
    } finally {
      socket.close();
    }
  }
  async function ask(
    name: string,
    type: string,
    extra: Pick<dnsPacket.Packet, "additionals"> = {},
  ): Promise<Reply> {
    const question = { name, type: type as dnsPacket.RecordType };
    const query = dnsPacket.encode({ type: "query", id: 7, questions: [question], ...extra });
    return dnsPacket.decode(await sendUdp(query)) as Reply;
  }
  async function askTcp(name: string, type: dnsPacket.RecordType): Promise<Reply> {
    const socket = connect(fixture.server.dnsAddress.port, "127.0.0.1");
    socket.write(dnsPacket.streamEncode({ type: "query", id: 9, questions: [{ name, type }] }));
    let received = Buffer.alloc(0);
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk as Buffer]);
      if (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) break;
    }
    return dnsPacket.streamDecode(received) as Reply;
  }
  const dataOf = (reply: dnsPacket.Packet) =>
    (reply.answers ?? []).map((answer) => ("data" in answer ? answer.data : null));

  test("a record set over HTTP is answered with authority, over UDP and over TCP", async () => {
    await fixture.setRecord("www.set.example", "A", "192.0.2.1", "192.0.2.2");
    const reply = await ask("www.set.example", "A");
    assert.equal(reply.rcode, "NOERROR");
    assert.ok(reply.flag_aa);
    assert.equal(reply.id, 7);
    assert.deepEqual(dataOf(reply), ["192.0.2.1", "192.0.2.2"]);
    assert.deepEqual(dataOf(await askTcp("www.set.example", "A")), ["192.0.2.1", "192.0.2.2"]);
  });

  test("the case of a question does not matter, and the answer repeats it", async () => {
    await fixture.setRecord("Mixed.Case.Example", "AAAA", "2001:db8::1");
    const reply = await ask("mIxEd.cAsE.eXaMpLe", "AAAA");
    assert.deepEqual(dataOf(reply), ["2001:db8::1"]);
    assert.equal(reply.answers?.[0]?.name, "mIxEd.cAsE.eXaMpLe");
  });

  test("an unset name does not exist, and the SOA says how long to cache that", async () => {
    const reply = await ask("nobody.absent.example", "A");
    assert.equal(reply.rcode, "NXDOMAIN");
    assert.deepEqual(reply.answers, []);
    const [soa] = reply.authorities ?? [];
    assert.equal(soa?.type, "SOA");
    assert.equal(soa.name, "absent.example");
  });

  test("another type at an existing name, and an empty name above one, give no data and no error", async () => {
    await fixture.setRecord("deep.under.nodata.example", "A", "192.0.2.1");
    for (const [name, type] of [
      ["deep.under.nodata.example", "TXT"],
      ["under.nodata.example", "A"],
      ["nodata.example", "A"],
    ] as const) {
      const reply = await ask(name, type);
      assert.equal(reply.rcode, "NOERROR", name);
      assert.deepEqual(reply.answers, [], name);
      assert.equal(reply.authorities?.[0]?.type, "SOA", name);
    }
  });

  test("a removed record, and the empty names above it, no longer exist", async () => {
    await fixture.setRecord("a.b.removed.example", "A", "192.0.2.1");
    const removal = { name: "a.b.removed.example", type: "A" };
    assert.equal((await fixture.fetch("DELETE", "/sandbox/dns/records", removal)).status, 204);
    assert.equal((await ask("a.b.removed.example", "A")).rcode, "NXDOMAIN");
    assert.equal((await ask("b.removed.example", "A")).rcode, "NXDOMAIN");
  });

  test("a chain of CNAMEs is followed to its end, but not for a CNAME question", async () => {
    await fixture.setRecord("one.chain.example", "CNAME", "two.chain.example");
    await fixture.setRecord("two.chain.example", "CNAME", "end.chain.example");
    await fixture.setRecord("end.chain.example", "A", "192.0.2.9");
    const reply = await ask("one.chain.example", "A");
    assert.deepEqual(dataOf(reply), ["two.chain.example", "end.chain.example", "192.0.2.9"]);
    assert.deepEqual(dataOf(await ask("one.chain.example", "CNAME")), ["two.chain.example"]);
  });

  test("a CNAME to a name that does not exist is answered together with NXDOMAIN (RFC 6604)", async () => {
    await fixture.setRecord("dangling.example.org", "CNAME", "gone.elsewhere.example");
    const reply = await ask("dangling.example.org", "A");
    assert.equal(reply.rcode, "NXDOMAIN");
    assert.deepEqual(dataOf(reply), ["gone.elsewhere.example"]);
  });

  test("a loop of CNAMEs is answered once around", async () => {
    await fixture.setRecord("x.loop.example", "CNAME", "y.loop.example");
    await fixture.setRecord("y.loop.example", "CNAME", "x.loop.example");
    const reply = await ask("x.loop.example", "A");
    assert.deepEqual(dataOf(reply), ["y.loop.example", "x.loop.example"]);
  });

  test("a wildcard answers only for names that do not exist (RFC 4592)", async () => {
    await fixture.setRecord("*.wild.example", "TXT", "star");
    await fixture.setRecord("there.wild.example", "A", "192.0.2.1");
    assert.deepEqual(dataOf(await ask("any.wild.example", "TXT")), [[Buffer.from("star")]]);
    assert.deepEqual(dataOf(await ask("deep.any.wild.example", "TXT")), [[Buffer.from("star")]]);
    const there = await ask("there.wild.example", "TXT");
    assert.deepEqual([there.rcode, there.answers], ["NOERROR", []]);
    assert.equal((await ask("below.there.wild.example", "TXT")).rcode, "NXDOMAIN");
  });

  test("an ALIAS is answered with the present addresses of its target", async () => {
    await fixture.setRecord("alias.example", "ALIAS", "target.alias-target.example");
    assert.deepEqual(dataOf(await ask("alias.example", "A")), []);
    await fixture.setRecord("target.alias-target.example", "A", "192.0.2.3");
    const reply = await ask("alias.example", "A");
    assert.deepEqual(dataOf(reply), ["192.0.2.3"]);
    assert.deepEqual([reply.answers?.[0]?.name, reply.answers?.[0]?.type], ["alias.example", "A"]);
    assert.deepEqual(dataOf(await ask("alias.example", "AAAA")), []);
  });

  test("CAA and TXT records are answered as they were set, long texts in several strings", async () => {
    await fixture.setRecord("caa.example", "CAA", '0 issue "ca.sandbox.test"', '128 iodef "mailto:a@b.test"');
    const [issue, iodef] = (await ask("caa.example", "CAA")).answers ?? [];
    assert.ok(issue?.type === "CAA" && iodef?.type === "CAA");
    assert.deepEqual([issue.data.tag, issue.data.value, issue.data.flags], ["issue", "ca.sandbox.test", 0]);
    assert.equal(iodef.data.flags, 128);
    const text = "long ".repeat(80);
    await fixture.setRecord("txt.example", "TXT", text);
    const [answer] = (await askTcp("txt.example", "TXT")).answers ?? [];
    assert.ok(answer?.type === "TXT" && Array.isArray(answer.data));
    assert.ok(answer.data.length > 1);
    assert.equal(Buffer.concat(answer.data as Buffer[]).toString(), text);
  });

  test("an answer too large for UDP is truncated, whole over TCP, and whole for a client that takes more", async () => {
    const values = Array.from({ length: 40 }, (_, n) => `192.0.2.${n + 1}`);
    await fixture.setRecord("large.example", "A", ...values);
    const truncated = await ask("large.example", "A");
    assert.ok(truncated.flag_tc);
    assert.deepEqual(truncated.answers, []);
    assert.deepEqual(dataOf(await askTcp("large.example", "A")), values);
    const opt = { type: "OPT", name: ".", udpPayloadSize: 4096, extendedRcode: 0, ednsVersion: 0 } as const;
    const whole = await ask("large.example", "A", {
      additionals: [{ ...opt, flags: 0, flag_do: false, options: [] }],
    });
    assert.ok(!whole.flag_tc);
    assert.deepEqual(dataOf(whole), values);
    assert.equal(whole.additionals?.[0]?.type, "OPT");
  });

  test("a client that searches for the zone finds the sandbox's name server on this machine", async () => {
    const soa = await ask("shop.walker.example", "SOA");
    assert.deepEqual(soa.answers, []);
    assert.equal(soa.authorities?.[0]?.name, "walker.example");
    assert.equal((await ask("walker.example", "SOA")).answers?.[0]?.type, "SOA");
    assert.deepEqual(dataOf(await ask("walker.example", "NS")), ["ns1.sandbox.test"]);
    assert.deepEqual(dataOf(await ask("ns1.sandbox.test", "A")), ["127.0.0.1"]);
  });

  test("name servers set by a user replace the sandbox's own and make a zone", async () => {
    await fixture.setRecord("sub.delegated.example", "NS", "ns.elsewhere.example");
    assert.deepEqual(dataOf(await ask("sub.delegated.example", "NS")), ["ns.elsewhere.example"]);
    const below = await ask("x.sub.delegated.example", "A");
    assert.equal(below.authorities?.[0]?.name, "sub.delegated.example");
  });

  test("a distribution's host name leads to the edge, and no other name of that zone exists", async () => {
    const account = await fixture.connect();
    const created = await fixture.cloud.distributions.create(account, {
      token: "t",
      origin: { kind: "none" },
    });
    assert.deepEqual(dataOf(await ask(created.domainName, "A")), ["127.0.0.1"]);
    assert.equal((await ask("dnobody.cdn.sandbox.test", "A")).rcode, "NXDOMAIN");
  });

  test("garbage, other opcodes and other classes are answered with their codes and break nothing", async () => {
    const query = dnsPacket.encode({ type: "query", id: 1, questions: [{ name: "a.example", type: "A" }] });
    const rcodeOf = (message: Buffer) => message.readUInt8(3) & 0x0f;
    assert.equal(rcodeOf(await sendUdp(query.subarray(0, query.length - 3))), 1);
    assert.equal(rcodeOf(await sendUdp(Buffer.concat([Buffer.alloc(12)]))), 1);
    const notify = Buffer.from(query);
    notify.writeUInt8(4 << 3, 2);
    assert.equal(rcodeOf(await sendUdp(notify)), 4);
    const chaos = Buffer.from(query);
    chaos.writeUInt16BE(3, chaos.length - 2);
    assert.equal(rcodeOf(await sendUdp(chaos)), 5);
    assert.equal((await ask("still.alive.example", "A")).rcode, "NXDOMAIN");
  });
});
