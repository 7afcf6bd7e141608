/** The part of a domain's owner, played in the sandbox's DNS. */
import type { Domain, Slipway } from "../../../../sdk/src/index.ts";
import type { Output } from "../../output/output.ts";

/** A function that sets each record of a domain that is not set yet. */
export function createSandboxDns(client: Slipway, output: Output): (domain: Domain) => Promise<void> {
  const done = new Set<string>();
  return async ({ dnsRecords }) => {
    for (const { status, type, name, value } of dnsRecords) {
      if (status === "OK" || done.has(`${type} ${name}`)) continue;
      done.add(`${type} ${name}`);
      await client.request("PUT", "/sandbox/dns/records", { body: { name, type, values: [value] } });
      output.progress(`Set ${type} ${name} in the sandbox's DNS.`);
    }
  };
}

/** No resolver of this machine knows the sandbox's names. */
export async function sayHowToOpen(
  client: Slipway,
  output: Output,
  domains: readonly Domain[],
): Promise<void> {
  const { edge } = await client.request<{ edge: number }>("GET", "/sandbox/ports");
  const [domain] = domains;
  if (domain === undefined) return;
  const host = new URL(client.url).hostname;
  output.progress(
    `To open it in a browser on the sandbox's machine: ${client.url}/sandbox/console/open/${domain.name}`,
  );
  output.progress(`With HTTPS: curl -O ${client.url}/sandbox/ca.pem`);
  output.progress(
    `            curl --cacert ca.pem --connect-to ${domain.name}:443:${host}:${edge} https://${domain.name}/`,
  );
}
