/** Parts of statements, here and in the features above. */
import { HOUR_MS } from "./check-times.ts";

/** The slot of a record in the hour (`check-times.ts`), in ms. There is an index of this expression. */
export function slotOf(id: string): string {
  return `(hashtext(${id}) & 2147483647) % ${HOUR_MS}`;
}

/** The columns of a `DnsRecord`. @param of an alias of the table, with its dot */
export function recordColumns(of = ""): string {
  return `${of}organization_id AS "organizationId", ${of}id, ${of}domain_id AS "domainId", ${of}purpose, ${of}type, ${of}name, ${of}value,
  ${of}status, ${of}since, ${of}last_check_at AS "lastCheckAt", ${of}last_check_value AS "lastCheckValue",
  ${of}last_check_error AS "lastCheckError", ${of}last_ok_at AS "lastOkAt", ${slotOf(`${of}id`)} AS slot`;
}
