import { type Static, type TSchema, Type, type TUnsafe } from "typebox";

/** `T` or null, in the form that JSON Schema and the serializer handle without trying alternatives. */
export function Nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const type = (schema as { type?: unknown }).type;
  if (typeof type !== "string") return Type.Unsafe({ anyOf: [schema, { type: "null" }] });
  return Type.Unsafe({ ...schema, type: [type, "null"] });
}

/** One of some words. */
export function Words<const T extends readonly string[]>(words: T, options: object = {}): TUnsafe<T[number]> {
  return Type.Unsafe({ type: "string", enum: words, ...options });
}

/** An object that refuses unknown fields by name. */
export function Body<T extends Record<string, TSchema>>(properties: T, options: object = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** A field that may be left out. Validation fills its `default` in, so that whoever handles the request has it. */
export function Defaulted<T extends TSchema>(schema: T): T {
  return Type.Optional(schema);
}

/** ISO 8601, UTC. */
export function Instant(): TUnsafe<string> {
  return Type.Unsafe({ type: "string", format: "date-time" });
}

export function NullableInstant(): TUnsafe<string | null> {
  return Type.Unsafe({ type: ["string", "null"], format: "date-time" });
}

export const NO_QUERY = Body({});
