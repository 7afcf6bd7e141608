/** A scriptable authoritative DNS server on loopback, UDP and TCP on one port, for tests of real packets. */
import { createSocket, type RemoteInfo, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { type Answer, AUTHORITATIVE_ANSWER, decode, encode, type Packet, type Question } from "dns-packet";

export type Heard = { readonly question: Question; readonly id: number; readonly via: "udp" | "tcp" };

/** What an honest server would say, to be sent or tampered with. */
export type Script = (heard: Heard, honest: Packet) => readonly Buffer[];

export type DnsTestServer = {
  readonly host: string;
  readonly port: number;
  /** Each question so far, as `udp www.example.com CNAME`. */
  readonly heard: string[];
  stop(): Promise<void>;
};

export type DnsTestZones = {
  /** The zones that it is an authority for; for other names it refuses. */
  readonly zones: readonly string[];
  /** `"www.example.com CNAME": ["d1.example.net"]`; CAA values as in a zone file. */
  readonly records: Readonly<Record<string, readonly string[]>>;
  /** Names cut out of its zones: the reply is a referral with these name servers and their addresses. */
  readonly delegations?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Instead of the honest answer: by `"name TYPE"`, by `"name"`, or `"*"` for all. */
  readonly scripts?: Readonly<Record<string, Script>>;
  /** A loopback address; `127.0.0.1` by default. */
  readonly host?: string;
  /** Accept no TCP connections at all. */
  readonly udpOnly?: boolean;
};

export async function startDnsServer(content: DnsTestZones): Promise<DnsTestServer> {
  const { host = "127.0.0.1" } = content;
  const heard: string[] = [];
  const { udp, tcp } = await listen(host, content.udpOnly !== true);
  const { port } = udp.address();

  function replies(bytes: Buffer, via: "udp" | "tcp"): readonly Buffer[] {
    const query = decode(bytes);
    const question = query.questions?.[0];
    if (question === undefined) throw new Error("A query came without a question.");
    const name = question.name.toLowerCase();
    heard.push(`${via} ${name} ${question.type}`);
    const told: Heard = { question, id: query.id ?? 0, via };
    const honest = honestReply(content, told, name);
    const script =
      content.scripts?.[`${name} ${question.type}`] ?? content.scripts?.[name] ?? content.scripts?.["*"];
    return script === undefined ? [encode(honest)] : script(told, honest);
  }

  udp.on("message", (bytes: Buffer, from: RemoteInfo) => {
    for (const reply of replies(bytes, "udp")) udp.send(reply, from.port, from.address);
  });
  const connections = new Set<Socket>();
  tcp.on("connection", (socket) => {
    connections.add(socket);
    socket.on("close", () => connections.delete(socket));
    // The client hangs up as soon as it has its answer; its reset is not a fault of the server.
    socket.on("error", () => socket.destroy());
    socket.on("data", (bytes: Buffer) => {
      for (const reply of replies(bytes.subarray(2), "tcp")) {
        const length = Buffer.alloc(2);
        length.writeUInt16BE(Math.min(reply.length, 0xffff));
        socket.write(Buffer.concat([length, reply]));
      }
    });
  });

  return {
    host,
    port,
    heard,
    async stop() {
      for (const socket of connections) socket.destroy();
      udp.close();
      await once(udp, "close");
      if (!tcp.listening) return;
      tcp.close();
      await once(tcp, "close");
    },
  };
}

/** A port that is free for UDP may be another test's for TCP; then the next free one is tried. */
async function listen(host: string, withTcp: boolean): Promise<{ udp: UdpSocket; tcp: Server }> {
  for (;;) {
    const udp = createSocket(host.includes(":") ? "udp6" : "udp4");
    udp.bind(0, host);
    await once(udp, "listening");
    const tcp = createServer();
    if (!withTcp) return { udp, tcp };
    try {
      tcp.listen(udp.address().port, host);
      await once(tcp, "listening");
      return { udp, tcp };
    } catch (error) {
      udp.close();
      await once(udp, "close");
      if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    }
  }
}

function honestReply(content: DnsTestZones, heard: Heard, name: string): Packet {
  const { question } = heard;
  const reply = (rcode: number, flags: number, sections: Partial<Packet> = {}): Packet => ({
    type: "response",
    id: heard.id,
    flags: flags | rcode,
    questions: [question],
    ...sections,
  });
  for (const [cut, servers] of Object.entries(content.delegations ?? {})) {
    if (name !== cut && !name.endsWith(`.${cut}`)) continue;
    return reply(0, 0, {
      authorities: Object.keys(servers).map((server) => ({ type: "NS", name: cut, ttl: 300, data: server })),
      additionals: Object.entries(servers).map(([server, address]) => ({
        type: address.includes(":") ? "AAAA" : "A",
        name: server,
        ttl: 300,
        data: address,
      })),
    });
  }
  const zone = content.zones
    .filter((apex) => name === apex || name.endsWith(`.${apex}`) || apex === "")
    .sort((a, b) => b.length - a.length)[0];
  if (zone === undefined) return reply(5, 0);
  const exists = (at: string): boolean =>
    at === zone ||
    Object.keys(content.records).some((key) => {
      const [owner = ""] = key.split(" ");
      return owner === at || owner.endsWith(`.${at}`);
    });
  const source = exists(name) ? name : wildcardOf(name, exists);
  const types = question.type === "CNAME" ? ["CNAME"] : ["CNAME", question.type];
  const answers = types
    .flatMap((type) => recordsOf(content, source, type))
    .map((answer) => ({ ...answer, name }));
  if (question.type === "SOA" && name === zone) answers.push(soaOf(zone));
  if (answers.length > 0) return reply(0, AUTHORITATIVE_ANSWER, { answers });
  return reply(exists(source) ? 0 : 3, AUTHORITATIVE_ANSWER, { authorities: [soaOf(zone)] });
}

/** The wildcard that answers for a name that does not exist (RFC 4592): the one at its closest existing ancestor. */
function wildcardOf(name: string, exists: (at: string) => boolean): string {
  const ancestors = name.split(".").map((_, index, labels) => labels.slice(index + 1).join("."));
  return `*.${ancestors.find(exists) ?? ""}`;
}

function recordsOf(content: DnsTestZones, name: string, type: string): Answer[] {
  return (content.records[`${name} ${type}`] ?? []).map((value): Answer => {
    const common = { name, ttl: 60 };
    switch (type) {
      case "A":
      case "AAAA":
      case "CNAME":
      case "NS":
        return { ...common, type, data: value };
      case "MX":
        return { ...common, type, data: { preference: 10, exchange: value } };
      case "TXT":
        return { ...common, type, data: value.match(/.{1,255}/gsu) ?? [""] };
      case "CAA": {
        const [flags = "0", tag = "", text = ""] = value.split(/ (?=\S+ ")| (?=")/);
        // The type of the package knows three tags; unknown ones are what a test of critical ones needs.
        const data = { flags: Number(flags), tag: tag as "issue", value: text.slice(1, -1) };
        return { ...common, type, data };
      }
      default:
        throw new Error(`The test server has no records of type ${type}.`);
    }
  });
}

function soaOf(zone: string): Answer {
  return {
    type: "SOA",
    name: zone === "" ? "." : zone,
    ttl: 5,
    data: { mname: `ns1.${zone}`, rname: `hostmaster.${zone}`, serial: 1, minimum: 5 },
  };
}

/** Says nothing. */
export const silent: Script = () => [];

/** Answers with this response code (2 SERVFAIL, 5 REFUSED) and nothing else. */
export function withRcode(rcode: number): Script {
  return (_heard, honest) => [encode({ ...bare(honest), flags: AUTHORITATIVE_ANSWER | rcode })];
}

/** Answers over UDP with the TC bit and no records, and honestly over TCP. */
export const truncatedOverUdp: Script = (heard, honest) =>
  heard.via === "tcp"
    ? [encode(honest)]
    : [encode({ ...bare(honest), flags: AUTHORITATIVE_ANSWER | (1 << 9) })];

/** A reply that has the right id and question, and breaks off in the middle of its records. */
export const brokenOff: Script = (_heard, honest) => {
  const bytes = encode({ ...honest, answers: [] });
  bytes.writeUInt16BE(7, 6);
  return [bytes];
};

/** The question and the id of a reply, without its records. */
export function bare(honest: Packet): Packet {
  return { type: "response", id: honest.id, questions: honest.questions };
}
