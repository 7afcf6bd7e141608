import { type Transaction, isUniqueViolation } from "../../db/database.ts";
import { AppError } from "../../lib/errors.ts";
import { CUSTOM_DOMAIN_ERRORS } from "./errors.ts";
import { newId } from "../../lib/ids.ts";
import type { Domain } from "./custom-domain.ts";
import type { NamedDomain } from "./names/read-names.ts";
import { domains } from "./store.ts";

/** A deletion takes about as long as the provider needs to change a distribution. */
export const DELETION_RETRY_SECONDS = 10;

/** Adds domains to a group. @throws AppError `DOMAIN_TAKEN` */
export async function insertDomains(
  tx: Transaction,
  organizationId: string,
  groupId: string,
  names: readonly NamedDomain[],
): Promise<readonly Domain[]> {
  const taken = await domains.findTaken(
    tx,
    organizationId,
    names.map(({ name }) => name),
  );
  if (taken.length > 0) throw domainTaken(taken);
  const created: Domain[] = [];
  // Always in the same order, so that two requests with the same names cannot deadlock.
  for (const { name, type } of names.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    try {
      const domain = await domains.insert(tx, {
        organizationId,
        id: newId("dom"),
        groupId,
        svcAttachmentId: newId("att"),
        name,
        type,
      });
      if (domain !== undefined) created.push(domain);
    } catch (error) {
      if (!isUniqueViolation(error, "domains_name_key")) throw error;
      throw domainTaken([{ name, groupId: null, isWanted: true }], error);
    }
  }
  return names.flatMap(({ name }) => created.filter((domain) => domain.name === name));
}

type Taken = { readonly name: string; readonly groupId: string | null; readonly isWanted: boolean };

function domainTaken(taken: readonly Taken[], cause?: unknown): AppError {
  const list = (some: readonly Taken[]) =>
    some.map(({ name, groupId }) => (groupId === null ? name : `${name} (in group ${groupId})`)).join(", ");
  const kept = taken.filter(({ isWanted }) => isWanted);
  const leaving = taken.filter(({ isWanted }) => !isWanted);
  const said = [
    ...(kept.length === 0
      ? []
      : [
          `A domain can be in only one group of an organization. Taken: ${list(kept)}. Delete each from its group, or leave it out.`,
        ]),
    ...(leaving.length === 0
      ? []
      : [`Being deleted: ${list(leaving)}. Wait until it is gone, then send this again.`]),
  ];
  return new AppError(CUSTOM_DOMAIN_ERRORS.DOMAIN_TAKEN, said.join(" "), {
    cause,
    ...(kept.length === 0 ? { retryAfterSeconds: DELETION_RETRY_SECONDS } : {}),
  });
}
