/**
 * The templates that DNS providers review and keep: which records one application of Slipway sets. As much as possible
 * of each record is fixed, so that a signed request can lead a name nowhere but to the cloud. Pure.
 */

/** An apex has no CNAME: it would remove the zone's other records, such as those of its mail. */
export type TemplateKind = "domain" | "apex";

export const SERVICE_IDS = { domain: "custom-domain", apex: "custom-apex" } as const;

/** A DNS record, with full names in lower case without a trailing dot. */
export type TemplateRecord = { readonly name: string; readonly value: string };

/** What the values of all records end with: those of distributions, and of verification records. */
export type RecordSuffixes = { readonly distribution: string; readonly verification: string };

export type Template = {
  readonly providerId: string;
  readonly providerName: string;
  readonly serviceId: string;
  readonly serviceName: string;
  readonly version: number;
  readonly description: string;
  readonly variableDescription: string;
  readonly syncPubKeyDomain?: string;
  readonly syncRedirectDomain?: string;
  readonly hostRequired?: boolean;
  readonly records: readonly {
    readonly type: string;
    readonly groupId?: string;
    readonly host?: string;
    readonly pointsTo: string;
    readonly ttl: number;
  }[];
};

/** The part of a template that moves no traffic. */
export const VERIFICATION_GROUP = "verification";

const TTL_SECONDS = 300;

/**
 * @param providerId the domain of this installation's operator; the public key is below this domain
 * @param redirectHost the host that the owner comes back to
 */
export function templateOf(
  kind: TemplateKind,
  {
    providerId,
    providerName,
    redirectHost,
    suffixes,
  }: {
    readonly providerId: string;
    readonly providerName: string;
    readonly redirectHost: string;
    readonly suffixes: RecordSuffixes;
  },
): Template {
  const pointsTo = `%distribution%.${suffixes.distribution}`;
  return {
    providerId,
    providerName,
    serviceId: SERVICE_IDS[kind],
    serviceName: kind === "apex" ? "Custom domain (apex)" : "Custom domain",
    version: 1,
    description:
      "Leads a domain to the service that it was added to, and proves control for its certificate.",
    variableDescription:
      "distribution: the label of the distribution that serves the domain; verification, proof: the labels of the certificate's verification record",
    syncPubKeyDomain: providerId,
    syncRedirectDomain: redirectHost,
    ...(kind === "domain" ? { hostRequired: true } : {}),
    records: [
      kind === "apex"
        ? { type: "APEXCNAME", groupId: "connection", pointsTo, ttl: TTL_SECONDS }
        : { type: "CNAME", groupId: "connection", host: "@", pointsTo, ttl: TTL_SECONDS },
      {
        type: "CNAME",
        groupId: VERIFICATION_GROUP,
        host: "_%verification%",
        pointsTo: `_%proof%.${suffixes.verification}`,
        ttl: TTL_SECONDS,
      },
    ],
  };
}

/** Which template fits a domain; null for a wildcard, for which there is none. */
export function kindOf(name: string, zone: string): TemplateKind | null {
  if (name.startsWith("*.")) return null;
  if (name === zone) return "apex";
  return name.endsWith(`.${zone}`) ? "domain" : null;
}

/** The template's variables for a domain's records; null if they have another form. */
export function variablesOf(
  name: string,
  records: { readonly verification: TemplateRecord; readonly connection: TemplateRecord },
  suffixes: RecordSuffixes,
): Readonly<Record<"distribution" | "verification" | "proof", string>> | null {
  const { verification, connection } = records;
  const distribution = between("", connection.value, `.${suffixes.distribution}`);
  const label = between("_", verification.name, `.${name}`);
  const proof = between("_", verification.value, `.${suffixes.verification}`);
  if (connection.name !== name || distribution === null || label === null || proof === null) return null;
  return { distribution, verification: label, proof };
}

function between(start: string, text: string, end: string): string | null {
  if (!text.startsWith(start) || !text.endsWith(end)) return null;
  const found = text.slice(start.length, text.length - end.length);
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(found) ? found : null;
}
