import {
  type Answer,
  AUTHENTIC_DATA,
  CHECKING_DISABLED,
  decode,
  type DecodedPacket,
  encode,
  RECURSION_DESIRED,
} from "dns-packet";
import { normalizeName } from "../names.ts";

export type RecordType = "A" | "AAAA" | "CNAME" | "MX" | "NS" | "SOA" | "TXT" | "CAA";

export type Question = { readonly name: string; readonly type: RecordType };

/** A CAA record's parts (RFC 8659, section 4). */
export type Caa = { readonly critical: boolean; readonly tag: string; readonly value: string };

/** A record that Slipway understands. `name` is normalized, and so is `value` if it is a name. */
export type DnsRecord =
  | {
      readonly type: Exclude<RecordType, "CAA">;
      readonly name: string;
      readonly ttlSeconds: number;
      readonly value: string;
    }
  | {
      readonly type: "CAA";
      readonly name: string;
      readonly ttlSeconds: number;
      /** In the notation of zone files: `0 issue "amazon.com"`. */
      readonly value: string;
      readonly caa: Caa;
    };

export type Reply = {
  readonly rcode: number;
  readonly authoritative: boolean;
  readonly recursionAvailable: boolean;
  /** The resolver has validated the answer (RFC 6840, section 5.8). */
  readonly authenticated: boolean;
  readonly answers: readonly DnsRecord[];
  readonly authorities: readonly DnsRecord[];
  readonly additionals: readonly DnsRecord[];
};

/** Response codes that change what Slipway does (RFC 1035, RFC 2136). */
export const RCODE = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  NOTAUTH: 9,
} as const;

const HEADER_BYTES = 12;

/** A datagram of this size passes every common path without fragments (DNS Flag Day 2020). */
const EDNS_UDP_BYTES = 1232;

/**
 * Every record may point to a name of 127 labels, so a 64 KB answer of 5,000 records would block the process for a
 * tenth of a second. No honest answer to Slipway's questions is nearly as large.
 */
const MAX_RECORDS = 1000;

/** A question in wire format with id zero, and the offset at which its question section ends. */
export type Query = { readonly bytes: Buffer; readonly questionEnd: number };

/** What a query asks of its server in the flags. `checkingDisabled` asks a resolver not to validate (RFC 4035). */
export type QueryFlags = { readonly recursionDesired: boolean; readonly checkingDisabled?: boolean };

/** @throws when the name cannot be encoded; check with `isAskable` first. */
export function encodeQuery(question: Question, options: QueryFlags & { readonly edns: boolean }): Query {
  const bytes = encode({
    type: "query",
    id: 0,
    // AD in a query asks a resolver to say whether it has validated the answer (RFC 6840, section 5.7).
    flags:
      (options.recursionDesired ? RECURSION_DESIRED | AUTHENTIC_DATA : 0) |
      (options.checkingDisabled === true ? CHECKING_DISABLED : 0),
    questions: [{ name: question.name, type: question.type }],
    additionals: options.edns
      ? [
          {
            name: ".",
            type: "OPT",
            udpPayloadSize: EDNS_UDP_BYTES,
            extendedRcode: 0,
            ednsVersion: 0,
            flags: 0,
            flag_do: false,
            options: [],
          },
        ]
      : [],
  });
  return { bytes, questionEnd: HEADER_BYTES + question.name.length + 2 + 4 };
}

/**
 * Whether the bytes are a response that repeats the query's question, in any case. An error may lack the question if
 * the server could not read it (RFC 6891, section 7).
 */
export function answersQuery(reply: Buffer, query: Query): boolean {
  if (reply.length < HEADER_BYTES || (reply.readUInt8(2) & 0xf8) !== 0x80) return false;
  const questions = reply.readUInt16BE(4);
  if (questions === 0) return (reply.readUInt8(3) & 0x0f) !== RCODE.NOERROR;
  if (questions !== 1 || reply.length < query.questionEnd) return false;
  for (let offset = HEADER_BYTES; offset < query.questionEnd; offset += 1) {
    if (foldCase(reply[offset]) !== foldCase(query.bytes[offset])) return false;
  }
  return true;
}

/** Lowers the case of a whole section. A label's length is at most 63, which is below `A`, so lengths stay the same. */
function foldCase(byte: number | undefined): number | undefined {
  return byte !== undefined && byte >= 65 && byte <= 90 ? byte + 32 : byte;
}

export function isTruncated(reply: Buffer): boolean {
  return reply.length >= HEADER_BYTES && (reply.readUInt8(2) & 0x02) !== 0;
}

/** The reply, or null if the bytes are not a DNS message. */
export function decodeReply(bytes: Buffer): Reply | null {
  const packet = decodePacket(bytes);
  if (packet === null) return null;
  return {
    rcode: rcodeOf(packet),
    authoritative: packet.flag_aa,
    recursionAvailable: packet.flag_ra,
    authenticated: packet.flag_ad,
    answers: recordsOf(packet.answers),
    authorities: recordsOf(packet.authorities),
    additionals: recordsOf(packet.additionals),
  };
}

function decodePacket(bytes: Buffer): DecodedPacket | null {
  if (bytes.length < HEADER_BYTES) return null;
  const records = bytes.readUInt16BE(6) + bytes.readUInt16BE(8) + bytes.readUInt16BE(10);
  if (records > MAX_RECORDS) return null;
  try {
    const packet = decode(bytes);
    // dns-packet truncates a record that claims more bytes than there are.
    return decode.bytes > bytes.length ? null : packet;
  } catch (error) {
    // dns-packet throws plain errors and range errors for bytes that break off or contradict themselves.
    if (error instanceof Error) return null;
    throw error;
  }
}

function rcodeOf(packet: DecodedPacket): number {
  const low = (packet.flags ?? 0) & 0x0f;
  const opt = packet.additionals?.find((answer) => answer.type === "OPT");
  return opt === undefined ? low : (opt.extendedRcode << 4) | low;
}

function recordsOf(answers: readonly Answer[] | undefined): DnsRecord[] {
  const records: DnsRecord[] = [];
  for (const answer of answers ?? []) {
    const record = recordOf(answer);
    if (record !== null) records.push(record);
  }
  return records;
}

function recordOf(answer: Answer): DnsRecord | null {
  if (answer.type === "OPT" || (answer.class ?? "IN") !== "IN") return null;
  const common = { name: normalizeName(answer.name), ttlSeconds: answer.ttl ?? 0 };
  if (answer.type === "A" || answer.type === "AAAA") {
    return { ...common, type: answer.type, value: answer.data };
  }
  if (answer.type === "CNAME" || answer.type === "NS") {
    return { ...common, type: answer.type, value: normalizeName(answer.data) };
  }
  if (answer.type === "MX") {
    return { ...common, type: "MX", value: normalizeName(answer.data.exchange) };
  }
  if (answer.type === "SOA") return { ...common, type: "SOA", value: normalizeName(answer.data.mname) };
  if (answer.type === "TXT") return { ...common, type: "TXT", value: textOf(answer.data) };
  if (answer.type !== "CAA") return null;
  const { flags = 0, tag, value } = answer.data;
  const caa = { critical: (flags & 0x80) !== 0, tag: tag.toLowerCase(), value };
  return { ...common, type: "CAA", value: `${flags} ${tag} "${value}"`, caa };
}

/** The strings of one TXT record form one text (RFC 7208, section 3.3, and common use). */
function textOf(strings: string | Buffer | readonly (string | Buffer)[]): string {
  if (typeof strings === "string") return strings;
  if (Buffer.isBuffer(strings)) return strings.toString("utf8");
  return strings.map((part) => part.toString()).join("");
}
