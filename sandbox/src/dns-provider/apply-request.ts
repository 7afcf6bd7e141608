/** What an address of Domain Connect asks for, checked as a provider has to (draft-ietf-dconn-domainconnect). */
import { createPublicKey, verify } from "node:crypto";
import { isAtOrBelow } from "../dns/names.ts";
import type { RecordSet } from "../dns/records.ts";

/** As far as this provider uses them. */
export type OnboardedTemplate = {
  readonly providerId: string;
  readonly providerName: string;
  readonly serviceId: string;
  readonly serviceName: string;
  readonly syncPubKeyDomain: string;
  readonly syncRedirectDomain?: string;
  readonly hostRequired?: boolean;
  readonly records: readonly {
    readonly type: "CNAME" | "APEXCNAME";
    readonly groupId?: string;
    readonly host?: string;
    readonly pointsTo: string;
    readonly ttl: number;
  }[];
};

export type ApplyRequest = {
  readonly domain: string;
  /** The whole name that is set up. */
  readonly name: string;
  readonly sets: readonly RecordSet[];
  /** Where the owner is led back to; null: nowhere. */
  readonly back: URL | null;
};

/** Why a request is refused, as a sentence for the owner. */
export class ApplyRefusal extends Error {
  override readonly name = "ApplyRefusal";
}

const OWN = new Set(["domain", "host", "groupId", "redirect_uri", "state", "sig", "key"]);
const VARIABLE = /%([^%]+)%/g;

/**
 * @param query as it was sent @param askTexts asks the DNS for the texts at a name @throws ApplyRefusal
 */
export async function readApplyRequest(
  template: OnboardedTemplate,
  query: string,
  askTexts: (name: string) => Promise<readonly string[]>,
): Promise<ApplyRequest> {
  await requireSignature(template, query, askTexts);
  const given = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (given.has(name)) throw new ApplyRefusal(`The parameter ${name} is there twice.`);
    given.set(name, value);
  }
  const domain = given.get("domain") ?? "";
  const host = given.get("host") ?? "";
  if (domain === "") throw new ApplyRefusal("The domain is missing.");
  if (template.hostRequired === true && host === "") throw new ApplyRefusal("The template needs a host.");
  const name = host === "" ? domain : `${host}.${domain}`;
  const used = new Set<string>();
  const fill = (text: string): string =>
    text.replace(VARIABLE, (_found, variable: string) => {
      const value = given.get(variable);
      if (value === undefined || value === "" || OWN.has(variable))
        throw new ApplyRefusal(`The variable ${variable} of the template is missing.`);
      used.add(variable);
      return value;
    });
  const all = template.records.map(({ type, groupId, host: at = "@", pointsTo, ttl }) => {
    const owner = at === "@" ? name : `${fill(at)}.${name}`;
    if (type === "CNAME" && owner === domain) throw new ApplyRefusal("An apex cannot have a CNAME.");
    const set: RecordSet = {
      name: owner,
      type: type === "CNAME" ? "CNAME" : "ALIAS",
      values: [fill(pointsTo)],
      ttl,
    };
    return { set, groupId };
  });
  const unknown = [...given.keys()].find((one) => !OWN.has(one) && !used.has(one));
  if (unknown !== undefined) throw new ApplyRefusal(`The template has no variable ${unknown}.`);
  const group = given.get("groupId");
  const sets = all.flatMap(({ set, groupId }) => (group === undefined || group === groupId ? [set] : []));
  return { domain, name, sets, back: readBack(template, given) };
}

async function requireSignature(
  template: OnboardedTemplate,
  query: string,
  askTexts: (name: string) => Promise<readonly string[]>,
): Promise<void> {
  const pairs = query.split("&");
  const valueOf = (name: string): string =>
    decodeURIComponent(pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? "");
  const [signature, key] = [valueOf("sig"), valueOf("key")];
  if (signature === "" || !/^[\w-]{1,63}$/.test(key)) throw new ApplyRefusal("The request is not signed.");
  const signed = pairs.filter((pair) => !/^(?:sig|key)=/.test(pair)).join("&");
  const texts = await askTexts(`${key}.${template.syncPubKeyDomain}`);
  const parts = texts
    .map((text) => new Map(text.split(",").map((pair) => [pair.slice(0, 1), pair.slice(2)])))
    .toSorted((one, other) => Number(one.get("p")) - Number(other.get("p")));
  const der = Buffer.from(parts.map((part) => part.get("d") ?? "").join(""), "base64");
  if (!isSigned(der, signed, Buffer.from(signature, "base64")))
    throw new ApplyRefusal(
      `The signature does not fit the key at ${key}.${template.syncPubKeyDomain}, or there is none.`,
    );
}

function isSigned(publicKey: Buffer, text: string, signature: Buffer): boolean {
  try {
    const key = createPublicKey({ key: publicKey, format: "der", type: "spki" });
    return verify("RSA-SHA256", Buffer.from(text), key, signature);
  } catch {
    return false;
  }
}

function readBack(template: OnboardedTemplate, given: ReadonlyMap<string, string>): URL | null {
  const uri = given.get("redirect_uri");
  if (uri === undefined || !URL.canParse(uri)) return null;
  const back = new URL(uri);
  const allowed = (template.syncRedirectDomain ?? "").split(",").map((host) => host.trim());
  const isAllowed = allowed.some((host) => host !== "" && isAtOrBelow(back.hostname, host));
  if (!isAllowed || !/^https?:$/.test(back.protocol)) return null;
  const state = given.get("state");
  if (state !== undefined) back.searchParams.set("state", state);
  return back;
}
