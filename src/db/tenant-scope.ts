/**
 * Row-level security: the second wall behind the statements, which all name their organization. A piece of work first
 * says whose rows it may use, as authentication found, not as the statement says. Each of its statements then runs under
 * a role that does not own the tables. The policies show this role only the rows of that organization, so a statement
 * that forgets its organization finds no other's rows. Work across all organizations says so and runs as the owner.
 *
 * It uses `SET LOCAL` in a transaction, not `set_config` and not the settings of a session: Citus passes only the former
 * on to the nodes that have the rows, and behind a pooler, sessions change between transactions.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** Whose rows a piece of work may use. */
type Scope = { readonly organizationId: string } | "every organization";

export type TenantScope = {
  readonly within: <T>(organizationId: string, work: () => Promise<T>) => Promise<T>;
  readonly acrossOrganizations: <T>(work: () => Promise<T>) => Promise<T>;
  /** From now on, statements run under this role. */
  readonly restrict: (role: string) => void;
  /**
   * What a transaction of the present work begins with; null if it runs as the owner.
   * @throws Error when no scope was set
   */
  readonly opening: () => string | null;
};

export function createTenantScope(): TenantScope {
  const scopes = new AsyncLocalStorage<Scope>();
  let role: string | null = null;
  return {
    within: (organizationId, work) => scopes.run({ organizationId }, work),
    acrossOrganizations: (work) => scopes.run("every organization", work),
    restrict(name) {
      role = name;
    },
    opening() {
      if (role === null) return null;
      const scope = scopes.getStore();
      if (scope === "every organization") return null;
      if (scope === undefined) {
        throw new Error(
          "A statement must say whose rows it touches: run it in db.within(organizationId, …) or db.acrossOrganizations(…), or name it with readAsOwner.",
        );
      }
      return `BEGIN;SET LOCAL ROLE ${quoteIdentifier(role)};SET LOCAL slipway.organization_id TO ${quoteId(scope.organizationId)}`;
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
