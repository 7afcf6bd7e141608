/**
 * Shapes of requests and answers in the form in which the SDK's own clients hold theirs: for the few calls of
 * services whose clients are large, and which the client of another service can send as well.
 */

export const TEXT = 0;
export const NUMBER = 1;
export const FLAG = 2;
export const INSTANT = 4;
export const TEXTS = 64;

type Shapes = {
  readonly structure: (name: string, members: Readonly<Record<string, unknown>>) => readonly unknown[];
  readonly listOf: (name: string, member: unknown) => readonly unknown[];
  readonly operation: (name: string, input: unknown, output: unknown) => Operation;
};
export type Operation = readonly [9, string, string, 0, unknown, unknown];

/** Those of one service; the first number says whether one is a list, a structure or an operation. */
export function shapesOf(namespace: string): Shapes {
  return {
    structure: (name, members) => [3, namespace, name, 0, Object.keys(members), Object.values(members)],
    listOf: (name, member) => [1, namespace, name, 0, member],
    operation: (name, input, output) => [9, namespace, name, 0, input, output],
  };
}
