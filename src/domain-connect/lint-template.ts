import type { Template } from "./template.ts";

const VARIABLE = /%([^%]*)%/g;
/** The protocol's own variables. */
const BUILT_IN: ReadonlySet<string> = new Set(["domain", "host", "fqdn"]);

/**
 * What the review of the public templates refuses, as sentences; none if it would pass. Pure.
 * @see https://github.com/Domain-Connect/Templates
 */
export function lintTemplate(template: Template): readonly string[] {
  const problems: string[] = [];
  const { syncPubKeyDomain, syncRedirectDomain, hostRequired = false, records } = template;
  if ((syncPubKeyDomain ?? "") === "")
    problems.push("Without syncPubKeyDomain, any site could send owners to it with its own values.");
  if ((syncRedirectDomain ?? "") === "")
    problems.push("Without syncRedirectDomain, providers do not lead owners back.");
  for (const id of [template.providerId, template.serviceId])
    if (!/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(id)) problems.push(`"${id}" is not an id.`);
  if (records.length === 0) problems.push("It sets no record.");
  for (const { type, host, pointsTo } of records) {
    if (type === "APEXCNAME" && (host ?? "@") !== "@")
      problems.push(`An APEXCNAME is at the apex, not at ${host}.`);
    if (type === "CNAME" && (host === "@" || host === "" || host === undefined) && !hostRequired)
      problems.push("A CNAME at the apex removes the zone's other records. Use APEXCNAME, or hostRequired.");
    for (const text of [host ?? "@", pointsTo]) {
      const names = [...text.matchAll(VARIABLE)].map(([, name = ""]) => name);
      if (text.replace(VARIABLE, "") === "") problems.push(`"${text}" is nothing but a variable.`);
      if (names.includes("host"))
        problems.push("%host% is not used: the provider adds the host to each name.");
      for (const name of names)
        if (!BUILT_IN.has(name) && !/^[A-Za-z][A-Za-z0-9_-]*$/.test(name))
          problems.push(`"${name}" is not the name of a variable.`);
    }
  }
  return problems;
}
