/**
 * Row-level security, the second wall behind the statements, which all name their organization. Work says first whose
 * rows it may write, from what was authenticated and not from the statement. Each of its writes then runs under a role
 * that does not own the tables, whose policies show it the rows of that organization alone: a statement that forgets
 * its organization finds nothing of another's. What goes over all organizations says so and runs as the owner.
 *
 * `SET LOCAL` and no `set_config`: Citus passes only the former on to the nodes that have the rows.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** Whose rows a piece of work may write. */
type Scope = { readonly organizationId: string } | "every organization";

export type TenantScope = {
  readonly within: <T>(organizationId: string, work: () => Promise<T>) => Promise<T>;
  readonly acrossOrganizations: <T>(work: () => Promise<T>) => Promise<T>;
  /** From now on, writes run under this role. */
  readonly restrictWrites: (role: string) => void;
  /**
   * What a transaction has to begin with; null: nothing.
   * @throws Error when nothing said whose rows it may write
   */
  readonly opening: () => string | null;
};

export function createTenantScope(): TenantScope {
  const scopes = new AsyncLocalStorage<Scope>();
  let role: string | null = null;
  return {
    within: (organizationId, work) => scopes.run({ organizationId }, work),
    acrossOrganizations: (work) => scopes.run("every organization", work),
    restrictWrites(name) {
      role = name;
    },
    opening() {
      if (role === null) return null;
      const scope = scopes.getStore();
      if (scope === "every organization") return null;
      if (scope === undefined) {
        throw new Error(
          "A write must say whose rows it touches: run it in db.within(organizationId, …), or in db.acrossOrganizations(…).",
        );
      }
      return `SET LOCAL ROLE ${quoteIdentifier(role)};SET LOCAL slipway.organization_id TO ${quoteId(scope.organizationId)}`;
    },
  };
}

/** As PostgreSQL reads it in double quotes. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Ids are ours and need no escape; what looks otherwise never reaches the text of a statement. */
function quoteId(id: string): string {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(id)) throw new Error("This is no organization's id.");
  return `'${id}'`;
}
