import * as fc from "fast-check";
import { ANSWERS, type Answer } from "./cloud.ts";

export const HOUR_MS = 3_600_000;
export const NAMES = ["a.example.com", "b.example.com", "c.example.com", "d.example.com"];

/** What a client does. */
export type UserStep = { readonly what: "add" | "delete" | "retry" | "deleteGroup"; readonly name: string };
/** An event that happens to a group. */
export type Step =
  | { readonly kind: "pass"; readonly answers: readonly Answer[] }
  | { readonly kind: "crash" | "vanish" | "expire" | "renew" | "removeDistribution" }
  | ({ readonly kind: "user" } & UserStep)
  | ({ readonly kind: "during"; readonly passes: number } & UserStep)
  | {
      readonly kind: "toggle";
      readonly what: "recordsOf" | "refusedByCaa" | "elsewhere";
      readonly name: string;
    }
  | { readonly kind: "wait"; readonly ms: number };

const NAME = fc.constantFrom(...NAMES);
const USER_STEP = fc.record({
  what: fc.oneof(
    { weight: 4, arbitrary: fc.constant("add" as const) },
    { weight: 4, arbitrary: fc.constant("delete" as const) },
    { weight: 2, arbitrary: fc.constant("retry" as const) },
    { weight: 1, arbitrary: fc.constant("deleteGroup" as const) },
  ),
  name: NAME,
});
export const STEP: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      answers: fc.array(fc.constantFrom(...ANSWERS), { maxLength: 8 }),
    }),
  },
  { weight: 4, arbitrary: USER_STEP.map((step) => ({ kind: "user" as const, ...step })) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(USER_STEP, fc.nat(5))
      .map(([step, passes]) => ({ kind: "during" as const, passes, ...step })),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("crash" as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("toggle" as const),
      what: fc.oneof(
        { weight: 4, arbitrary: fc.constant("recordsOf" as const) },
        { weight: 1, arbitrary: fc.constantFrom("refusedByCaa" as const, "elsewhere" as const) },
      ),
      name: NAME,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom("vanish" as const, "expire" as const, "renew" as const) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("removeDistribution" as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      ms: fc.constantFrom(1_000, 7_000, 61_000, 700_000, 25 * HOUR_MS, 73 * HOUR_MS),
    }),
  },
);
