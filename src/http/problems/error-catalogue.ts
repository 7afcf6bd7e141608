import type { TSchema } from "typebox";
import type { DeclaredError, DeclaredFault } from "../../lib/errors.ts";

/** Codes that appear elsewhere than in refusals, in their own table on the page of all codes. */
export type CodeTable = {
  readonly title: string;
  readonly says: string;
  /** What each code means. */
  readonly meanings: Readonly<Record<string, string>>;
};

/** Everything that a program may refuse with. `src/start` composes the product's; the sandbox has its own. */
export type ErrorCatalogue = {
  /** The address of the page of all codes; the page of each code is below it. */
  readonly address: string;
  /** In alphabetical order of their codes. */
  readonly errors: ReadonlyMap<string, DeclaredError>;
  /** In alphabetical order of their codes. */
  readonly faults: ReadonlyMap<string, DeclaredFault>;
  readonly tables: readonly CodeTable[];
  /** Schemas of the members that problem documents have with some codes, by name (RFC 9457, section 3.2). */
  readonly members: Readonly<Record<string, TSchema>>;
};

/** @throws Error for a code that is declared twice, or whose page has another address */
export function composeErrorCatalogue({
  address,
  errors,
  faults,
  tables = [],
  members = {},
}: {
  readonly address: string;
  /** The declarations of each room. */
  readonly errors: readonly Readonly<Record<string, DeclaredError>>[];
  readonly faults: readonly Readonly<Record<string, DeclaredFault>>[];
  readonly tables?: readonly CodeTable[];
  readonly members?: ErrorCatalogue["members"];
}): ErrorCatalogue {
  const composed = byCode(errors);
  for (const { code, page } of composed.values())
    if (page !== `${address}/${code}`) throw new Error(`The page of the error code ${code} is ${page}.`);
  return { address, errors: composed, faults: byCode(faults), tables, members };
}

function byCode<Declaration extends { readonly code: string }>(
  rooms: readonly Readonly<Record<string, Declaration>>[],
): ReadonlyMap<string, Declaration> {
  const found = new Map<string, Declaration>();
  for (const declaration of rooms.flatMap((room) => Object.values(room))) {
    if (found.has(declaration.code)) throw new Error(`The code ${declaration.code} is declared twice.`);
    found.set(declaration.code, declaration);
  }
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
