import { type Static, type TObject, type TSchema, Type, type TUnsafe } from "typebox";
import type { IdPrefix } from "../lib/ids.ts";
import { writeInstant } from "../lib/instants.ts";
import { LINES, ONE_LINE } from "../lib/shown-text.ts";

/** `T` or null, in the form that JSON Schema and the serializer handle without trying alternatives. */
export function Nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const type = (schema as { type?: unknown }).type;
  if (typeof type !== "string") return Type.Unsafe({ anyOf: [schema, { type: "null" }] });
  return Type.Unsafe({ ...schema, type: [type, "null"] });
}

/** One of these words. */
export function Words<const T extends readonly string[]>(words: T, options: object = {}): TUnsafe<T[number]> {
  return Type.Unsafe({ type: "string", enum: words, ...options });
}

/** For names and other texts in one line. `minLength` reports emptiness, the pattern the rest. */
export const ONE_LINE_TEXT = { minLength: 1, pattern: ONE_LINE };

/** For texts that may have several lines. */
export const LINES_TEXT = { minLength: 1, pattern: LINES };

/** An object that refuses unknown fields by name. */
export function Body<T extends Record<string, TSchema>>(properties: T, options: object = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** A field that may be left out. Validation fills in its `default`, so that handlers always have it. */
export function Defaulted<T extends TSchema>(schema: T): T {
  return Type.Optional(schema);
}

/** The ids in all examples of the reference: the same id means the same resource everywhere. */
export const EXAMPLE_IDS: Readonly<Record<IdPrefix, string>> = {
  org: "org_01kahxq2s5f3v9p6w8b4n7d0ym",
  user: "user_01kahxq2t1e8r4k7c5m9z3g6hs",
  key: "key_01kahxq2v9a6j2n4t8y5w1x3bd",
  ses: "ses_01kahz5c8m2v6x9b3n7q1w4t8e",
  trust: "trust_01kahz6d9n3w7y0c4p8r2x5v9f",
  wtok: "wtok_01kahz6e0p4x8z1d5q9s3y6w0g",
  aws: "aws_7q2k9f4m1x8s3v6b0n5t7c2r9e",
  git: "git_01kahxs8b4p7d1w6q9m3f5k2zv",
  proj: "proj_01kahxv3m6t2c9s5n8h4r7e1xb",
  env: "env_01kahxv3n0w4g7q1b6k9d3f5yz",
  svc: "svc_01kahxv3n8r5m2t9x7c4p6a1je",
  cdn: "cdn_01kahxv3p3d6s8f1z4w9h2k7nq",
  group: "group_01kahy1c7b9v4e2k6t5m8x3wrs",
  dom: "dom_01kahy1c7k2h6p9a3d8f5n4qtz",
  att: "att_01kahy1c7q8w3r5x1m6b9s2cve",
  cert: "cert_01kahy1c80f4n7t2k5z9d3h6yp",
  rec: "rec_01kahy1c86m9e1s4w7q2v5x8ba",
  run: "run_01kahy5wz2c7t3p8r6k1f9n4md",
  ver: "ver_01kahy5wz5d2m7x4s9q3b6v8ke",
  depl: "depl_01kahy9f5h3x6b2s8e4v7w1qzt",
  audit: "audit_01kahy1c8c5d9k2m6r3t7n4fxh",
  whe: "whe_01kahz2m4h1n6r9t3v5x8b2d4g",
  whd: "whd_01kahz2m4t6q8r1x3c5v7b9n2k",
  nch: "nch_01kahz3n5u7r9s2y4d6w8c0p3m",
  ghd: "ghd_01kahz7k1q5t9x3b7d0f4h8m2p",
  prev: "prev_01kahz7k1q5t9x3b7d0f4h8m2p",
  share: "share_01kahz8m2r6u0y4c8e1g5j9n3q",
  inv: "inv_01kahz9n3s7v1z5d9f2h6k0p4r",
  exec: "exec_01kahz9p4t8w2a6e0g3j7m1q5s",
  snap: "snap_01kahza1r6v0y4c8g2j5m9p3s7",
  invite: "invite_01kahza0q5u9x3b7f1h4k8n2r6t",
  evt: "evt_01kahy9g2k7n4p8r1t5w3x6z0b",
};

/** An id of a resource. */
export function Id(prefix: IdPrefix, description: string): TUnsafe<string> {
  return Type.Unsafe({ type: "string", description, examples: [EXAMPLE_IDS[prefix]] });
}

/** A text, with an example for the reference. */
export function Text(description: string, ...examples: readonly (string | null)[]) {
  return Type.String({ description, ...(examples.length === 0 ? {} : { examples }) });
}

/** A whole number, with an example for the reference. */
export function Count(description: string, ...examples: readonly number[]) {
  return Type.Integer({ description, ...(examples.length === 0 ? {} : { examples }) });
}

/** True or false, with an example for the reference. */
export function Flag(description: string, ...examples: readonly boolean[]) {
  return Type.Boolean({ description, ...(examples.length === 0 ? {} : { examples }) });
}

/** ISO 8601, UTC. */
export function Instant(description: string, example = "2026-11-20T09:30:12.000Z"): TUnsafe<string> {
  return Type.Unsafe({ type: "string", format: "date-time", description, examples: [example] });
}

export function NullableInstant(
  description: string,
  example: string | null = "2026-11-20T09:30:12.000Z",
): TUnsafe<string | null> {
  return Type.Unsafe({ type: ["string", "null"], format: "date-time", description, examples: [example] });
}

/** When a resource was created. */
export function CreatedAt(example = "2026-11-20T09:30:12.000Z"): TUnsafe<string> {
  return Instant("When it was created.", example);
}

/** When a resource was last changed. */
export function UpdatedAt(example = "2026-11-20T09:41:55.000Z"): TUnsafe<string> {
  return Instant("When it last changed.", example);
}

/**
 * A named schema, with a description for this one place: the reference shows both. Use it inside `Type.Optional`, not
 * around it.
 */
export function At<T extends TSchema>(
  schema: T,
  description: string,
  ...examples: readonly Static<T>[]
): TUnsafe<Static<T>> {
  const here = { description, ...(examples.length === 0 ? {} : { examples }) };
  return Type.Unsafe({ ...schema, here });
}

/** Checked as `schema`, and shown in the reference as `shown`. */
export function ShownAs<T extends TSchema>(schema: T, shown: TSchema): TUnsafe<Static<T>> {
  return Type.Unsafe({ ...schema, shownAs: shown });
}

/** What a view may be made of: instants are a `Date`, and lists need not be copied. */
type Viewable<T> = T extends string
  ? T | (string extends T ? Date : never)
  : T extends readonly (infer Item)[]
    ? readonly Viewable<Item>[]
    : T extends object
      ? { readonly [Name in keyof T]: Viewable<T[Name]> }
      : T;

/** The fields that `schema` has, of an object that may have more. Its own instants become texts. */
export function viewAs<T extends TObject>(schema: T, from: Viewable<Static<T>>): Static<T> {
  const fields = from as Readonly<Record<string, unknown>>;
  const view: Record<string, unknown> = {};
  for (const name of Object.keys(schema.properties)) {
    const value = fields[name];
    if (value !== undefined) view[name] = value instanceof Date ? writeInstant(value) : value;
  }
  return view as Static<T>;
}

export const NO_QUERY = Body({});
