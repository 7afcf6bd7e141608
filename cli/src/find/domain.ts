import type { Domain } from "../../../sdk/src/index.ts";
import type { Context } from "../context.ts";
import { notFound } from "../output/failure.ts";

/** By id or name. One name belongs to one domain of an organization. @throws CommandError if there is none */
export async function findDomain(context: Context, named: string): Promise<Domain> {
  const client = await context.client();
  const { signal } = context;
  if (named.startsWith("dom_")) return await client.domains.get(named, { signal });
  // `*.example.com` would also find the names below it, of which the wildcard is one.
  for await (const domain of client.domains.list({ name: named }, { signal }))
    if (!named.startsWith("*.") || domain.name === named.toLowerCase()) return domain;
  throw notFound(`There is no domain ${named}.`, "slipway domains list shows all.");
}
