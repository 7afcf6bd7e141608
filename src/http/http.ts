/**
 * How features declare their endpoints. A read runs statements and returns a body. A write runs one
 * command in one transaction, together with its audit entry and its idempotency record, so an answer is
 * repeatable exactly if its effect exists. Calls to the outside belong in
 * `prepare`, before the transaction, so that no connection is held while another server answers.
 */
import type { Static, TSchema } from "typebox";
import type { Sql, Transaction } from "../db/database.ts";
import type { Needs, Reach } from "../lib/access.ts";
import type { Actor, Role, Scope } from "../lib/actor.ts";
import type { Fault } from "../lib/errors.ts";
import type { ServerEvent } from "./streams.ts";
import type { Tag } from "./openapi/openapi.ts";
import type { Params } from "./openapi/path-parameters.ts";
import type { Precondition } from "./requests/precondition.ts";
import type { NO_QUERY } from "./schemas.ts";
import type { CookieChange } from "./session-cookie.ts";

export type Described = {
  /** A short sentence in the imperative; the title in the reference. */
  readonly summary: string;
  readonly description?: string;
  readonly tag: Tag;
  /** The operation's name in generated clients, if the one derived from method and path is not suitable. */
  readonly operationId?: string;
  /**
   * The method of the SDK, such as `domains.get`, if the one derived from method and path is not suitable. Operations
   * that differ only in their owner may share a method, whose first argument names the owner: `{ environmentId }`.
   */
  readonly sdk?: string;
  /** The role that the caller needs; in the project, if it is about one. */
  readonly role: Role;
  /** The scope that the caller's key needs. */
  readonly scope: Scope;
  /** Needed exactly if the path names no resource of a project (`src/start/places.ts`). */
  readonly reach?: Exclude<Reach, "project">;
  /** By status: the fields in which the example of this answer differs from its schema's examples. */
  readonly examples?: Readonly<Record<number, object>>;
};

/** A request that was admitted and checked. */
type Asked<Path extends string, Q extends TSchema> = {
  readonly actor: Actor;
  readonly params: Params<Path>;
  readonly query: Static<Q>;
};

/** The same, with what ends an answer of any length: the service stops, or the client disconnects. */
type Followed<Path extends string, Q extends TSchema> = Asked<Path, Q> & { readonly signal: AbortSignal };

export type ReadRoute<Path extends string, Q extends TSchema, R extends TSchema> = Described & {
  readonly path: Path;
  readonly query?: Q;
  readonly response: R;
  /**
   * Ids whose change may change the answer. `body` is the present answer. Makes `Prefer: wait` available; only called
   * for a client that waits.
   */
  readonly watch?: (
    request: Asked<Path, Q> & { readonly body: Static<R> },
  ) => readonly string[] | Promise<readonly string[]>;
  /** Whether `Prefer: wait` holds this answer. By default, it holds an answer that the client already has. */
  readonly isHeld?: (body: Static<R>) => boolean;
  /**
   * Fields that change because the resource is used, and may be null. If-Match is not compared with them, so that no
   * change is refused for that.
   */
  readonly unguarded?: readonly (keyof Static<R> & string)[];
  /** Whether its cursors are shown as they are, because clients may make and keep them. */
  readonly hasPlainCursors?: boolean;
  /** `sql` is the transaction of a write whose If-Match is compared with the answer, otherwise the database. */
  readonly handle: (request: Asked<Path, Q> & { readonly sql: Sql }) => Promise<Static<R>>;
  /**
   * Makes `Accept: text/event-stream` available: live events. `lastEventId` is the id of the last event that a
   * reconnecting client has received.
   */
  readonly events?: (
    request: Followed<Path, Q> & { readonly lastEventId: string | null },
  ) => AsyncIterable<ServerEvent>;
  /** The schema of the events, as a choice (`oneOf`) by `event`, for the reference. */
  readonly eventSchema?: TSchema;
  /** Makes `Accept: application/x-ndjson` available: everything that the query finds from its cursor on, in parts. */
  readonly lines?: (request: Followed<Path, Q>) => AsyncIterable<readonly unknown[]>;
  /** The schema of one line, for the reference. */
  readonly lineSchema?: TSchema;
  /**
   * Other forms of everything that the query finds from its cursor on, in parts. By the word that the query has as
   * `format`; or a client asks for the media type.
   */
  readonly files?: Readonly<
    Record<
      string,
      {
        readonly type: string;
        readonly example: string;
        readonly open: (request: Followed<Path, Q>) => AsyncIterable<string>;
      }
    >
  >;
};

export type Reply = {
  readonly status: 200 | 201 | 202 | 204;
  readonly body?: unknown;
  /** The path of the created resource, or of its progress. */
  readonly location?: string;
  /** The change of the session's cookie. */
  readonly session?: CookieChange;
};

type Method<Path extends string> =
  | { readonly method: "POST"; readonly precondition?: never }
  | { readonly method: "PATCH" | "PUT" | "DELETE"; readonly precondition: Precondition<Path> };

export type WriteRoute<Path extends string, B extends TSchema, Prepared, Q extends TSchema> = Described &
  Method<Path> & {
    readonly path: Path;
    readonly query?: Q;
    readonly body?: B;
    /** By status; null for an answer without a body. */
    readonly responses: Readonly<Partial<Record<Reply["status"], TSchema | null>>>;
    /**
     * What the schema cannot check of a body; reported together with the schema's faults. Gets whatever was
     * sent, even if its shape is wrong. Pure.
     */
    readonly findFaults?: (body: unknown) => readonly Fault[];
    /** Makes `Content-Type: text/csv` available. `read` says what the body would be as JSON. Pure. */
    readonly csv?: { readonly read: (text: string) => unknown; readonly example: string };
    readonly prepare?: (request: Asked<Path, Q> & { readonly body: Static<B> }) => Promise<Prepared>;
  } & (
    | {
        readonly commit: (request: Accepted<Path, B, Prepared, Q> & { tx: Transaction }) => Promise<Reply>;
        readonly commitAll?: never;
        readonly changes?: never;
      }
    | {
        /**
         * Carries out several requests of one organization in one transaction, and answers each in their order. They
         * arrived while other requests were under way, and no two of them change the same thing. A single request gets
         * its own transaction.
         */
        readonly commitAll: (
          tx: Transaction,
          all: readonly Accepted<Path, B, Prepared, Q>[],
        ) => Promise<readonly Reply[]>;
        /** What a request changes, as keys of any form; null if it needs a transaction to itself. Pure. */
        readonly changes: (request: Accepted<Path, B, Prepared, Q>) => readonly string[] | null;
        readonly commit?: never;
      }
  );

/** A request to write whose body was checked. */
export type Accepted<Path extends string, B extends TSchema, Prepared, Q extends TSchema> = Asked<Path, Q> & {
  readonly body: Static<B>;
  readonly prepared: Prepared;
};

export interface Http {
  /** What each operation needs, by its id. To be called when all are registered. */
  operations(): ReadonlyMap<string, Needs>;
  read<const Path extends string, R extends TSchema, Q extends TSchema = typeof NO_QUERY>(
    route: ReadRoute<Path, Q, R>,
  ): void;
  write<
    const Path extends string,
    B extends TSchema = TSchema,
    Prepared = undefined,
    Q extends TSchema = typeof NO_QUERY,
  >(
    route: WriteRoute<Path, B, Prepared, Q>,
  ): void;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set by authentication; null on routes without. */
    actor: Actor | null;
    /** The received bytes, for fingerprints and signatures; zeroed once a write has taken its fingerprint. */
    rawBody: Buffer | null;
  }
}
