/** The resolver of the sandbox's CA: real packets to one server, UDP first and TCP when truncated. */
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { connect } from "node:net";
import * as dnsPacket from "dns-packet";

export type DnsAddress = { readonly host: string; readonly port: number };

/** @throws Error when no answer comes in time, or the answer is invalid */
export async function askDns(
  server: DnsAddress,
  name: string,
  type: "CNAME" | "CAA",
  timeoutMs: number,
): Promise<readonly dnsPacket.Answer[]> {
  const query = dnsPacket.encode({
    type: "query",
    id: randomInt(0x1_0000),
    questions: [{ type, name }],
  });
  const overUdp = decodeAnswer(query, await askUdp(server, query, timeoutMs));
  const answer = overUdp.flag_tc ? decodeAnswer(query, await askTcp(server, query, timeoutMs)) : overUdp;
  const rcode = (answer.flags ?? 0) & 0x0f;
  if (rcode !== 0 && rcode !== 3) throw new Error(`The DNS server answered with code ${rcode}.`);
  return answer.answers ?? [];
}

function decodeAnswer(query: Buffer, message: Buffer): dnsPacket.DecodedPacket {
  const packet = dnsPacket.decode(message);
  if (packet.id !== query.readUInt16BE(0)) throw new Error("The DNS answer is to another question.");
  return packet;
}

function askUdp(server: DnsAddress, query: Buffer, timeoutMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(server.host.includes(":") ? "udp6" : "udp4");
    const end = (settle: () => void) => {
      clearTimeout(timer);
      socket.close();
      settle();
    };
    const timer = setTimeout(
      () => end(() => reject(new Error("The DNS server did not answer in time."))),
      timeoutMs,
    );
    socket.once("error", (error) => end(() => reject(error)));
    socket.once("message", (message) => end(() => resolve(message)));
    // Connected, so that datagrams from other addresses are not accepted as the answer.
    socket.connect(server.port, server.host, () => socket.send(query));
  });
}

function askTcp(server: DnsAddress, query: Buffer, timeoutMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, server.host);
    const end = (settle: () => void) => {
      socket.destroy();
      settle();
    };
    let received = Buffer.alloc(0);
    socket.setTimeout(timeoutMs, () =>
      end(() => reject(new Error("The DNS server did not answer in time."))),
    );
    socket.once("error", (error) => end(() => reject(error)));
    socket.once("close", () => reject(new Error("The DNS server closed the connection.")));
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      end(() => resolve(received.subarray(2, 2 + received.readUInt16BE(0))));
    });
    const prefix = Buffer.alloc(2);
    prefix.writeUInt16BE(query.length);
    socket.write(Buffer.concat([prefix, query]));
  });
}
