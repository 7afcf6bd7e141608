/**
 * How features declare their endpoints. A read runs statements and returns a body; a write runs one
 * command in one transaction, which also holds its audit entry and its idempotency record, so that an
 * answer is repeatable exactly when its effect is there. What asks the outside world goes into
 * `prepare`, before the transaction: no connection is held while somebody else's server thinks.
 */
import type { Static, TSchema } from "typebox";
import type { Sql, Transaction } from "../db/database.ts";
import type { Actor, Role } from "../lib/actor.ts";
import type { Fault } from "../lib/errors.ts";
import type { ServerEvent } from "./event-stream.ts";
import type { Tag } from "./openapi/openapi.ts";
import type { Params } from "./requests/params.ts";
import type { Precondition } from "./requests/precondition.ts";
import type { NO_QUERY } from "./schemas.ts";

export type Described = {
  /** A short sentence in the imperative; the title in the reference. */
  readonly summary: string;
  readonly description?: string;
  readonly tag: Tag;
  /** Name of the operation in generated clients, where the one that follows from method and path will not do. */
  readonly operationId?: string;
  readonly role: Role;
  /** By status: the members in which the example of this answer differs from what its schema gives. */
  readonly examples?: Readonly<Record<number, object>>;
};

export type ReadRoute<Path extends string, Q extends TSchema, R extends TSchema> = Described & {
  readonly path: Path;
  readonly query?: Q;
  readonly response: R;
  /**
   * Ids whose change may change the answer, which is `body` now. Makes `Prefer: wait` available; called only for a
   * client that waits.
   */
  readonly watch?: (request: {
    actor: Actor;
    params: Params<Path>;
    query: Static<Q>;
    body: Static<R>;
  }) => readonly string[] | Promise<readonly string[]>;
  /** `sql` is the transaction of a write whose If-Match is compared with the answer, else the database. */
  readonly handle: (request: {
    sql: Sql;
    actor: Actor;
    params: Params<Path>;
    query: Static<Q>;
  }) => Promise<Static<R>>;
  /** Makes `Accept: text/event-stream` available: what comes, live, until `signal` fires. */
  readonly events?: (request: {
    actor: Actor;
    params: Params<Path>;
    query: Static<Q>;
    /** The id of the last event that a client had which comes again. */
    lastEventId: string | null;
    signal: AbortSignal;
  }) => AsyncIterable<ServerEvent>;
  /** One of these events, as a choice (`oneOf`) by its `event`, for the reference. */
  readonly eventSchema?: TSchema;
};

export type Reply = {
  readonly status: 200 | 201 | 202 | 204;
  readonly body?: unknown;
  /** Path of the resource that was made, or where its progress shows. */
  readonly location?: string;
};

type Method<Path extends string> =
  | { readonly method: "POST"; readonly precondition?: never }
  | { readonly method: "PATCH" | "PUT" | "DELETE"; readonly precondition: Precondition<Path> };

export type WriteRoute<Path extends string, B extends TSchema, Prepared> = Described &
  Method<Path> & {
    readonly path: Path;
    readonly body?: B;
    /** By status; null for an answer without body. */
    readonly responses: Readonly<Partial<Record<Reply["status"], TSchema | null>>>;
    /**
     * What the schema cannot say of a body, reported beside what it says, all at once. Gets whatever was
     * sent, of the right shape or not. Pure.
     */
    readonly findFaults?: (body: unknown) => readonly Fault[];
    readonly prepare?: (request: {
      actor: Actor;
      params: Params<Path>;
      body: Static<B>;
    }) => Promise<Prepared>;
    readonly commit: (request: {
      tx: Transaction;
      actor: Actor;
      params: Params<Path>;
      body: Static<B>;
      prepared: Prepared;
    }) => Promise<Reply>;
  };

export interface Http {
  read<const Path extends string, R extends TSchema, Q extends TSchema = typeof NO_QUERY>(
    route: ReadRoute<Path, Q, R>,
  ): void;
  write<const Path extends string, B extends TSchema = TSchema, Prepared = undefined>(
    route: WriteRoute<Path, B, Prepared>,
  ): void;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set by authentication; null on routes without. */
    actor: Actor | null;
    /** The body as it came, for fingerprints and signatures; zeros once a write has taken its fingerprint. */
    rawBody: Buffer | null;
  }
}
