import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Group, GroupStatus } from "./custom-domain.ts";
import { NOW } from "./testing.ts";
import { viewGroup } from "./group-views.ts";

describe("the distribution of a group is", () => {
  const later = new Date(NOW.getTime() + 1_000);
  const cases: Record<string, [status: GroupStatus, updatedAt: Date, isShown: boolean]> = {
    "not shown while the group is new": ["DRAFT", NOW, false],
    "shown while its certificate is made": ["PROVISIONING", later, true],
    "shown still when the group was emptied": ["DRAFT", later, true],
  };
  for (const [name, [status, updatedAt, isShown]] of Object.entries(cases)) {
    it(name, () => {
      const group: Group = {
        organizationId: "org_1",
        id: "group_1",
        serviceId: "svc_1",
        distributionId: "cdn_1",
        name: "domains",
        isDefaultCdn: true,
        status,
        isDeleting: false,
        autoDns: false,
        replaceNotBefore: null,
        createdAt: NOW,
        updatedAt,
      };
      const shown = viewGroup(group, null, { providerId: "E1", domainName: "d1.cdn.example" }, 0);
      assert.deepEqual(
        [shown.cdnDistributionId, shown.cdnDomainName],
        isShown ? ["E1", "d1.cdn.example"] : [null, null],
      );
    });
  }
});
