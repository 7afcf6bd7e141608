import type { Slipway } from "../../../../sdk/src/index.ts";
import type { Lines } from "../lines.ts";

const SECRET = "sk-demo-only-5f2e";

/** Plain values are saved at once. Managed ones go to the customer's account, and are stored only there. */
export async function playVariables(lines: Lines, slipway: Slipway, environmentId: string): Promise<void> {
  const owner = { environmentId };
  await lines.step("Add a plain variable", async () => {
    const { status } = await slipway.variables.set(owner, { plainText: { LOG_LEVEL: "debug" } });
    return status;
  });
  await lines.step("Add managed secrets", async () => {
    const saved = await slipway.variables.set(owner, {
      parameterStore: { API_TOKEN: SECRET },
      secretsManager: { DB_PASSWORD: SECRET },
    });
    if (saved.status !== "processing") throw new Error(`The secrets are ${saved.status}.`);
    const run = await slipway.variables.wait(owner, saved.runId);
    const listed = await slipway.variables.list(owner);
    if (JSON.stringify(listed).includes(SECRET)) throw new Error("The API showed a managed value.");
    return `${Object.keys(run.storedEnvVariables).join(", ")} stored in the account; the API shows references only`;
  });
}
