import type { Sql } from "../../db/database.ts";
import { isLimited, sees } from "../../lib/access.ts";
import type { Actor } from "../../lib/actor.ts";
import { readSoughtName } from "../custom-domains/names/domain-name.ts";
import { type Found, type Hit, HIT_TYPES, type HitType } from "./hit.ts";
import {
  findAccountsByNumber,
  findBeginning,
  findByNamePart,
  findDeploymentsByMessage,
  showHits,
} from "./store.ts";

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

/** How many of each type are looked through for a caller who does not see all projects. */
const LOOKED_MAX = 200;

/** A shorter text is part of too many commits. */
const COMMIT_DIGITS_MIN = 4;

/**
 * What an organization has of a text: an id, a name that begins with it or contains it, a domain and what is below it, the beginning of a
 * commit's hash, a part of a commit's message.
 * @param limit how many of each type
 */
export async function search(sql: Sql, actor: Actor, text: string, limit: number): Promise<Found> {
  const { organizationId } = actor;
  const sought = text.trim();
  if (sought === "") return { hits: [], more: [] };
  const prefix = /^(?<prefix>[a-z]+)_[0-9a-z]{26}$/.exec(sought)?.groups?.["prefix"] ?? "";
  const typeOfId = TYPE_OF_PREFIX[prefix];
  if (typeOfId !== undefined)
    return { hits: seenBy(actor, await showHits(sql, organizationId, typeOfId, [sought])), more: [] };
  const looked = isLimited(actor) ? LOOKED_MAX : limit + 1;
  const found = await Promise.all(
    HIT_TYPES.map(async (type) => {
      const best = (await findIds(sql, organizationId, type, sought, looked)).flat();
      // What begins with the text comes first, and often is enough.
      const others =
        best.length >= looked ? [] : await findByNamePart(sql, organizationId, type, sought, looked);
      const ids = [...new Set([...best, ...others])];
      const hits = seenBy(actor, await showHits(sql, organizationId, type, ids.slice(0, looked)));
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
  sql: Sql,
  organizationId: string,
  type: HitType,
  sought: string,
  limit: number,
): Promise<readonly (readonly string[])[]> {
  const find = (what: Parameters<typeof findBeginning>[2], text: string) =>
    findBeginning(sql, organizationId, what, text, limit);
  switch (type) {
    case "project":
      return [await find("projectName", sought)];
    case "environment":
      return [await find("environmentName", sought)];
    case "service":
      return [await find("serviceName", sought)];
    case "domain_group":
      return [await find("groupName", sought)];
    case "aws_account":
      return await Promise.all([
        findAccountsByNumber(sql, organizationId, sought, limit),
        find("accountName", sought),
      ]);
    case "domain": {
      const name = readDomainText(sought);
      if (name === null) return [];
      const below = `.${name.replace(/^\*?\./, "")}`.split("").toReversed().join("");
      return await Promise.all([
        name.startsWith(".") ? [] : find("domainName", name),
        // All names below a top-level domain are not a useful answer.
        below.slice(0, -1).includes(".") ? find("reversedDomainName", below) : [],
      ]);
    }
    case "deployment": {
      const isCommit = sought.length >= COMMIT_DIGITS_MIN && /^[0-9a-f]+$/i.test(sought);
      return await Promise.all([
        isCommit ? find("commitHash", sought) : [],
        findDeploymentsByMessage(sql, organizationId, sought, limit),
      ]);
    }
  }
}

/** The host of an address, or the beginning of a name, in the stored form; null if no domain can begin so. */
function readDomainText(text: string): string | null {
  const host = /^https?:\/\/(?<host>[^/?#:]+)/i.exec(text)?.groups?.["host"] ?? text;
  const lower = host.toLowerCase();
  return /^[a-z0-9.*-]{1,253}$/.test(lower) ? lower : readSoughtName(lower);
}
