/** Addresses that must never be dialled, in every way in which someone might write them. */

/** Loopback, private, link-local, metadata, shared and unspecified addresses. */
const INSIDE = [
  "127.0.0.1",
  "127.255.255.254",
  "10.0.0.1",
  "172.16.5.4",
  "172.31.255.1",
  "192.168.1.1",
  "169.254.169.254",
  "169.254.170.2",
  "100.64.1.1",
  "100.100.100.200",
  "168.63.129.16",
  "0.0.0.0",
  "255.255.255.255",
  "224.0.0.251",
  "198.18.0.1",
] as const;

type Way = readonly [name: string, write: (octets: readonly number[]) => string];

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");
const pair = (octets: readonly number[], at: number): string =>
  ((octets[at] ?? 0) * 256 + (octets[at + 1] ?? 0)).toString(16);
const wholeOf = (octets: readonly number[]): number => octets.reduce((sum, octet) => sum * 256 + octet, 0);
/** Characters that IDNA's mapping (UTS 46) turns into digits and dots. */
const inDigitsFrom = (zero: number, text: string): string =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

const WAYS: readonly Way[] = [
  ["dotted decimal", (octets) => octets.join(".")],
  ["one decimal number", (octets) => String(wholeOf(octets))],
  ["one hexadecimal number", (octets) => `0x${hex(wholeOf(octets), 8)}`],
  ["one octal number", (octets) => `0${wholeOf(octets).toString(8)}`],
  ["octal octets", (octets) => octets.map((octet) => `0${octet.toString(8)}`).join(".")],
  ["octal octets with many zeros", (octets) => octets.map((octet) => `0000${octet.toString(8)}`).join(".")],
  ["hexadecimal octets", (octets) => octets.map((octet) => `0x${hex(octet, 2)}`).join(".")],
  ["mixed octets", ([a = 0, b = 0, c = 0, d = 0]) => `0x${hex(a, 2)}.${b}.0${c.toString(8)}.${d}`],
  ["two parts", ([a = 0, b = 0, c = 0, d = 0]) => `${a}.${(b * 256 + c) * 256 + d}`],
  ["three parts", ([a = 0, b = 0, c = 0, d = 0]) => `${a}.${b}.${c * 256 + d}`],
  ["a dot at the end", (octets) => `${octets.join(".")}.`],
  ["ideographic stops", (octets) => octets.join("\u3002")],
  ["full-width stops", (octets) => octets.join("\uff0e")],
  ["full-width digits", (octets) => inDigitsFrom(0xff10, octets.join("."))],
  ["mathematical digits", (octets) => inDigitsFrom(0x1d7ce, octets.join("."))],
  ["a percent-encoded digit", (octets) => octets.join(".").replace(/\d/, (digit) => `%3${digit}`)],
  ["percent-encoded dots", (octets) => octets.join("%2e")],
  ["IPv4-mapped IPv6", (octets) => `[::ffff:${octets.join(".")}]`],
  ["IPv4-mapped IPv6 in hexadecimal", (octets) => `[::ffff:${pair(octets, 0)}:${pair(octets, 2)}]`],
  ["IPv4-compatible IPv6", (octets) => `[::${octets.join(".")}]`],
  ["NAT64", (octets) => `[64:ff9b::${octets.join(".")}]`],
  ["6to4", (octets) => `[2002:${pair(octets, 0)}:${pair(octets, 2)}::1]`],
];

const INSIDE_IPV6 = [
  "[::1]",
  "[::]",
  "[0:0:0:0:0:0:0:1]",
  "[0000:0000:0000:0000:0000:0000:0000:0001]",
  "[fe80::1]",
  "[fe80::1%25eth0]",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[ff02::1]",
  "[fec0::1]",
  "[2001::1]",
  "[2001:db8::1]",
  "[100::1]",
  "[64:ff9b:1::1]",
];

export type InsideAddress = { readonly way: string; readonly host: string };

/** Hosts as they may stand in a URL; more than three hundred. */
export function insideAddresses(): readonly InsideAddress[] {
  const written = INSIDE.flatMap((address) => {
    const octets = address.split(".").map(Number);
    return WAYS.map(([way, write]): InsideAddress => ({ way: `${address} as ${way}`, host: write(octets) }));
  });
  return [...written, ...INSIDE_IPV6.map((host) => ({ way: `${host} as it is`, host }))];
}
