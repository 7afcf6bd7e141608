/** How Caddy finds the addresses of origins: it asks here, and learns only addresses to which the edge may connect. */
import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import * as dnsPacket from "dns-packet";
import type { AllowedHosts } from "../../../src/egress/address-rules.ts";
import { originRefusal } from "../origin-proxy.ts";

export type OriginNames = { readonly port: number; stop(): void };

const NXDOMAIN = 3;
const SERVFAIL = 2;
/** Caddy looks up the name for each new connection. */
const TTL_S = 1;

/** A DNS server on loopback, which answers A and AAAA as the system resolves names (RFC 1035). */
export async function startOriginNames(allowed: AllowedHosts): Promise<OriginNames> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  let isStopped = false;
  socket.on("message", (message, peer) => {
    void answerOf(message, allowed).then((answer) => {
      if (answer !== null && !isStopped) socket.send(answer, peer.port, peer.address, () => undefined);
    });
  });
  socket.on("error", () => undefined);
  return {
    port: socket.address().port,
    stop() {
      isStopped = true;
      socket.close();
    },
  };
}

async function answerOf(message: Buffer, allowed: AllowedHosts): Promise<Buffer | null> {
  let query: dnsPacket.DecodedPacket;
  try {
    query = dnsPacket.decode(message);
  } catch {
    return null;
  }
  const [question] = query.questions ?? [];
  if (question === undefined) return null;
  const { name, type } = question;
  const found = await addressesOf(name, allowed);
  const family = type === "A" ? 4 : type === "AAAA" ? 6 : null;
  const answers = (typeof found === "number" ? [] : found).flatMap((one): dnsPacket.Answer[] =>
    one.family === family ? [{ name, type: type as "A" | "AAAA", ttl: TTL_S, data: one.address }] : [],
  );
  return dnsPacket.encode({
    type: "response",
    id: query.id ?? 0,
    flags:
      dnsPacket.RECURSION_DESIRED | dnsPacket.RECURSION_AVAILABLE | (typeof found === "number" ? found : 0),
    questions: [question],
    answers,
  });
}

/** If any of the addresses is refused, the name has none: the answer of the next lookup may have another order. */
async function addressesOf(
  name: string,
  allowed: AllowedHosts,
): Promise<readonly { readonly address: string; readonly family: number }[] | number> {
  try {
    const found = await lookup(name, { all: true });
    const refusalOf = originRefusal(allowed, name);
    return found.some(({ address }) => refusalOf(address) !== null) ? NXDOMAIN : found;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOTFOUND" ? NXDOMAIN : SERVFAIL;
  }
}

/** Names that Caddy's resolver finds without asking a server: those of `/etc/hosts`, in lower case. */
export async function readSystemNames(): Promise<ReadonlySet<string>> {
  const text = await readFile("/etc/hosts", "utf8").catch(() => "");
  const names = text
    .split("\n")
    .flatMap((line) => (line.split("#", 1)[0] ?? "").trim().split(/\s+/).slice(1));
  return new Set(names.map((name) => name.toLowerCase().replace(/\.$/, "")));
}
