import type { Sql } from "../../db/database.ts";
import { isLimited, sees } from "../../lib/access.ts";
import type { Actor } from "../../lib/actor.ts";
import { readSoughtName } from "../custom-domains/domain-name.ts";
import { type Found, type Hit, HIT_TYPES, type HitType } from "./hit.ts";
import { search } from "./store.ts";

/** The types of ids, by their prefix. */
const TYPE_OF_PREFIX: Readonly<Record<string, HitType>> = {
  proj: "project",
  env: "environment",
  svc: "service",
  dom: "domain",
  group: "domain_group",
  depl: "deployment",
  aws: "aws_account",
};

/** How many of each type are checked for a caller who does not see all projects. */
const CHECKED_MAX = 200;

/** A shorter text is part of too many commits. */
const COMMIT_DIGITS_MIN = 4;

/**
 * Finds a text in an organization: an id, a name that begins with it or contains it, a domain and its subdomains, the
 * beginning of a commit's hash, a part of a commit's message.
 * @param limit how many of each type
 */
export async function searchResources(sql: Sql, actor: Actor, given: string, limit: number): Promise<Found> {
  const text = given.trim();
  if (text === "") return { hits: [], more: [] };
  const { organizationId } = actor;
  const of = { sql, organizationId, limit: isLimited(actor) ? CHECKED_MAX : limit + 1 };
  const prefix = /^(?<prefix>[a-z]+)_[0-9a-z]{26}$/.exec(text)?.groups?.["prefix"] ?? "";
  const typeOfId = TYPE_OF_PREFIX[prefix];
  if (typeOfId !== undefined)
    return { hits: seenBy(actor, await search.show(of, typeOfId, [text])), more: [] };
  const found = await Promise.all(
    HIT_TYPES.map(async (type) => {
      const best = (await findIds(of, type, text)).flat();
      // What begins with the text comes first, and often is enough.
      const others = best.length >= of.limit ? [] : await search.byNamePart(of, type, text);
      const ids = [...new Set([...best, ...others])].slice(0, of.limit);
      const hits = seenBy(actor, await search.show(of, type, ids));
      return { type, hits: hits.slice(0, limit), isMore: hits.length > limit };
    }),
  );
  return {
    hits: found.flatMap(({ hits }) => hits),
    more: found.filter(({ isMore }) => isMore).map(({ type }) => type),
  };
}

/** Those of projects that the caller sees, and those of no project. */
function seenBy(actor: Actor, hits: readonly Hit[]): readonly Hit[] {
  return hits.filter(({ projectId }) => projectId === null || sees(actor, projectId));
}

/** In the order of their relevance. */
async function findIds(
  of: Parameters<typeof search.byName>[0],
  type: HitType,
  text: string,
): Promise<readonly (readonly string[])[]> {
  switch (type) {
    case "aws_account":
      return await Promise.all([search.accountsByNumber(of, text), search.byName(of, type, text)]);
    case "domain": {
      const name = readDomainText(text);
      if (name === null) return [];
      const below = `.${name.replace(/^\*?\./, "")}`.split("").toReversed().join("");
      return await Promise.all([
        name.startsWith(".") ? [] : search.domainsByName(of, name),
        // All names below a top-level domain are not a useful answer.
        below.slice(0, -1).includes(".") ? search.domainsBelow(of, below) : [],
      ]);
    }
    case "deployment": {
      const isCommit = text.length >= COMMIT_DIGITS_MIN && /^[0-9a-f]+$/i.test(text);
      return await Promise.all([
        isCommit ? search.deploymentsOfCommit(of, text) : [],
        search.deploymentsByMessage(of, text),
      ]);
    }
    case "project":
    case "environment":
    case "service":
    case "domain_group":
      return [await search.byName(of, type, text)];
  }
}

/** The host of an address, or the beginning of a name, in the stored form; null if no domain can begin so. */
function readDomainText(text: string): string | null {
  const host = /^https?:\/\/(?<host>[^/?#:]+)/i.exec(text)?.groups?.["host"] ?? text;
  const lower = host.toLowerCase();
  return /^[a-z0-9.*-]{1,253}$/.test(lower) ? lower : readSoughtName(lower);
}
