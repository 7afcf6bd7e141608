import type { Database, Transaction } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import type { Precondition } from "../../http/requests/precondition.ts";
import { Body } from "../../http/schemas.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError, invalidRequest, notFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { Secret } from "../../sealing/secret.ts";
import type { EventCatalogue } from "../events/event-catalogue.ts";
import { getUser } from "../users/queries.ts";
import { checkUrl } from "../webhooks/prepare-endpoint.ts";
import { CREATE_BODY, findChannelFaults, findTargetFaults, OWN_BODY, UPDATE_BODY } from "./body.ts";
import { describeChannelError } from "./channel-error.ts";
import { type Channel, ownChannelOf, urlIdentity } from "./channel.ts";
import {
  createChannel,
  deleteChannel,
  getChannel,
  recordAttempt,
  recordTest,
  updateChannel,
  updateOwnChannel,
} from "./commands.ts";
import { NOTIFICATION_ERRORS } from "./errors.ts";
import { testMessage } from "./message.ts";
import { type SendDeps, sendMessage } from "./send-message.ts";
import { channels } from "./store.ts";
import {
  NotificationChannelSchema,
  NotificationTestSchema,
  OwnNotificationsSchema,
  viewChannel,
  viewOwnNotifications,
} from "./views.ts";

const tag: Tag = {
  name: "Notifications",
  description:
    "Messages to people in Slack, Discord, Microsoft Teams or by e-mail, grouped and only when a state changes.",
};
/** What a user sets for itself. A key with limits must not. */
const OWN = { role: "viewer", scope: "admin", reach: "organization", tag } as const;
const ADMIN = { role: "admin", scope: "admin", reach: "organization", tag } as const;

type Deps = SendDeps & {
  readonly db: Database;
  readonly jobs: Jobs;
  readonly catalogue: EventCatalogue;
  /** Whether http:// to this machine is allowed. */
  readonly allowsLoopback: boolean;
};

const LOCKED: Precondition<"/v1/notification-channels/:notificationChannelId"> = {
  lock: async ({ tx, actor, params }) =>
    void (await channels.lock(tx, actor.organizationId, params.notificationChannelId)),
};

export function registerNotificationRoutes(http: Http, deps: Deps): void {
  const { db, jobs, clock, atRest, exchange, catalogue, allowsLoopback, mailer, publicUrl } = deps;
  const findFaults = (body: unknown) => findChannelFaults(body, catalogue, allowsLoopback);

  const seal = async (owner: Pick<Channel, "organizationId" | "id">, url: string) => {
    await checkUrl(exchange, url);
    const { href, host } = new URL(url);
    return { sealedUrl: await atRest.seal(urlIdentity(owner), new Secret(href)), host };
  };

  const requireMailer = (): void => {
    if (mailer !== null) return;
    throw new AppError(
      NOTIFICATION_ERRORS.EMAIL_NOT_CONFIGURED,
      "This installation has no mail server. Ask its operator to set SLIPWAY_SMTP_URL, or use another kind of channel.",
    );
  };

  const sendTest = async (channel: Channel) => {
    const id = `${channel.id}.test.${clock.now().getTime()}`;
    return { channel, sent: await sendMessage(deps, channel, testMessage(id, channel, publicUrl)) };
  };
  const recordTestOf = async (
    tx: Transaction,
    actor: Actor,
    { channel, sent }: Awaited<ReturnType<typeof sendTest>>,
  ) => {
    if (sent === null) throw notFound();
    await recordAttempt(tx, channel, sent, clock.now());
    recordTest(tx, actor, channel);
    const { status, answer, errorCode } = sent;
    return { isAccepted: errorCode === null, status, answer, error: describeChannelError(errorCode) };
  };

  http.write({
    ...ADMIN,
    method: "POST",
    path: "/v1/notification-channels",
    summary: "Create a notification channel",
    description:
      "The channel reports events from now on. An organization has at most 50 channels. Send a test to see whether messages arrive.",
    body: CREATE_BODY,
    findFaults,
    responses: { 201: NotificationChannelSchema },
    prepare: async ({ actor, body }) => {
      if (body.kind === "email") requireMailer();
      const owner = { organizationId: actor.organizationId, id: newId("nch") };
      const none = { sealedUrl: null, host: null };
      return { id: owner.id, ...(body.url === undefined ? none : await seal(owner, body.url)) };
    },
    commit: async ({ tx, actor, body, prepared: { id, sealedUrl, host } }) => {
      const { kind, name, recipients = null, types = null, projectId = null, environmentId = null } = body;
      const settings = { id, kind, name, host, recipients, types, projectId, environmentId };
      const channel = await createChannel(tx, actor, settings, sealedUrl);
      return { status: 201, location: `/v1/notification-channels/${id}`, body: viewChannel(channel) };
    },
  });

  http.read({
    ...ADMIN,
    path: "/v1/notification-channels",
    summary: "List notification channels",
    query: Body(PAGE_QUERY),
    response: ListOf("notificationChannels", NotificationChannelSchema),
    handle: async ({ actor, query }) => {
      const page = readPage(query);
      const rows = await channels.list(db, actor.organizationId, page);
      const { items, nextCursor } = makePage(rows, page, (channel) => channel.id);
      return { notificationChannels: items.map(viewChannel), nextCursor };
    },
  });

  http.read({
    ...ADMIN,
    path: "/v1/notification-channels/:notificationChannelId",
    summary: "Get a notification channel",
    response: NotificationChannelSchema,
    unguarded: ["lastSentAt"],
    watch: ({ params }) => [params.notificationChannelId],
    handle: async ({ sql, actor, params }) =>
      viewChannel(await getChannel(sql, actor.organizationId, params.notificationChannelId)),
  });

  http.write({
    ...ADMIN,
    method: "PATCH",
    path: "/v1/notification-channels/:notificationChannelId",
    precondition: LOCKED,
    summary: "Change a notification channel",
    description:
      "Omitted fields stay as they are. The kind cannot change. A new receiver is tried at once, also if the channel is failing.",
    body: UPDATE_BODY,
    findFaults,
    responses: { 200: NotificationChannelSchema },
    prepare: async ({ actor, params, body }) => {
      const owner = { organizationId: actor.organizationId, id: params.notificationChannelId };
      const { kind } = await getChannel(db, owner.organizationId, owner.id);
      const faults = findTargetFaults(kind, body, false);
      if (faults.length > 0) throw invalidRequest(faults);
      return { sealed: body.url === undefined ? null : await seal(owner, body.url) };
    },
    commit: async ({ tx, actor, params, body: { url, ...body }, prepared: { sealed } }) => {
      const change = url === undefined ? body : { ...body, host: new URL(url).host };
      const { notificationChannelId: id } = params;
      const channel = await updateChannel(tx, jobs, actor, id, change, sealed?.sealedUrl ?? null);
      return { status: 200, body: viewChannel(channel) };
    },
  });

  http.write({
    ...ADMIN,
    method: "DELETE",
    path: "/v1/notification-channels/:notificationChannelId",
    precondition: LOCKED,
    summary: "Delete a notification channel",
    responses: { 204: null },
    commit: async ({ tx, actor, params }) => {
      await deleteChannel(tx, actor, params.notificationChannelId);
      return { status: 204 };
    },
  });

  http.write({
    ...ADMIN,
    method: "POST",
    path: "/v1/notification-channels/:notificationChannelId/test",
    summary: "Send a test to a notification channel",
    description:
      "Sends a message and waits for the receiver, at most 15 seconds. The result is the receiver's own answer. It counts for the channel's health.",
    responses: { 200: NotificationTestSchema },
    prepare: async ({ actor, params }) =>
      await sendTest(await getChannel(db, actor.organizationId, params.notificationChannelId)),
    commit: async ({ tx, actor, params, prepared }) => {
      // It may have been deleted meanwhile.
      await getChannel(tx, actor.organizationId, params.notificationChannelId);
      return { status: 200, body: await recordTestOf(tx, actor, prepared) };
    },
  });

  http.read({
    ...OWN,
    scope: "read",
    path: "/v1/me/notifications",
    sdk: "me.getNotifications",
    operationId: "getOwnNotifications",
    summary: "Get your own e-mail settings",
    response: OwnNotificationsSchema,
    unguarded: ["lastSentAt"],
    watch: ({ actor }) => [ownChannelOf(actor.userId), actor.userId],
    handle: async ({ sql, actor: { organizationId, userId } }) => {
      const { email } = await getUser(sql, organizationId, userId);
      return viewOwnNotifications(
        await channels.findOfUser(sql, organizationId, userId),
        email,
        mailer !== null,
      );
    },
  });

  http.write({
    ...OWN,
    method: "PATCH",
    path: "/v1/me/notifications",
    sdk: "me.updateNotifications",
    operationId: "updateOwnNotifications",
    precondition: {
      lock: async ({ tx, actor }) => await channels.lockCount(tx, actor.organizationId),
    },
    summary: "Change your own e-mail settings",
    description:
      "Sends messages about events to the address of your account: only about projects that you see, and events that your role reads. Omitted fields stay as they are. A key with scopes or projects cannot change them.",
    body: OWN_BODY,
    findFaults,
    responses: { 200: OwnNotificationsSchema },
    prepare: async ({ body }) => {
      if (body.enabled === true) requireMailer();
      return await Promise.resolve(null);
    },
    commit: async ({ tx, actor, body }) => {
      const channel = await updateOwnChannel(tx, jobs, actor, body);
      const { email } = await getUser(tx, actor.organizationId, actor.userId);
      return { status: 200, body: viewOwnNotifications(channel, email, mailer !== null) };
    },
  });

  http.write({
    ...OWN,
    method: "POST",
    path: "/v1/me/notifications/test",
    sdk: "me.testNotifications",
    operationId: "testOwnNotifications",
    summary: "Send a test to your own address",
    description:
      "Sends an e-mail to the address of your account, after you enabled it. The result is the mail server's own answer.",
    responses: { 200: NotificationTestSchema },
    prepare: async ({ actor: { organizationId, userId } }) => {
      const channel = await channels.findOfUser(db, organizationId, userId);
      const { email } = await getUser(db, organizationId, userId);
      if (channel === null || email === null) throw notFound();
      return await sendTest({ ...channel, recipients: [email] });
    },
    commit: async ({ tx, actor, prepared }) => ({
      status: 200,
      body: await recordTestOf(tx, actor, prepared),
    }),
  });
}
