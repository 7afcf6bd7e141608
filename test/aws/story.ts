/** What a customer does over the HTTP API on whatever emulator: domains, variables, checks of the connection. */
import assert from "node:assert/strict";
import { createGroup, untilDomain, untilGone } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";
import type { AwsSlipway, Project } from "./slipway.ts";

/** The emulators are slow while other tests use them. */
const PATIENCE_MS = 120_000;

export type Story = ReturnType<typeof storyOf>;

// oxlint-disable-next-line typescript/explicit-module-boundary-types -- Answers are looked at as they came, like `ApiAnswer.body`.
export function storyOf(slipway: AwsSlipway, project: Project) {
  const { api } = slipway;
  const accountPath = `/v1/aws-accounts/${project.connectionId}`;

  return {
    /** The domain once it has this status. */
    async untilDomain(id: string, status: string) {
      return await untilDomain(api, id, status, PATIENCE_MS).catch((error: unknown) => {
        throw new Error(slipway.log().slice(-3_000), { cause: error });
      });
    },

    createGroup: (names: readonly string[]) => createGroup(api, project.serviceId, names),

    /** Lets a domain redirect, or no longer. @returns it once its redirect has this status */
    async redirect(id: string, redirectTo: string | null, status: string | null) {
      const changed = await api.patch(`/v1/domains/${id}`, { redirectTo });
      assert.equal(changed.status, 200, changed.text);
      let last = changed.body;
      return await until(
        async () => {
          last = (await api.get(`/v1/domains/${id}`)).body;
          return last.redirectStatus === status && last;
        },
        `the redirect of ${id} is ${status}`,
        PATIENCE_MS,
      ).catch((error: unknown) => {
        throw new Error(`Last seen: ${JSON.stringify(last)}`, { cause: error });
      });
    },

    /** Resolves when the group is deleted. */
    async deleteGroup(id: string): Promise<void> {
      const path = `/v1/domain-certificate-groups/${id}`;
      assert.equal((await api.delete(path)).status, 202);
      await untilGone(api, path, PATIENCE_MS);
    },

    /** The run's status once it has ended. */
    async storeVariables(kind: string, values: Readonly<Record<string, string>>) {
      const path = `/v1/environments/${project.environmentId}/env-variables`;
      const accepted = await api.post(path, { [kind]: values });
      assert.equal(accepted.status, 202, JSON.stringify(accepted.body));
      return await until(
        async () => {
          const { body } = await api.get(accepted.headers.get("location") ?? "");
          return body.isFinished && body;
        },
        "the run ends",
        PATIENCE_MS,
      );
    },

    /** The connection after a check, once it has the expected state. */
    async check(isWanted: (account: { status: string; lastCheckError: CheckError | null }) => boolean) {
      const before = new Date().toISOString();
      const asked = await api.post(`${accountPath}/check`);
      assert.equal(asked.status, 202, JSON.stringify(asked.body));
      return await until(
        async () => {
          const { body } = await api.get(accountPath);
          return body.lastCheckAt > before && isWanted(body) && body;
        },
        "a check finds the connection so",
        PATIENCE_MS,
      );
    },
  };
}

type CheckError = { readonly code: string; readonly message: string };
