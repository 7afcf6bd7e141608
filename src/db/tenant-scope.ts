/**
 * Row-level security: the second wall behind the statements, which all name their organization. A piece of work first
 * says whose rows it may use, as authentication found, not as the statement says. Each of its statements then runs under
 * a role that does not own the tables. The policies show this role only the rows of that organization, so a statement
 * that forgets its organization finds no other's rows. Work across all organizations says so and runs as the owner.
 *
 * The scope is set for a transaction, not for a session: behind a pooler, sessions change between transactions.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Database } from "./database.ts";

/** Whose rows a piece of work may use. */
type Scope = { readonly organizationId: string } | "every organization";

export type TenantScope = {
  readonly within: <T>(organizationId: string, work: () => Promise<T>) => Promise<T>;
  readonly acrossOrganizations: <T>(work: () => Promise<T>) => Promise<T>;
  readonly restrict: Database["restrict"];
  /**
   * What sets the scope of the present work; null if it runs as the owner.
   * @throws Error when no scope was set
   */
  readonly opening: () => Opening | null;
};

export type Opening = {
  /** What a transaction begins with. */
  readonly begin: string;
  /** The values of the two settings; null if Citus has to pass them on, which it does not do for `set_config`. */
  readonly settings: readonly [role: string, organizationId: string] | null;
};

export function createTenantScope(): TenantScope {
  const scopes = new AsyncLocalStorage<Scope>();
  let tenant: Parameters<Database["restrict"]>[0] | null = null;
  return {
    within: (organizationId, work) => scopes.run({ organizationId }, work),
    acrossOrganizations: (work) => scopes.run("every organization", work),
    restrict(given) {
      tenant = given;
    },
    opening() {
      if (tenant === null) return null;
      const scope = scopes.getStore();
      if (scope === "every organization") return null;
      if (scope === undefined) {
        throw new Error(
          "A statement must say whose rows it touches: run it in db.within(organizationId, …) or db.acrossOrganizations(…), or name it with readAsOwner.",
        );
      }
      const { role, isDistributed } = tenant;
      const { organizationId } = scope;
      return {
        begin: `BEGIN;SET LOCAL ROLE ${quoteIdentifier(role)};SET LOCAL slipway.organization_id TO ${quoteId(organizationId)}`,
        settings: isDistributed ? null : [role, organizationId],
      };
    },
  };
}

/** Quotes an identifier as PostgreSQL reads it. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes an id. Our ids need no escape; any other text is refused before it reaches a statement. */
function quoteId(id: string): string {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(id)) throw new Error("Invalid organization id.");
  return `'${id}'`;
}
