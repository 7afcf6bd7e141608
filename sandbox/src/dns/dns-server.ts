/** An authoritative DNS server, on UDP and TCP with the same port number (RFC 1035, RFC 7766, RFC 6891). */
import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import * as dnsPacket from "dns-packet";
import { toListenError } from "../../../src/lib/operator-error.ts";
import type { Lookup } from "./look-up.ts";

export type DnsServer = {
  /** An IP address. */
  readonly host: string;
  readonly port: number;
  stop(): Promise<void>;
};

const RCODE = { NOERROR: 0, FORMERR: 1, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const;
const HEADER_BYTES = 12;
const MAX_TCP_BYTES = 65_535;
const TCP_IDLE_MS = 10_000;
/** As large as the system allows: thousands of queries may arrive while this process is busy. */
const RECEIVE_BUFFER_BYTES = 4 << 20;
/** With port 0, the TCP port of the same number may be taken; then another one is tried. */
const MAX_PORT_TRIES = 20;

/** The answer for a name; null if this server has no zone for it, which is answered with REFUSED. */
export type LookUp = (name: string, type: string) => Lookup | null | Promise<Lookup | null>;

/** Port 0 picks a free one. @throws ListenError */
export async function startDnsServer(
  lookUp: LookUp,
  {
    host,
    port,
    portVariable,
  }: { readonly host: string; readonly port: number; readonly portVariable: string },
): Promise<DnsServer> {
  try {
    return await listen(lookUp, host, port);
  } catch (error) {
    throw toListenError(error, host, port, portVariable);
  }
}

async function listen(lookUp: LookUp, host: string, port: number): Promise<DnsServer> {
  for (let attempt = 1; ; attempt += 1) {
    const type = host.includes(":") ? "udp6" : "udp4";
    const udp = createSocket({ type, recvBufferSize: RECEIVE_BUFFER_BYTES });
    udp.bind(port, host);
    await once(udp, "listening").catch((error: unknown) => {
      udp.close();
      throw error;
    });
    const tcp = createServer();
    try {
      // At the same address, if the host is a name.
      tcp.listen(udp.address().port, udp.address().address);
      await once(tcp, "listening");
    } catch (error) {
      udp.close();
      if (port === 0 && attempt < MAX_PORT_TRIES && isAddressInUse(error)) continue;
      throw error;
    }
    return serve(lookUp, udp, tcp);
  }
}

function isAddressInUse(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}

function serve(lookUp: LookUp, udp: UdpSocket, tcp: Server): DnsServer {
  const { address, port } = udp.address();
  let isStopped = false;
  udp.on("message", (message, peer) => {
    void answerMessage(lookUp, message, "udp").then((answer) => {
      // If the peer no longer listens, the answer is lost, as always with UDP.
      if (answer !== null && !isStopped) udp.send(answer, peer.port, peer.address, () => undefined);
    });
  });
  // Some systems report a peer's closed port as an ICMP error; it concerns only that peer.
  udp.on("error", () => undefined);
  const connections = new Set<Socket>();
  tcp.on("connection", (socket) => {
    connections.add(socket);
    socket.on("close", () => connections.delete(socket));
    serveConnection(lookUp, socket);
  });
  return {
    host: address,
    port,
    async stop() {
      isStopped = true;
      for (const socket of connections) socket.destroy();
      tcp.close();
      udp.close();
      await Promise.all([once(tcp, "close"), once(udp, "close")]);
    },
  };
}

function serveConnection(lookUp: LookUp, socket: Socket): void {
  let pending = Buffer.alloc(0);
  socket.setTimeout(TCP_IDLE_MS, () => socket.destroy());
  // A reset by the client only ends this connection.
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 2) {
      const length = pending.readUInt16BE(0);
      if (pending.length < 2 + length) return;
      // An answer names its question, so answers may come in any order (RFC 7766, section 6.2.1.1).
      void answerMessage(lookUp, pending.subarray(2, 2 + length), "tcp").then((answer) => {
        if (answer === null) {
          socket.destroy();
          return;
        }
        const prefix = Buffer.alloc(2);
        prefix.writeUInt16BE(answer.length);
        socket.write(Buffer.concat([prefix, answer]));
      });
      pending = pending.subarray(2 + length);
    }
  });
}

/** The answer to a message; null when the message is not a question. */
async function answerMessage(
  lookUp: LookUp,
  message: Buffer,
  transport: "udp" | "tcp",
): Promise<Buffer | null> {
  if (message.length < HEADER_BYTES || (message.readUInt8(2) & 0x80) !== 0) return null;
  const id = message.readUInt16BE(0);
  const opcode = (message.readUInt8(2) >> 3) & 0x0f;
  const recursionDesired = (message.readUInt8(2) & 0x01) === 1 ? dnsPacket.RECURSION_DESIRED : 0;
  const bare = (rcode: number) =>
    dnsPacket.encode({ type: "response", id, flags: recursionDesired | (opcode << 11) | rcode });
  if (opcode !== 0) return bare(RCODE.NOTIMP);
  let query: dnsPacket.DecodedPacket;
  try {
    query = dnsPacket.decode(message);
  } catch {
    // Malformed beyond the header: the package throws various errors.
    return bare(RCODE.FORMERR);
  }
  const [question, ...more] = query.questions ?? [];
  if (question === undefined || more.length > 0) return bare(RCODE.FORMERR);
  const opt = query.additionals?.find((record) => record.type === "OPT");
  const maxBytes =
    transport === "tcp" ? MAX_TCP_BYTES : Math.min(4_096, Math.max(512, opt?.udpPayloadSize ?? 512));
  const reply = (rcode: number, flags: number, records: Pick<dnsPacket.Packet, "answers" | "authorities">) =>
    dnsPacket.encode({
      type: "response",
      id,
      flags: recursionDesired | flags | rcode,
      questions: [question],
      ...records,
      additionals: opt === undefined ? [] : [edns()],
    });
  if (question.class !== undefined && question.class !== "IN" && question.class !== "ANY") {
    return reply(RCODE.REFUSED, 0, {});
  }
  const found = await lookUp(question.name, question.type);
  if (found === null) return reply(RCODE.REFUSED, 0, {});
  const full = reply(RCODE[found.rcode], dnsPacket.AUTHORITATIVE_ANSWER, {
    answers: [...found.answers],
    authorities: [...found.authorities],
  });
  if (full.length <= maxBytes) return full;
  // RFC 2181, section 9: a client that sees TC must ignore the rest and ask again over TCP.
  return reply(RCODE[found.rcode], dnsPacket.AUTHORITATIVE_ANSWER | dnsPacket.TRUNCATED_RESPONSE, {});
}

function edns(): dnsPacket.OptAnswer {
  return {
    type: "OPT",
    name: ".",
    udpPayloadSize: 1_232,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  };
}
