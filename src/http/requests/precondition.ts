import type { FastifyReply, FastifyRequest } from "fastify";
import type { Actor } from "../../lib/actor.ts";
import type { Sql, Transaction } from "../../db/database.ts";
import { AppError } from "../../lib/errors.ts";
import { HTTP_ERRORS } from "../errors.ts";
import { readIfMatch } from "./conditional.ts";
import type { Params } from "../openapi/path-parameters.ts";

/** What the If-Match of a write is compared with: the ETag of the read that shows the resource. */
export type Precondition<Path extends string> = {
  /** The path of the read, if it differs from the write's. */
  readonly shownAt?: (params: Params<Path>) => {
    readonly path: string;
    readonly params: Readonly<Record<string, string>>;
  };
  /** Makes all other changes of the resource wait until the transaction ends. A missing resource needs no lock. */
  readonly lock: (request: { tx: Transaction; actor: Actor; params: Params<Path> }) => Promise<void>;
};

/** The part of a write that its precondition needs. */
type Guarded<Path extends string> = {
  readonly method: string;
  readonly path: Path;
  readonly precondition?: Precondition<Path>;
};

/** The ETag of what a read answers within a transaction. */
type Show = (request: {
  readonly sql: Sql;
  readonly actor: Actor;
  readonly params: Readonly<Record<string, string>>;
  readonly reply: FastifyReply;
}) => Promise<string>;

/**
 * `If-Match` (RFC 9110, section 13.1.1) of every PATCH, PUT and DELETE. The client's ETag is compared with the one of
 * the resource's read, in the transaction of the write and with the resource locked. So nothing changes it between the
 * comparison and the write.
 */
export function createPreconditions(): {
  addRead(path: string, show: Show): void;
  addWrite<Path extends string>(route: Guarded<Path>): void;
  /** An error if a registered write has no read to compare with. */
  findGap(): Error | undefined;
  /**
   * Null for a request without If-Match. @throws AppError `INVALID_REQUEST`; the function that it returns throws
   * `PRECONDITION_FAILED`
   */
  forRequest<Path extends string>(
    request: FastifyRequest,
    actor: Actor,
    route: Guarded<Path>,
  ): ((tx: Transaction, reply: FastifyReply) => Promise<void>) | null;
} {
  const reads = new Map<string, Show>();
  const writes: { readonly name: string; readonly shownAt: string | null }[] = [];
  const placeOf = <Path extends string>({ path, precondition }: Guarded<Path>, params: Params<Path>) =>
    precondition?.shownAt?.(params) ?? { path, params };

  return {
    addRead: (path, show) => void reads.set(path, show),
    addWrite(route) {
      if (route.method === "POST") return;
      const { path } = placeOf(route, {} as Params<(typeof route)["path"]>);
      writes.push({
        name: `${route.method} ${route.path}`,
        shownAt: route.precondition === undefined ? null : path,
      });
    },
    findGap() {
      const gap = writes.find(({ shownAt }) => shownAt === null || !reads.has(shownAt));
      return (
        gap && new Error(`${gap.name} says by no read that is registered what its If-Match is compared with.`)
      );
    },
    forRequest(request, actor, route) {
      const { precondition } = route;
      const matches = precondition === undefined ? null : readIfMatch(request.headers["if-match"]);
      if (precondition === undefined || matches === null) return null;
      const params = request.params as Params<(typeof route)["path"]>;
      const place = placeOf(route, params);
      return async (tx, reply) => {
        const show = reads.get(place.path);
        if (show === undefined) throw new Error(`Nothing is registered to read ${place.path}.`);
        await precondition.lock({ tx, actor, params });
        if (matches(await show({ sql: tx, actor, params: place.params, reply }))) return;
        throw new AppError(
          HTTP_ERRORS.PRECONDITION_FAILED,
          "The resource has changed since the state in If-Match. Nothing was done. Read it, then send the request with its current ETag.",
        );
      };
    },
  };
}
