import { Type } from "typebox";
import type { Api } from "../api.ts";
import type { Lines } from "../lines.ts";

const Run = Type.Object({ runId: Type.String() });
const RunState = Type.Object({
  isFinished: Type.Boolean(),
  processedEnvVariables: Type.Number(),
  storedEnvVariables: Type.Record(Type.String(), Type.Unknown()),
  failedEnvVariables: Type.Record(Type.String(), Type.Unknown()),
});
const SECRET = "sk-demo-only-5f2e";

/** Plain values are saved at once. Managed ones go to the customer's account, and are stored only there. */
export async function playVariables(lines: Lines, api: Api, environmentId: string): Promise<void> {
  const path = `/v1/environments/${environmentId}/env-variables`;
  await lines.step("Add a plain variable", async () => {
    await api.expect(200, Type.Object({ status: Type.Literal("completed") }), "POST", path, {
      plainText: { LOG_LEVEL: "debug" },
    });
    return "completed";
  });
  await lines.step("Add managed secrets", async () => {
    const { runId } = await api.expect(202, Run, "POST", path, {
      parameterStore: { API_TOKEN: SECRET },
      secretsManager: { DB_PASSWORD: SECRET },
    });
    const run = await api.follow(`${path}/status?runId=${runId}`, RunState, ({ isFinished }) => isFinished);
    if (Object.keys(run.failedEnvVariables).length > 0) throw new Error(JSON.stringify(run));
    const listed = await api.send("GET", path);
    if (JSON.stringify(listed.body).includes(SECRET)) throw new Error("The API showed a managed value.");
    return `${Object.keys(run.storedEnvVariables).join(", ")} stored in the account; the API shows references only`;
  });
}
