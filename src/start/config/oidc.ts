import type { GroupRule, ProviderSettings } from "../../oidc/provider.ts";
import { isLoopbackUrl, type Values } from "./values.ts";

const PARTS = [
  "ISSUER",
  "CLIENT_ID",
  "CLIENT_SECRET",
  "LABEL",
  "SCOPES",
  "GROUPS_CLAIM",
  "ROLES",
  "ORGANIZATION",
  "LINK_BY_EMAIL",
];
const VARIABLE = new RegExp(`^SLIPWAY_OIDC_(?<name>[A-Z][A-Z0-9]{0,30})_(?:${PARTS.join("|")})(?:_FILE)?$`);

/** The names of providers, as variables have them, in their order. */
export function oidcNames(env: NodeJS.ProcessEnv): readonly string[] {
  const names = Object.keys(env).flatMap((variable) => VARIABLE.exec(variable)?.groups?.["name"] ?? []);
  return [...new Set(names)].toSorted((a, b) => (a < b ? -1 : 1));
}

/** The identity providers: `SLIPWAY_OIDC_<NAME>_ISSUER` and the like. They are not asked here. */
export function readOidc(
  env: NodeJS.ProcessEnv,
  { text, oneOf, url, problems }: Values,
): readonly ProviderSettings[] {
  for (const variable of Object.keys(env)) {
    if (!variable.startsWith("SLIPWAY_OIDC_") || VARIABLE.test(variable)) continue;
    problems.push(
      `${variable} is not known. Write SLIPWAY_OIDC_<NAME>_… with a name of capitals and digits, and one of ${PARTS.join(", ")}.`,
    );
  }
  return oidcNames(env).map((name) => {
    const of = (part: string): string => `SLIPWAY_OIDC_${name}_${part}`;
    const issuer = url(of("ISSUER"), ["https:", "http:"]);
    const clientId = text(of("CLIENT_ID"));
    if (text(of("ISSUER")) === null || clientId === null)
      problems.push(`${of("ISSUER")} and ${of("CLIENT_ID")} must both be set.`);
    if (issuer?.startsWith("http:") === true && !isLoopbackUrl(issuer))
      problems.push(`${of("ISSUER")} must begin with https://; http:// is only for this machine.`);
    const organizationId = text(of("ORGANIZATION"));
    if (organizationId !== null && !ORGANIZATION.test(organizationId))
      problems.push(`${of("ORGANIZATION")} must be the id of an organization, such as org_01kahxq2s5….`);
    return {
      name: name.toLowerCase(),
      label: text(of("LABEL")) ?? name.toLowerCase(),
      // As it is written: the provider's tokens have to say the same, with its slash.
      issuer: text(of("ISSUER")) ?? "",
      clientId: clientId ?? "",
      clientSecret: text(of("CLIENT_SECRET")),
      scopes: text(of("SCOPES")) ?? "openid profile email",
      groupsClaim: text(of("GROUPS_CLAIM")) ?? "groups",
      rules: readRules(of("ROLES"), text(of("ROLES")), problems),
      organizationId,
      linksByEmail: oneOf(of("LINK_BY_EMAIL"), ["on", "off"], "off") === "on",
    };
  });
}

const ORGANIZATION = /^org_[0-9a-z]{1,40}$/;
/** A group in double quotes may have a comma; a double quote in it is written twice. */
const QUOTED = `"(?:[^"]|"")*"`;
/** Greedy, so that a group may have an equals sign. */
const RULE = new RegExp(
  `^(?<group>${QUOTED}|.+)=(?<role>viewer|developer|admin)(?:@(?<organization>org_[0-9a-z]{1,40}))?$`,
);
/** Quotes begin a rule, or are part of a group. */
const RULES = new RegExp(`\\s*(?<rule>${QUOTED}[^,]*|[^,]*)(?:,|$)`, "gy");

function readRules(name: string, value: string | null, problems: string[]): readonly GroupRule[] {
  const written = [...(value ?? "").matchAll(RULES)].flatMap(({ groups }) => groups?.["rule"]?.trim() || []);
  if (written.length === 0)
    problems.push(`${name} must say which groups have a role, such as platform=admin,*=viewer.`);
  return written.flatMap((one) => {
    const { group: named, role, organization } = RULE.exec(one)?.groups ?? {};
    if (named === undefined || role === undefined) {
      problems.push(
        `${name} has "${one}"; write rules as group=viewer, group=developer or group=admin, with @org_… for another organization. Put a group with a comma in double quotes.`,
      );
      return [];
    }
    const group =
      named.startsWith('"') && named.length > 1 && named.endsWith('"')
        ? named.slice(1, -1).replaceAll('""', '"')
        : named;
    return { group, role: role as GroupRule["role"], organizationId: organization ?? null };
  });
}
