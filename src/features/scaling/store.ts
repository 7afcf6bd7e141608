import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import type { Service } from "../projects/project.ts";
import type { Scaling } from "./scaling.ts";

type ServiceKey = Pick<Service, "organizationId" | "id">;

const FIND = readStatement<Scaling>(
  "services_find_scaling",
  `SELECT scaling_count AS count, scaling_problem AS problem, scaling_taken AS taken, scaling_takes AS takes
     FROM services WHERE organization_id = $1 AND id = $2`,
);

const REQUEST = writeStatement(
  "services_request_scaling",
  `UPDATE services SET scaling_count = $3, scaling_problem = NULL WHERE organization_id = $1 AND id = $2`,
);

/** Only if no other number was requested meanwhile. */
const END = writeStatement<{ id: string }>(
  "services_end_scaling",
  `UPDATE services
      SET scaling_count = NULL, scaling_problem = $4,
          scaling_taken = CASE WHEN $4::text IS NULL THEN $3 ELSE scaling_taken END,
          scaling_takes = scaling_takes + CASE WHEN $4::text IS NULL THEN 1 ELSE 0 END
    WHERE organization_id = $1 AND id = $2 AND scaling_count = $3 RETURNING id`,
);

export const scalings = {
  find: async (sql: Sql, { organizationId, id }: ServiceKey): Promise<Scaling> =>
    (await sql.query(FIND, [organizationId, id]))[0] ?? { count: null, problem: null, taken: null, takes: 0 },
  request: async (tx: Transaction, { organizationId, id }: ServiceKey, count: number) =>
    void (await tx.query(REQUEST, [organizationId, id, count])),
  /** @returns whether it was still requested */
  end: async (tx: Transaction, { organizationId, id }: ServiceKey, count: number, problem: string | null) =>
    (await tx.query(END, [organizationId, id, count, problem])).length > 0,
};
