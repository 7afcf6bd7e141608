import { isIP } from "node:net";
import path from "node:path";
import { findAddressFault } from "../../db/drivers/addresses.ts";
import { parseAllowedHosts } from "../../egress/address-rules.ts";

export type HostPort = { readonly host: string; readonly port: number };
export type Values = ReturnType<typeof readValues>;

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** Reads single variables of the environment, and collects what is wrong with them in `problems`. */
export function readValues(env: NodeJS.ProcessEnv) {
  const problems: string[] = [];
  const text = (name: string): string | null => {
    const value = env[name]?.trim();
    return value === undefined || value === "" ? null : value;
  };
  const oneOf = <T extends string>(name: string, words: readonly T[], fallback: T): T => {
    const value = text(name);
    if (value === null) return fallback;
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) problems.push(`${name} is "${value}"; it must be one of ${words.join(", ")}.`);
    return word ?? fallback;
  };
  const wholeNumber = (name: string, fallback: number, min: number, max: number): number => {
    const value = text(name);
    if (value === null) return fallback;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    problems.push(`${name} is "${value}"; it must be a whole number from ${min} to ${max}.`);
    return fallback;
  };
  const url = (name: string, protocols: readonly string[]): string | null => {
    const value = text(name);
    if (value === null) return null;
    // The value may hold a password, so it is never repeated in a message.
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value.replace(/\/+$/, "");
    problems.push(
      `${name} must be an address that begins with ${protocols.map((p) => `${p}//`).join(" or ")}.`,
    );
    return null;
  };
  /** Of one PostgreSQL server, or of several in the form of libpq. */
  const databaseUrl = (name: string): string | null => {
    const value = text(name)?.replace(/\/+$/, "") ?? null;
    const fault = value === null ? null : findAddressFault(value);
    if (fault === null) return value;
    problems.push(`${name} ${fault}`);
    return null;
  };
  const duration = (name: string, fallback: string, maxMs = Number.POSITIVE_INFINITY, minMs = 1): number => {
    const written = text(name) ?? fallback;
    const match = /^(\d{1,6})(s|m|h)$/.exec(written);
    const durationMs = Number(match?.[1]) * UNIT_MS[(match?.[2] ?? "s") as keyof typeof UNIT_MS];
    if (durationMs >= minMs && durationMs <= maxMs) return durationMs;
    const least = durationMs < minMs && minMs > 1 ? ` of ${minMs / UNIT_MS.m}m at least` : "";
    const limit = durationMs > maxMs ? ` of ${maxMs / UNIT_MS.h}h at most` : least;
    problems.push(`${name} is "${written}"; write a number and s, m or h${limit}, such as ${fallback}.`);
    return 0;
  };
  const list = (name: string): readonly string[] =>
    (text(name) ?? "").split(",").flatMap((entry) => entry.trim() || []);
  /** Hosts and networks that may be dialled although they are not public. */
  const hosts = (name: string): readonly string[] => {
    const listed = list(name);
    try {
      parseAllowedHosts(listed);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problems.push(`${name}: ${error.message}`);
    }
    return listed;
  };
  const folders = (name: string): readonly string[] => {
    const listed = list(name);
    for (const folder of listed) {
      if (!path.isAbsolute(folder))
        problems.push(`${name} has "${folder}"; write folders as /opt/jdk,/srv/cache.`);
    }
    return listed;
  };
  /** Addresses, and networks in CIDR notation. */
  const networks = (name: string): readonly string[] => {
    const listed = list(name);
    for (const network of listed) {
      const [address = "", prefix, ...more] = network.split("/");
      const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
      const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : 0;
      // A prefix of 0 would trust the whole internet, and clients could choose the address that is recorded.
      if (more.length === 0 && length >= 1 && length <= bits) continue;
      problems.push(`${name} has "${network}"; write addresses or networks as 192.0.2.1 or 10.0.0.0/8.`);
    }
    return listed;
  };
  /** Null where the variable is not set. */
  const dnsServers = (name: string): readonly HostPort[] | null => {
    const value = text(name);
    if (value === null) return null;
    return value.split(",").flatMap((entry) => {
      const match = /^\s*(?:\[([0-9a-f:.]+)\]|([0-9.]+))(?::(\d{1,5}))?\s*$/i.exec(entry);
      const host = match?.[1] ?? match?.[2];
      const port = Number(match?.[3] ?? 53);
      if (host !== undefined && isIP(host) !== 0 && port >= 1 && port <= 65_535) return { host, port };
      problems.push(`${name} has "${entry.trim()}"; write addresses as 192.0.2.1:53 or [2001:db8::1]:53.`);
      return [];
    });
  };
  return {
    problems,
    text,
    oneOf,
    wholeNumber,
    url,
    databaseUrl,
    duration,
    list,
    hosts,
    folders,
    networks,
    dnsServers,
  };
}

/** Whether an address leads to this machine. */
export function isLoopbackUrl(url: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
}
