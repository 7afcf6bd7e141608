import type { RuntimeValue } from "../../../platform.ts";
import { type StoreOrigin, type StoreShape, STORE_SECRETS } from "../stacks/templates/store-template.ts";

/** What other services may have of a store. Secrets are references to what its stack made. Pure. */
export function valuesOf(
  { type }: StoreShape,
  { dbName, username }: StoreOrigin,
  outputs: Readonly<Record<string, string>>,
): Readonly<Record<string, RuntimeValue>> {
  const text = (value: string = ""): RuntimeValue => ({ kind: "plainText", value });
  const secret = (output: string): RuntimeValue => ({
    kind: "fromSecretsManager",
    reference: outputs[output] ?? "",
  });
  if (type === "bucket") return { bucketName: text(outputs["BucketName"]) };
  const place = { host: text(outputs["Host"]), port: text(outputs["Port"]) };
  const password = secret(STORE_SECRETS.password);
  const connection = secret(STORE_SECRETS.connection);
  if (type === "redis") return { connectionString: connection, authToken: password, ...place };
  return {
    dbConnectionString: connection,
    username: text(username),
    password,
    dbName: text(dbName),
    ...place,
  };
}
