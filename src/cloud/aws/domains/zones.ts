/**
 * Public hosted zones of Route 53, where the customer's stack allows them. Records are created and deleted, never
 * changed (no UPSERT). Route 53 does either with all records of a call or with none, and refuses a creation if the
 * record exists and a deletion if it is not exactly so. So repeating a call harms nothing: it is refused, and its caller
 * looks. Whether a record is served is not asked of Route 53 (`GetChange`): Slipway looks at the DNS.
 */
import {
  ChangeResourceRecordSetsCommand,
  type Change,
  GetHostedZoneCommand,
  ListHostedZonesByNameCommand,
  ListResourceRecordSetsCommand,
  type ResourceRecordSet,
} from "@aws-sdk/client-route-53";
import {
  CloudError,
  type CloudAccount,
  type CloudZone,
  type CloudZones,
  type ObservedRecords,
  type ZoneRecord,
} from "../../cloud.ts";
import { type Call, required } from "../calls/calls.ts";

/** The zone of all distributions' host names (https://docs.aws.amazon.com/Route53/latest/APIReference/API_AliasTarget.html). */
const CLOUDFRONT_ZONE = "Z2FDTNDATAQYW2";
/** An apex has no CNAME; its alias is one record for each kind of address. */
const ALIAS_TYPES = ["A", "AAAA"] as const;
const TTL_SECONDS = 300;
const ZONES_PAGE = 100;
const RECORDS_PAGE = 300;

export function createZones(call: Call): CloudZones {
  async function idsOf(account: CloudAccount, name: string): Promise<readonly string[]> {
    const api = "route53:ListHostedZonesByName";
    const ids: string[] = [];
    let start: { DNSName: string | undefined; HostedZoneId?: string | undefined } | null = { DNSName: name };
    while (start !== null) {
      const command: ListHostedZonesByNameCommand = new ListHostedZonesByNameCommand({
        ...start,
        MaxItems: ZONES_PAGE,
      });
      const page = await call(account, api, command);
      const zones = required(page.HostedZones, api);
      const same = zones.filter((zone) => plainName(zone.Name) === name);
      ids.push(...same.flatMap(({ Id, Config }) => (Id === undefined || Config?.PrivateZone ? [] : [Id])));
      const isMore = page.IsTruncated === true && same.length === zones.length;
      start = isMore ? { DNSName: page.NextDNSName, HostedZoneId: page.NextHostedZoneId } : null;
    }
    return ids.map((id) => id.replace(/^\/hostedzone\//, ""));
  }

  async function read(account: CloudAccount, id: string): Promise<CloudZone> {
    const api = "route53:GetHostedZone";
    const command = new GetHostedZoneCommand({ Id: id });
    const { DelegationSet } = await call(account, api, command);
    return { id, nameServers: required(DelegationSet?.NameServers, api).map(plainName) };
  }

  /** The records of names, which are in the zone's order. A page has all records before the name at which it ends. */
  async function list(
    account: CloudAccount,
    zoneId: string,
    names: readonly string[],
  ): Promise<readonly ResourceRecordSet[]> {
    const api = "route53:ListResourceRecordSets";
    const found = new Map<string, ResourceRecordSet>();
    let left = names;
    let within: object = {};
    for (let [first] = left; first !== undefined; [first] = left) {
      const start = { StartRecordName: first, ...within };
      const command = new ListResourceRecordSetsCommand({
        ...start,
        HostedZoneId: zoneId,
        MaxItems: RECORDS_PAGE,
      });
      const page = await call(account, api, command);
      for (const set of required(page.ResourceRecordSets, api))
        found.set(`${set.Name} ${set.Type} ${set.SetIdentifier ?? ""}`, set);
      if (page.IsTruncated !== true) break;
      const next = plainName(page.NextRecordName);
      const isWithin = next === first;
      within = isWithin
        ? { StartRecordType: page.NextRecordType, StartRecordIdentifier: page.NextRecordIdentifier }
        : {};
      left = left.filter((name) => (name === first ? isWithin : !isBefore(name, next)));
    }
    return [...found.values()].filter((set) => names.includes(plainName(set.Name)));
  }

  async function change(
    account: CloudAccount,
    zoneId: string,
    action: "CREATE" | "DELETE",
    records: readonly ZoneRecord[],
  ): Promise<void> {
    const changes = records
      .flatMap((record) => setsOf(record))
      .map((set): Change => {
        return { Action: action, ResourceRecordSet: set };
      });
    const command = new ChangeResourceRecordSetsCommand({
      HostedZoneId: zoneId,
      ChangeBatch: { Changes: changes },
    });
    await call(account, "route53:ChangeResourceRecordSets", command);
  }

  return {
    async find(account, name) {
      const found: CloudZone[] = [];
      let denial: CloudError | null = null;
      for (const id of await idsOf(account, name)) {
        try {
          found.push(await read(account, id));
        } catch (error) {
          // Denied: the stack does not name this zone, but may name another one. Gone: the zone was just deleted.
          if (!(error instanceof CloudError) || (error.kind !== "denied" && error.kind !== "gone"))
            throw error;
          if (error.kind === "denied") denial = error;
        }
      }
      if (denial !== null && found.length === 0) throw denial;
      return found;
    },

    async look(account, zoneId, names) {
      const plain = names.filter(isPlain).toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
      const groups = [plain, ...names.filter((name) => !isPlain(name)).map((name) => [name])];
      const found: ResourceRecordSet[] = [];
      for (const group of groups) found.push(...(await list(account, zoneId, group)));
      const sets = Map.groupBy(found, ({ Name }) => plainName(Name));
      return names.map((name) => readSets(sets.get(name) ?? []));
    },

    create: (account, zoneId, records) => change(account, zoneId, "CREATE", records),
    delete: (account, zoneId, records) => change(account, zoneId, "DELETE", records),
  };
}

/** Route 53's order: by the reversed labels, with the dot at the end (API reference, ListResourceRecordSets). */
function orderOf(name: string): string {
  return `${name.split(".").toReversed().join(".")}.`;
}

/** Of characters that Route 53 writes as they are, so that the order is certain. */
function isPlain(name: string): boolean {
  return /^[a-z0-9._-]+$/.test(name);
}

function isBefore(name: string, other: string): boolean {
  return isPlain(other) && orderOf(name) < orderOf(other);
}

function setsOf({ type, name, value }: ZoneRecord): readonly ResourceRecordSet[] {
  if (type === "CNAME")
    return [{ Name: name, Type: type, TTL: TTL_SECONDS, ResourceRecords: [{ Value: value }] }];
  const AliasTarget = { HostedZoneId: CLOUDFRONT_ZONE, DNSName: value, EvaluateTargetHealth: false };
  return ALIAS_TYPES.map((Type) => ({ Name: name, Type, AliasTarget }));
}

/** The sets of one name. Aliases of both kinds of address to the same distribution are one `ALIAS`, as they were created. */
function readSets(sets: readonly ResourceRecordSet[]): readonly ObservedRecords[] {
  const targets = ALIAS_TYPES.map((type) => {
    const alias = sets.filter((set) => set.Type === type && set.SetIdentifier === undefined);
    return alias.length === 1 ? distributionOf(alias[0]?.AliasTarget) : null;
  });
  const [target, other] = targets;
  const isAlias = target !== null && target !== undefined && target === other;
  const rest = sets.filter(({ Type }) => !(isAlias && ALIAS_TYPES.some((type) => type === Type)));
  return [
    ...(isAlias ? [{ type: "ALIAS", values: [target] }] : []),
    ...rest.map(({ Type = "", AliasTarget, ResourceRecords = [] }) => ({
      type: Type,
      values:
        AliasTarget === undefined
          ? ResourceRecords.map(({ Value = "" }) => (Type === "CNAME" ? plainName(Value) : Value))
          : [`alias of ${plainName(AliasTarget.DNSName)}`],
    })),
  ];
}

function distributionOf(target: ResourceRecordSet["AliasTarget"]): string | null {
  return target?.HostedZoneId === CLOUDFRONT_ZONE ? plainName(target.DNSName) : null;
}

/** As we write names. Route 53 ends them with a dot and writes other characters than letters, digits and hyphens in octal. */
function plainName(name: string | undefined): string {
  return (name ?? "")
    .replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)))
    .replace(/\.$/, "")
    .toLowerCase();
}
