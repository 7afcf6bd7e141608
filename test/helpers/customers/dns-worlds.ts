/** The DNS of a customer in which a finding of Slipway comes about. */
import type { ExpectedRecord, PropagationErrorCode } from "../../../src/dns/dns.ts";
import { brokenOff, type DnsTestZones, type Script, silent, withRcode } from "./dns-server.ts";

export type Records = DnsTestZones["records"];
export type Place = { readonly name: string; readonly zone: string; readonly type: "CNAME" | "ALIAS" };
/** What the name servers of a zone answer. Without servers, the registry answers for the zone. */
export type World = {
  readonly record: ExpectedRecord;
  readonly servers: readonly (Partial<DnsTestZones> & { readonly records: Records })[];
  readonly registry?: Records;
};

export const TARGET = "d1.cdn.net";
export const TARGET_ADDRESS = "203.0.113.1";

export function rightAt({ name, type }: Place): Records {
  return type === "CNAME" ? { [`${name} CNAME`]: [TARGET] } : { [`${name} A`]: [TARGET_ADDRESS] };
}
export function world({ name, type }: Place, records: Records, more: Partial<DnsTestZones> = {}): World {
  return { record: { name, type, value: TARGET }, servers: [{ ...more, records }] };
}
const scripted = (script: Script) => (place: Place) =>
  world(place, {}, { scripts: { [`${place.name} CNAME`]: script } });

/** How each finding comes about at a place. */
export const FINDINGS: Readonly<
  Record<Exclude<PropagationErrorCode, "DNSSEC_BROKEN"> | "OK", (place: Place) => World>
> = {
  OK: (place) => world(place, rightAt(place)),
  NOT_FOUND: (place) => world(place, {}),
  WILDCARD_ENDED: (place) =>
    world(place, {
      [`*.${place.name.slice(place.name.indexOf(".") + 1)} A`]: ["192.0.2.10"],
      [`_x.${place.name} CNAME`]: ["_y.validations.test"],
    }),
  NOT_REGISTERED: ({ name, type }) => ({ record: { name, type, value: TARGET }, servers: [] }),
  WRONG_VALUE: (place) =>
    world(
      place,
      place.type === "CNAME"
        ? { [`${place.name} CNAME`]: ["d1.other.net"] }
        : { [`${place.name} A`]: ["192.0.2.9"] },
    ),
  ZONE_NAME_DOUBLED: (place) => world(place, rightAt({ ...place, name: `${place.name}.${place.zone}` })),
  PROXIED: (place) => world(place, { [`${place.name} A`]: ["104.16.0.1"] }),
  CONFLICTING_RECORDS: (place) =>
    world(
      place,
      place.type === "CNAME"
        ? { [`${place.name} A`]: ["192.0.2.9"] }
        : { [`${place.name} A`]: [TARGET_ADDRESS, "192.0.2.9"] },
    ),
  CNAME_LOOP: (place) =>
    world(place, {
      [`${place.name} CNAME`]: [`a.${place.zone}`],
      [`a.${place.zone} CNAME`]: [place.name],
    }),
  CAA_REFUSES: ({ name, type, zone }) => ({
    record: { type: "CAA", name, issuers: ["amazon.com"], needsCname: type === "CNAME" },
    servers: [{ records: { [`${zone} CAA`]: ['0 issue "letsencrypt.org"'] } }],
  }),
  SERVERS_DISAGREE: (place) => ({
    ...world(place, rightAt(place)),
    servers: [{ records: rightAt(place) }, { records: {} }],
  }),
  SERVFAIL: scripted(withRcode(2)),
  REFUSED: scripted(withRcode(5)),
  TIMEOUT: scripted(silent),
  NOT_CHECKED: ({ name, zone }) => ({
    record: { type: "CAA", name, issuers: ["amazon.com"], needsCname: true },
    servers: [{ records: { [`${name} CNAME`]: [`with space.${zone}`] } }],
  }),
  DELEGATION_BROKEN: (place) => world(place, {}, { zones: ["another.net"] }),
  MALFORMED_ANSWER: scripted(brokenOff),
};
