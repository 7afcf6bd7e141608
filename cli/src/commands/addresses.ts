/** Where people open services. */
import type { Context } from "../context.ts";

/** The public addresses of services that are live: some of their domains, otherwise the host of their distribution. */
export async function listAddresses(
  { client }: Context,
  services: readonly { readonly id: string }[],
): Promise<readonly string[]> {
  const healths = await Promise.all(services.map(async ({ id }) => client.services.getHealth(id)));
  return healths.flatMap(({ urls }) => urls);
}

/** Where a browser opens the addresses. It does not know the names of the sandbox, which has a page for each. */
export async function pagesOf(context: Context, urls: readonly string[]): Promise<readonly string[]> {
  if (urls.length === 0) return [];
  const { cloud } = await context.client.me.get();
  return cloud === "sandbox" ? urls.map((url) => sandboxPageOf(context, new URL(url).hostname)) : urls;
}

/** In the sandbox: says where a browser opens the addresses. */
export async function explainAddresses(context: Context, urls: readonly string[]): Promise<void> {
  const pages = await pagesOf(context, urls);
  for (const page of pages.filter((one) => !urls.includes(one))) context.output.progress(openingOf(page));
}

export const sandboxPageOf = ({ client }: Context, name: string): string =>
  `${client.url}/sandbox/console/open/${name}`;

export const openingOf = (page: string): string =>
  `To open it in a browser on the sandbox's machine: ${page}`;
