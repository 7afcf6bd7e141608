/** A DNS of the test's own, for Slipway and for Pebble: real packets, records set while it runs. */
import { Resolver } from "node:dns/promises";
import { startDnsServer } from "../../../sandbox/src/dns/dns-server.ts";
import {
  createOwnNames,
  joinNames,
  lookUp,
  type Lookup,
  type NameSource,
} from "../../../sandbox/src/dns/look-up.ts";
import { parentOf } from "../../../sandbox/src/dns/names.ts";
import type { DnsRecordType, RecordSet } from "../../../sandbox/src/dns/records.ts";

export type TestNames = {
  readonly host: string;
  readonly port: number;
  /** Replaces the records of this name and type; without values, removes them. Values as in a zone file. */
  set(name: string, type: DnsRecordType, ...values: readonly string[]): void;
  /** Answers TXT questions below a zone from a function, as the zone of delegated challenges does. */
  serveTexts(zone: string, textsAt: (name: string) => readonly string[]): void;
  /** Asks the DNS server at this port of loopback for the texts below a zone, as a resolver does after its delegation. */
  delegate(zone: string, port: number): void;
  stop(): Promise<void>;
};

export async function startTestNames(): Promise<TestNames> {
  const sets = new Map<string, Map<DnsRecordType, RecordSet>>();
  /** Names with records at or below them. */
  const existing = new Set<string>();
  const note = (name: string): void => {
    for (let at: string | null = name; at !== null; at = parentOf(at)) existing.add(at);
  };
  let texts: NameSource = { at: () => [], exists: () => false };
  const records: NameSource = {
    at: (name) => [...(sets.get(name)?.values() ?? [])],
    exists: (name) => existing.has(name),
  };
  const current: NameSource = { at: (name) => texts.at(name), exists: (name) => texts.exists(name) };
  const own = createOwnNames("127.0.0.1", () => false);
  const all = joinNames(records, current, own);
  let delegated: { readonly zone: string; readonly resolver: Resolver } | null = null;
  /** The texts of a chain's end in the delegated zone; null if it ends elsewhere. */
  async function findTexts(name: string, type: string): Promise<Lookup | null> {
    const found = lookUp(all, name, type);
    const last = found.answers.at(-1);
    const end = last?.type === "CNAME" ? last.data : name;
    if (delegated === null || type !== "TXT" || !end.endsWith(`.${delegated.zone}`)) return null;
    const texts = await delegated.resolver.resolveTxt(end).catch(() => []);
    const answers = texts.map((parts) => ({ type: "TXT", name: end, ttl: 0, data: parts.join("") }) as const);
    return { rcode: "NOERROR", answers: [...found.answers, ...answers], authorities: [] };
  }
  const server = await startDnsServer(
    async (name, type) => (await findTexts(name, type)) ?? lookUp(all, name, type),
    {
      host: "127.0.0.1",
      port: 0,
      portVariable: "the test's port",
    },
  );
  return {
    host: server.host,
    port: server.port,
    set(name, type, ...values) {
      const there = sets.get(name) ?? new Map<DnsRecordType, RecordSet>();
      if (values.length === 0) there.delete(type);
      else there.set(type, { name, type, values, ttl: 1 });
      if (there.size > 0) {
        sets.set(name, there);
        return note(name);
      }
      sets.delete(name);
      existing.clear();
      for (const left of sets.keys()) note(left);
    },
    serveTexts(zone, textsAt) {
      const valuesAt = (name: string) => (name.endsWith(`.${zone}`) ? textsAt(name) : []);
      texts = {
        at: (name) => {
          const values = valuesAt(name);
          return values.length === 0 ? [] : [{ name, type: "TXT", values, ttl: 0 }];
        },
        exists: (name) => name === zone || zone.endsWith(`.${name}`) || valuesAt(name).length > 0,
      };
    },
    delegate(zone, port) {
      const resolver = new Resolver();
      resolver.setServers([`127.0.0.1:${port}`]);
      delegated = { zone, resolver };
    },
    stop: () => server.stop(),
  };
}
