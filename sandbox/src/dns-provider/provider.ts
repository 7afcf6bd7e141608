import type { CaResolver } from "../dns/ca-resolver.ts";
import { ZONE_SERVERS } from "../dns/names.ts";
import { recordConflict, type RecordSet, type Records } from "../dns/records.ts";
import type { SandboxState } from "../state.ts";
import {
  type ApplyRequest,
  ApplyRefusal,
  type OnboardedTemplate,
  readApplyRequest,
} from "./apply-request.ts";

type ConnectZone = {
  readonly name: string;
  readonly organizationId: string | null;
  /** Says yes, and sets nothing. */
  readonly isIdle: boolean;
};

export const CONNECT_SERVERS = ["connect1", "connect2"].map((name) => `${name}.${ZONE_SERVERS}`);

export type DnsProvider = {
  /** Delegates a zone to this provider. @param at authority and path of its settings @throws AppError `RECORD_CONFLICT` */
  addZone(zone: ConnectZone, at: string): void;
  findZone(name: string): ConnectZone | undefined;
  /** @throws AppError `RECORD_CONFLICT` for another organization's */
  addTemplate(template: OnboardedTemplate, organizationId: string | null): void;
  findTemplate(providerId: string, serviceId: string): OnboardedTemplate | undefined;
  /** What an address asks for, of a template and a zone that this provider has. @throws ApplyRefusal */
  read(template: OnboardedTemplate, query: string): Promise<ApplyRequest>;
  /** The sets that would give way. */
  replacedBy(request: ApplyRequest): readonly RecordSet[];
  apply(request: ApplyRequest): void;
};

type StoredTemplate = OnboardedTemplate & { readonly organizationId: string | null };

export function openDnsProvider(state: SandboxState, records: Records, resolver: CaResolver): DnsProvider {
  const zones = state.collection<ConnectZone>("connect-zones");
  const templates = state.collection<StoredTemplate>("connect-templates");
  const keyOf = ({ providerId, serviceId }: Pick<OnboardedTemplate, "providerId" | "serviceId">) =>
    `${providerId}/${serviceId}`;

  async function askTexts(name: string): Promise<readonly string[]> {
    const answers = await resolver.ask(name, "TXT");
    return answers.flatMap((answer) => (answer.type === "TXT" ? [answer.value] : []));
  }
  const replacedBy = ({ sets }: ApplyRequest): readonly RecordSet[] =>
    sets.flatMap((desired) => records.at(desired.name).filter((present) => givesWay(present, desired)));

  return {
    addZone(zone, at) {
      const { name, organizationId } = zone;
      records.put({ name, type: "NS", values: CONNECT_SERVERS, ttl: 60 }, organizationId);
      const text = { name: `_domainconnect.${name}`, type: "TXT", values: [at], ttl: 60 } as const;
      records.put(text, organizationId);
      zones.put(name, zone);
    },
    findZone: (name) => zones.get(name),
    addTemplate(template, organizationId) {
      const present = templates.get(keyOf(template));
      if (present !== undefined && present.organizationId !== organizationId)
        throw recordConflict("Another organization of this Slipway has a template with this id.");
      templates.put(keyOf(template), { ...template, organizationId });
    },
    findTemplate: (providerId, serviceId) => templates.get(keyOf({ providerId, serviceId })),
    async read(template, query) {
      const request = await readApplyRequest(template, query, askTexts);
      if (zones.get(request.domain) === undefined)
        throw new ApplyRefusal(`The zone ${request.domain} is not at this provider.`);
      return request;
    },
    replacedBy,
    apply(request) {
      const zone = zones.get(request.domain);
      if (zone === undefined || zone.isIdle) return;
      for (const { name, type } of replacedBy(request)) records.remove(name, type);
      for (const set of request.sets) records.put(set, zone.organizationId);
    },
  };
}

/** Whether a set at the same name cannot stay: of the same type with another value, or what a CNAME or ALIAS excludes. */
function givesWay(present: RecordSet, desired: RecordSet): boolean {
  if (present.type === desired.type) return present.values.join() !== desired.values.join();
  return desired.type === "CNAME" || ["A", "AAAA", "CNAME"].includes(present.type);
}
