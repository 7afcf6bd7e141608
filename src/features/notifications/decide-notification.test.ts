import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../events/event.ts";
import {
  type Announced,
  announceTopic,
  COOLDOWN_MS,
  decideMessage,
  foldEvents,
  GROUP_KEPT_MS,
  type Topic,
  typesRead,
} from "./decide-notification.ts";

const START = Date.parse("2026-11-20T12:00:00.000Z");
const at = (seconds: number): Date => new Date(START + seconds * 1_000);

let sequence = 0;
function event(type: string, more: Partial<Event> = {}): Event {
  sequence += 1;
  return {
    organizationId: "org_1",
    sequence,
    id: `evt_${sequence}`,
    type,
    occurredAt: at(0),
    subjectType: "domain",
    subjectId: "dom_1",
    projectId: "proj_1",
    environmentId: "env_1",
    serviceId: null,
    actorKind: "slipway",
    actorId: "slipway",
    requestId: "background",
    data: {},
    ...more,
  };
}

/** A channel whose messages are always accepted. It decides each second, as the real one does when it is due. */
function play(
  moments: readonly (readonly [seconds: number, events: readonly Event[]])[],
  seconds: number,
  chosen: readonly string[] | null = null,
) {
  const topics = new Map<string, Topic>();
  const groups = new Map<string, Announced>();
  const messages: { readonly second: number; readonly types: readonly string[]; readonly count: number }[] =
    [];
  for (let second = 0; second <= seconds; second += 1) {
    const events = moments.flatMap(([when, all]) => (when === second ? all : []));
    for (const topic of foldEvents(topics, events, chosen, at(second))) topics.set(topic.key, topic);
    const pending = [...topics.values()].filter((topic) => topic.pending !== null);
    for (const [group, { announcedAt }] of groups)
      if (announcedAt.getTime() <= at(second).getTime() - GROUP_KEPT_MS) groups.delete(group);
    const { due, nextAt } = decideMessage(pending, groups, at(second));
    assert.ok(nextAt === null || nextAt > at(second));
    if (due.length === 0) continue;
    messages.push({ second, types: [...new Set(due.map(({ type }) => type ?? ""))], count: due.length });
    for (const group of new Set(due.map((topic) => topic.group))) {
      const repeats = groups.has(group) ? (groups.get(group)?.repeats ?? 0) + 1 : 0;
      groups.set(group, { announcedAt: at(second), repeats });
    }
    for (const topic of due) {
      const kept = announceTopic(topic);
      if (kept === null) topics.delete(topic.key);
      else topics.set(topic.key, kept);
    }
  }
  return messages;
}

const warned = (of: string, code = "VERIFICATION_RECORD_MISSING") =>
  event("domain.warning_raised", { subjectId: of, data: { warning: { code } } });
const resolved = (of: string, code = "VERIFICATION_RECORD_MISSING") =>
  event("domain.warning_resolved", { subjectId: of, data: { warning: { code } } });
const failed = (id: string, environmentId = "env_1") =>
  event("deployment.environment_failed", { subjectType: "deployment", subjectId: id, environmentId });
const succeeded = (id: string, environmentId = "env_1") =>
  event("deployment.environment_succeeded", { subjectType: "deployment", subjectId: id, environmentId });
const ran = (type: string, data: object = {}, subjectId = "svc_1") =>
  event(type, { subjectType: "service", subjectId, data: { jobId: "nightly", ...data } });
const ofPreview = (type: string, subjectId: string, data: Event["data"] = {}) =>
  event(type, { subjectType: "preview", subjectId, data });
const NO_JOB = { jobId: null };
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("which messages follow from events", () => {
  const cases: readonly (readonly [
    string,
    readonly (readonly [number, readonly Event[]])[],
    readonly (readonly [second: number, type: string, count: number])[],
  ])[] = [
    [
      "a domain that breaks makes one message, after ten seconds",
      [[0, [warned("dom_1")]]],
      [[10, "domain.warning_raised", 1]],
    ],
    [
      "500 domains that break for one cause make one message",
      range(5).map((second) => [second, range(100).map((n) => warned(`dom_${second * 100 + n}`))] as const),
      [[14, "domain.warning_raised", 500]],
    ],
    [
      "500 domains that break over nine minutes make two: one after a minute, and one with the rest",
      range(500).map((n) => [n, [warned(`dom_${n}`)]] as const),
      [
        [60, "domain.warning_raised", 61],
        [660, "domain.warning_raised", 439],
      ],
    ],
    [
      "two causes that are found together make one message",
      [[0, [warned("dom_1"), warned("dom_2", "CAA_REFUSES_RENEWAL")]]],
      [[10, "domain.warning_raised", 2]],
    ],
    [
      "a domain that breaks and recovers within ten seconds makes none",
      [
        [0, [warned("dom_1")]],
        [5, [resolved("dom_1")]],
      ],
      [],
    ],
    [
      "a recovery follows at once",
      [
        [0, [warned("dom_1")]],
        [30, [resolved("dom_1")]],
      ],
      [
        [10, "domain.warning_raised", 1],
        [40, "domain.warning_resolved", 1],
      ],
    ],
    ...["preview.ended", "preview.deleted"].map(
      (end) =>
        [
          `the message of a failed cleanup ends with ${end}, and the end of another preview is not reported`,
          [
            [0, [ofPreview("preview.cleanup_failed", "prev_1", { code: "ACCESS_DENIED" })]],
            [30, [ofPreview(end, "prev_1"), ofPreview(end, "prev_2")]],
          ],
          [
            [10, "preview.cleanup_failed", 1],
            [40, end, 1],
          ],
        ] as const,
    ),
    [
      "a recovery without a reported problem makes none",
      [[0, [resolved("dom_1"), event("domain.attached")]]],
      [],
    ],
    [
      "the same problem again makes none",
      [
        [0, [warned("dom_1")]],
        [700, [warned("dom_1")]],
      ],
      [[10, "domain.warning_raised", 1]],
    ],
    [
      "each failed deployment is reported, at most one of an environment in ten minutes",
      [
        [0, [failed("depl_1")]],
        [30, [failed("depl_2")]],
        [60, [failed("depl_3", "env_2")]],
      ],
      [
        [10, "deployment.environment_failed", 1],
        [70, "deployment.environment_failed", 1],
        [610, "deployment.environment_failed", 1],
      ],
    ],
    [
      "successful deployments make none",
      [
        [0, [succeeded("depl_1")]],
        [60, [succeeded("depl_2")]],
      ],
      [],
    ],
    [
      "a deployment after a failed one recovers its environment once",
      [
        [0, [failed("depl_1")]],
        [60, [succeeded("depl_2")]],
        [120, [succeeded("depl_3")]],
      ],
      [
        [10, "deployment.environment_failed", 1],
        [70, "deployment.environment_succeeded", 1],
      ],
    ],
    [
      "a certificate is reported again when fewer days are left, and no request that was refused",
      [
        [0, [certificate("certificate.failed", { reason: "request" })]],
        [10, [certificate("certificate.expiring", { days: 14 })]],
        [700, [certificate("certificate.expiring", { days: 7 })]],
      ],
      [
        [20, "certificate.expiring", 1],
        [710, "certificate.expiring", 1],
      ],
    ],
    [
      "an endpoint that a user disabled is not reported",
      [[0, [event("webhook_endpoint.disabled", { subjectId: "whe_1", data: { reason: "USER" } })]]],
      [],
    ],
    [
      "a job that fails three times and then works makes two messages",
      [
        [0, [ran("job.failed")]],
        [30, [ran("job.failed")]],
        [700, [ran("job.failed")]],
        [800, [ran("execution.succeeded")]],
        [900, [ran("execution.succeeded")]],
      ],
      [
        [10, "job.failed", 1],
        [810, "execution.succeeded", 1],
      ],
    ],
    [
      "a job that did not run is reported, also if it failed before",
      [
        [0, [ran("job.failed")]],
        [100, [ran("job.missed")]],
        [200, [ran("job.missed")]],
        [300, [ran("execution.succeeded")]],
      ],
      [
        [10, "job.failed", 1],
        [110, "job.missed", 1],
        [310, "execution.succeeded", 1],
      ],
    ],
    [
      "jobs that fail together make one message, and another job of a service has its own state",
      [
        [0, range(500).map((n) => ran("job.failed", {}, `svc_${n}`))],
        [700, [ran("job.failed", { jobId: "hourly" })]],
      ],
      [
        [10, "job.failed", 500],
        [710, "job.failed", 1],
      ],
    ],
    [
      "one-off commands make none",
      [[0, [ran("execution.failed", NO_JOB), ran("execution.succeeded", NO_JOB)]]],
      [],
    ],
  ];
  for (const [name, moments, expected] of cases)
    it(name, () => {
      const messages = play(moments, 1_300).map(({ second, types, count }) => [
        second,
        types.join(" "),
        count,
      ]);
      assert.deepEqual(messages, expected);
    });

  it("events without a condition are reported to channels that chose them", () => {
    const events = [
      event("user.created", { subjectId: "user_1" }),
      ran("execution.succeeded", NO_JOB),
      ran("execution.failed"),
    ];
    const typesOf = (chosen: readonly string[] | null) =>
      play([[0, events]], 60, chosen).map(({ types }) => types.join(" "));
    assert.deepEqual(typesOf(null), []);
    assert.deepEqual(typesOf(["user.created", "execution.succeeded"]), ["user.created execution.succeeded"]);
    assert.deepEqual(typesOf(["execution.failed"]), ["execution.failed"]);
  });

  it("20 flaps in ten minutes make at most two messages, whenever they happen", () => {
    for (const every of [29, 15, 5, 2]) {
      const flaps = range(20).flatMap((n) => [
        [n * every, [warned("dom_1")]] as const,
        [n * every + Math.floor(every / 2), [resolved("dom_1")]] as const,
      ]);
      const messages = play(flaps, 599);
      assert.ok(messages.length <= 2, `every ${every} s: ${JSON.stringify(messages)}`);
    }
  });

  it("500 domains of one cause that are found over an hour make three messages, and a new one after a quiet time", () => {
    const found = range(500).map((n) => [n * 7, [warned(`dom_${n}`)]] as const);
    const messages = play([...found, [20_000, [warned("dom_later")]]], 20_100);
    assert.deepEqual(
      messages.map(({ second, count }) => [second, count]),
      [
        [60, 9],
        [660, 86],
        [4_260, 405],
        [20_010, 1],
      ],
    );
  });

  it("deployments that fail all day are reported every ten minutes", () => {
    const failures = range(10).map((n) => [n * 900, [failed(`depl_${n}`)]] as const);
    assert.equal(play(failures, 9_000).length, 10);
  });

  it("the last state is reported after flaps", () => {
    const flaps = range(20).flatMap((n) => [
      [n * 30, [warned("dom_1")]] as const,
      [n * 30 + 14, [resolved("dom_1")]] as const,
    ]);
    const messages = play([...flaps, [605, [warned("dom_1")]]], 1_300);
    assert.deepEqual(messages.at(-1)?.types, ["domain.warning_raised"]);
    assert.ok((messages.at(-1)?.second ?? 0) >= COOLDOWN_MS / 1_000);
  });
});

function certificate(type: string, data: object): Event {
  return event(type, {
    subjectType: "certificate",
    subjectId: "cert_1",
    data: { groupId: "group_1", ...data },
  });
}

describe("the types that a channel reads", () => {
  it("include the recovery of a chosen problem", () => {
    assert.deepEqual(typesRead(["domain.warning_raised"]), [
      "domain.warning_raised",
      "domain.warning_resolved",
    ]);
    assert.deepEqual(typesRead(["job.missed"]), ["job.missed", "execution.succeeded"]);
    assert.deepEqual(typesRead(["user.created"]), ["user.created"]);
    assert.ok(typesRead(null).includes("deployment.environment_failed"));
  });
});
