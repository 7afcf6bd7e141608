/**
 * A statement that reads what belongs to each of some ids (`$2`), each id separately: without statistics, PostgreSQL
 * reads all rows of the organization for a list.
 * @param rows a SELECT that may name `asked.id`
 */
export const ofEach = (rows: string): string =>
  `SELECT found.* FROM unnest($2::text[]) AS asked(id) CROSS JOIN LATERAL (${rows}) found`;
